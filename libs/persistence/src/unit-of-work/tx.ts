import type { TopicMessage } from '#kernel';
import type { EntitySchema, ObjectLiteral, Repository } from 'typeorm';
import type { CopyRule } from '../copies/copy-rule.js';
import type { RetentionRule } from '../retention/retention-rule.js';
import type { ScheduleRule } from '../schedules/schedule-rule.js';

/**
 * An open SQL transaction. Queries take one as their first argument, so that no table is accessed outside of `UnitOfWork`, which sets the
 * tenant for row-level security.
 */
export interface Tx {
  /** Parameterised SQL; rows as the driver returns them (bigint and numeric columns are strings). */
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Objects of a mapped class, by a statement like that of `sql`, which shares exchanges as no repository does. Their repository can save them.
   * @param from the table of the class, and which rows: `identity.member where tenant_id = $1`
   */
  find<E extends ObjectLiteral>(type: abstract new (...args: never[]) => E, from: string, parameters: readonly unknown[]): Promise<E[]>;
  /**
   * Writes of many rows: each one starts while the previous ones still run in the database, so that preparing its parameters takes no extra
   * time. The statements take effect in this order. Rejects with the error of the first that fails.
   */
  pipelined(writes: readonly (() => Promise<unknown>)[]): Promise<void>;
  /** TypeORM repository of a mapped domain class, for writes. Each of its statements is an exchange of its own. */
  repository<E extends ObjectLiteral>(type: abstract new (...args: never[]) => E): Repository<E>;
}

/** Reads and writes the rows of one tenant only: the database refuses the rows of others. */
export interface TenantTx extends Tx {
  readonly tenantId: string;
  /** Writes messages into the outbox, in this transaction. A key that was published before is ignored. */
  publish(messages: readonly TopicMessage[]): Promise<void>;
  /**
   * Stores the current span under the ids of events or hashes of transactions that will appear on the chain later. Messages that contain
   * one of them continue from it. Does nothing when the span is not recorded.
   */
  rememberSpan(keys: readonly string[]): Promise<void>;
}

/** Reads one consistent snapshot. */
export interface SnapshotTx extends TenantTx {
  /**
   * Runs `work` in parallel to this transaction, on a second connection with the same snapshot if the pool has spare ones, else on this
   * connection. Call it before the work that should run in parallel. `work` must be repeatable and must only read.
   */
  onSecondConnection<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

/** For the relay, login, periodic jobs and the indexer: may read every tenant, and enters one tenant for its work. */
export interface SystemTx extends Tx {
  readonly tenantId?: undefined;
  /**
   * Runs `work` inside this transaction with the rights of one tenant. Messages about blocks up to `finalUpTo` are published as released.
   */
  forTenant<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>, finalUpTo?: number): Promise<T>;
}

/** The database part of one context: its schema, its forward-only `.sql` migrations and its TypeORM mappings. */
export interface ContextPersistence {
  readonly schema: string;
  readonly migrations: URL;
  readonly entities: readonly EntitySchema[];
  /** What of its tables is deleted, and when. */
  readonly retention?: readonly RetentionRule[];
  /** What of its tables waits for a time. */
  readonly schedules?: readonly ScheduleRule[];
  /**
   * The references of its records to contents: statements about CIDs (`$1`) and their data hashes (`$2`). Their rows are the contents that are
   * referred to (`cid`), and whether by a record that is never deleted (`lasting`).
   */
  readonly contents?: readonly string[];
  /** Where its tables may repeat values of contents. */
  readonly copies?: readonly CopyRule[];
}
