import { isUuid, newId, type TopicMessage } from '#kernel';
import { tracingIsOn } from '#tracing';
import type { ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { keyHash } from '../outbox/key-hash.js';
import { OUTBOX_CHANNEL, publishSpans, rememberSpan } from '../outbox/outbox.js';
import { SYSTEM_ROLE, TENANT_ROLE } from '../connection/roles.js';
import { arrayParameter, type Item, type ItemType } from './array-parameter.js';
import type { Statement } from './exchange.js';
import { rowsOf } from './mapped-rows.js';
import { fixedStatement, statementOf } from './statement-names.js';
import type { StatementQueue } from './statement-queue.js';
import { withStatementSpan } from './statement-spans.js';
import type { SnapshotTx, SystemTx, TenantTx, Tx } from './tx.js';

/** Both end with the transaction. Its plans of row-level security are those of the role. */
const rights = (role: string, tenantId: string): Statement =>
  fixedStatement(`select set_config('role', $1, true), set_config('app.tenant_id', $2, true)`, [role, tenantId]);

export const asSystem = (): Statement => rights(SYSTEM_ROLE, '');

export function asTenant(tenantId: string): Statement {
  if (!isUuid(tenantId)) throw new TypeError('a tenant id must be a UUID');
  return rights(TENANT_ROLE, tenantId);
}

/** Where the statements of a transaction go. */
export interface Line {
  readonly runner: QueryRunner;
  readonly queue: StatementQueue;
}

/** Refuses work after its end: a `tx` that is kept would run with the rights that the connection has by then. */
export class OpenTx implements Tx {
  private ended = false;
  private readonly stillOpen = (): void => this.mustBeOpen();

  constructor(protected readonly line: Line) {}

  sql<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return tracingIsOn() ? withStatementSpan(text, () => this.send<Row>(text, parameters)) : this.send<Row>(text, parameters);
  }

  async find<E extends ObjectLiteral>(
    type: abstract new (...args: never[]) => E,
    from: string,
    parameters: readonly unknown[],
  ): Promise<E[]> {
    const { columns, read } = rowsOf(this.line.runner.connection, type);
    const rows = await this.sql<ObjectLiteral>(`select ${columns} from ${from}`, parameters);
    return rows.map(read);
  }

  private send<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.mustBeOpen();
    return this.line.queue.add<Row>(statementOf(text, parameters), this.stillOpen);
  }

  async pipelined(writes: readonly (() => Promise<unknown>)[]): Promise<void> {
    const running: Promise<unknown>[] = [];
    for (const write of writes) {
      const started = (async () => write())();
      // A rejection is reported below; until then it must not count as unhandled.
      started.catch(() => undefined);
      running.push(started);
      // A write without rows sends nothing: for a block at the head most of them are empty.
      if (!this.line.queue.isEmpty) await this.line.queue.flush();
    }
    // Waits for all of them, or a rollback would be sent before the others.
    const failed = (await Promise.allSettled(running)).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  repository<E extends ObjectLiteral>(type: abstract new (...args: never[]) => E): Repository<E> {
    this.mustBeOpen();
    return this.line.runner.manager.getRepository(type);
  }

  end(): void {
    this.ended = true;
  }

  protected mustBeOpen(): void {
    if (this.ended) throw new Error('this transaction has ended: await all of its work inside of it');
  }
}

export class OpenTenantTx extends OpenTx implements TenantTx {
  constructor(
    line: Line,
    readonly tenantId: string,
    private readonly finalUpTo = -1,
  ) {
    super(line);
  }

  async publish(messages: readonly TopicMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const column = (type: ItemType, of: (message: TopicMessage) => Item): Buffer => arrayParameter(type, messages.map(of));
    const spans = tracingIsOn() ? await publishSpans(this, this.tenantId, messages) : null;
    await this.sql(spans ? PUBLISH_WITH_SPANS : PUBLISH, [
      this.tenantId,
      column('uuid', newId),
      column('text', (m) => m.topic),
      column('text', (m) => m.key),
      column('text', (m) => JSON.stringify({ event: m.topic, timestamp: m.occurredAt.toISOString(), data: m.data })),
      column('bigint', (m) => m.block?.chainId),
      column('bigint', (m) => m.block?.number),
      this.finalUpTo,
      ...(spans ? [arrayParameter('text', spans)] : []),
    ]);
  }

  rememberSpan(keys: readonly string[]): Promise<void> {
    return tracingIsOn() ? rememberSpan(this, this.tenantId, keys) : Promise.resolve();
  }
}

/** Null when no connection is available. @param snapshot from `pg_export_snapshot` of a transaction that stays open */
export type SecondConnection = <T>(snapshot: string, work: (tx: TenantTx) => Promise<T>) => Promise<T> | null;

export class OpenSnapshotTx extends OpenTenantTx implements SnapshotTx {
  constructor(
    line: Line,
    tenantId: string,
    private readonly second: SecondConnection,
  ) {
    super(line, tenantId);
  }

  async onSecondConnection<T>(work: (tx: TenantTx) => Promise<T>): Promise<T> {
    const [row] = await this.sql<{ snapshot: string }>('select pg_export_snapshot() as snapshot');
    return this.second(row!.snapshot, work) ?? work(this);
  }
}

/**
 * The rows of an `unnest` get their `seq` in its order; sorting so many bodies would use the disk. A subquery with a value is asked for each
 * row, while an `exists` becomes a join, which has an order of its own.
 */
const publish = (traced: boolean): string => `
  with published as (
    insert into persistence.outbox (id, tenant_id, topic, dedup_key, body, chain_id, block_number, released${traced ? ', traceparent' : ''})
    select m.id, $1, m.topic, m.dedup_key, m.body, m.chain_id, m.block_number, m.block_number is null or m.block_number <= $8${traced ? ', m.traceparent' : ''}
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]${traced ? ', $9::text[]' : ''})
         as m(id, topic, dedup_key, body, chain_id, block_number${traced ? ', traceparent' : ''})
    where (select k.hash from persistence.outbox_key k where k.tenant_id = $1 and k.hash = ${keyHash('m.dedup_key')}) is null
    on conflict (tenant_id, dedup_key) do nothing
    returning released
  )
  select pg_notify('${OUTBOX_CHANNEL}', '') where exists (select from published where released)`;
const PUBLISH = publish(false);
const PUBLISH_WITH_SPANS = publish(true);

export class OpenSystemTx extends OpenTx implements SystemTx {
  private entered = false;

  async forTenant<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>, finalUpTo?: number): Promise<T> {
    // Two tenants at once on one connection would run with each other's rights.
    if (this.entered) throw new Error('one tenant at a time: await forTenant before entering the next tenant');
    this.mustBeOpen();
    const { queue } = this.line;
    const entered = queue.add(asTenant(tenantId));
    this.entered = true;
    const tx = new OpenTenantTx(this.line, tenantId, finalUpTo);
    try {
      const [result] = await Promise.all([work(tx), entered]);
      return result;
    } finally {
      tx.end();
      this.entered = false;
      // After a failed statement the transaction accepts no more; its rollback resets the role too.
      queue.add(asSystem()).catch(() => undefined);
    }
  }

  protected override mustBeOpen(): void {
    if (this.entered) throw new Error("use the tenant's own tx inside forTenant");
    super.mustBeOpen();
  }
}
