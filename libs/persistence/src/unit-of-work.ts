import type { TenantScope, Topic } from '#kernel';
import type { EntitySchema, ObjectLiteral, Repository } from 'typeorm';

/**
 * An open SQL transaction. Repositories take one as their first argument, so that nothing reaches a table outside of
 * `UnitOfWork`, where the tenant is set for row-level security.
 */
export interface Tx {
  /** Parameterised SQL; rows as the driver gives them (bigint and numeric columns are strings). */
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Writes of many rows: each is begun while those before still run in the database, so that making its parameters costs no time of
   * its own. Their statements take effect in this order. Rejects like the first that fails.
   */
  overlapping(writes: readonly (() => Promise<unknown>)[]): Promise<void>;
  /** TypeORM repository of a mapped domain class, for writes and simple reads. */
  repository<E extends ObjectLiteral>(type: abstract new (...args: never[]) => E): Repository<E>;
}

/** Sees and writes the rows of one tenant only: the database refuses the others. */
export interface TenantTx extends Tx {
  readonly tenantId: string;
  /** Writes topics into the outbox, in this transaction. A key that was published before is passed over. */
  publish(messages: readonly OutboxMessage[]): Promise<void>;
  /**
   * Leaves the trace of this work at what will come back by another way: ids of events, hashes of transactions. Topics that name one in
   * their data go on with it. Nothing where no trace is recorded.
   */
  leaveTrace(keys: readonly string[]): Promise<void>;
}

/** Reads of one moment. */
export interface SnapshotTx extends TenantTx {
  /**
   * Runs `work` beside what else this transaction does: on a connection of its own that sees the same moment, where the pool has plenty,
   * else on this one. To be called before what it shall not wait for; its work is repeatable, and only reads.
   */
  aside<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

/** Relay, login, sweeps and the indexer: may see every tenant, and enters one for tenant work. */
export interface SystemTx extends Tx {
  readonly tenantId?: undefined;
  /**
   * Runs `work` inside this very transaction with the rights of one tenant. What it publishes of blocks up to `finalUpTo` waits for no
   * release.
   */
  forTenant<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>, finalUpTo?: number): Promise<T>;
}

export interface OutboxMessage {
  readonly topic: Topic;
  /** Same key = same fact, published once for ever: (topic, chain, transaction, log, token) for facts of the chain. */
  readonly key: string;
  readonly occurredAt: Date;
  /** Becomes `data` of the webhook body; serialised here, once, and sent byte for byte. `eventId`, `mintEventId`, `txHash`: whose trace goes on. */
  readonly data: object;
  /** Facts of the chain wait in the outbox until their block is final and vanish with it in a reorg. */
  readonly block?: { readonly chainId: number; readonly number: number };
}

export abstract class UnitOfWork {
  /** One transaction with the rights of one tenant: committed when `work` resolves, rolled back when it rejects. Serialization failures are tried again, so `work` must be repeatable. */
  abstract inTransaction<T>(scope: TenantScope, work: (tx: TenantTx) => Promise<T>): Promise<T>;
  /** Like `inTransaction`, for reads alone: all of them see the same moment, so that a page and its total agree. */
  abstract inSnapshot<T>(scope: TenantScope, work: (tx: SnapshotTx) => Promise<T>): Promise<T>;
  abstract asSystem<T>(work: (tx: SystemTx) => Promise<T>): Promise<T>;
}

/** What one context brings to the database: its schema, its forward-only `.sql` migrations and its mappings. */
export interface ContextPersistence {
  readonly schema: string;
  readonly migrations: URL;
  readonly entities: readonly EntitySchema[];
}
