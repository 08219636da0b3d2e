import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { EngineUnavailable, isUuid, newId, type TenantScope } from '#kernel';
import { inStep, tracingIsOn } from '#tracing';
import type { ClientBase, QueryResultRow } from 'pg';
import type { DataSource, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { arrayParameter, type Item, type ItemType } from './array-parameter.js';
import { type PoolUse, poolUse } from './database-health.js';
import { OUTBOX_CHANNEL } from './outbox.js';
import { leaveTrace, publishSpans } from './trace-origins.js';
import { POSTGRESQL, traceRunner, tracedStatement } from './traced-statements.js';
import { type OutboxMessage, type SnapshotTx, type SystemTx, type TenantTx, type Tx, UnitOfWork } from './unit-of-work.js';

const MAX_TRIES = 4;
/** serialization_failure, deadlock_detected: the other transaction won, ours starts over. */
const TRY_AGAIN = new Set(['40001', '40P01']);
/** Class 08 connection exceptions, 53 out of resources, 57P0x shutdown, 25006 a standby, and the driver's own socket errors. */
const AWAY = /^(08|53|57P0|25006|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** What the driver and TypeORM say without a code; TypeORM releases a runner by itself when its connection is lost. */
const AWAY_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Driver not Connected|Query runner already released|Cannot use a pool after calling end/i;

export class TypeOrmUnitOfWork extends UnitOfWork {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override inTransaction<T>(scope: TenantScope, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return this.run<T, OpenTenantTx>(asTenant(scope.tenantId), (runner) => new OpenTenantTx(runner, scope.tenantId), work);
  }

  override inSnapshot<T>({ tenantId }: TenantScope, work: (tx: SnapshotTx) => Promise<T>): Promise<T> {
    const rights = asTenant(tenantId);
    const beside: Beside = <R>(moment: string, aside: (tx: TenantTx) => Promise<R>) => {
      // Others come first: a request that holds a connection never waits for another one.
      if (!hasPlenty(poolUse(this.dataSource))) return null;
      const enter = `${ONE_MOMENT}; set transaction snapshot '${moment}'; ${rights}`;
      return this.once<R, OpenTenantTx>(enter, (runner) => new OpenTenantTx(runner, tenantId), aside);
    };
    return this.run<T, OpenSnapshotTx>(`${ONE_MOMENT}; ${rights}`, (runner) => new OpenSnapshotTx(runner, tenantId, beside), work);
  }

  override asSystem<T>(work: (tx: SystemTx) => Promise<T>): Promise<T> {
    return this.run<T, OpenSystemTx>(AS_SYSTEM, (runner) => new OpenSystemTx(runner), work);
  }

  private run<T, Open extends OpenTx>(enter: string, open: (runner: QueryRunner) => Open, work: (tx: Open) => Promise<T>): Promise<T> {
    return inStep('transaction', POSTGRESQL, () => this.tried(enter, open, work));
  }

  private async tried<T, Open extends OpenTx>(
    enter: string,
    open: (runner: QueryRunner) => Open,
    work: (tx: Open) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.once(enter, open, work);
      } catch (error) {
        if (isStalePlan(error)) forgetStatements();
        if (tries === MAX_TRIES || !(isStalePlan(error) || TRY_AGAIN.has(sqlState(error))))
          throw isDatabaseAway(error) ? new EngineUnavailable('database', error) : error;
        // Apart from each other, or the same two would meet again.
        await wait(Math.random() * 10 * 2 ** tries);
      }
    }
  }

  private async once<T, Open extends OpenTx>(
    enter: string,
    open: (runner: QueryRunner) => Open,
    work: (tx: Open) => Promise<T>,
  ): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    traceRunner(runner);
    const tx = open(runner);
    let broken: Error | undefined;
    try {
      await begin(runner, enter);
      const result = await work(tx);
      tx.end();
      await runner.commitTransaction();
      return result;
    } catch (error) {
      tx.end();
      // A statement that is not waited for any more still runs, with its transaction open: no rollback comes through behind it.
      if (isDatabaseAway(error)) broken = error as Error;
      else await runner.rollbackTransaction().catch((failed: Error) => (broken = failed));
      throw error;
    } finally {
      // Handed on as it is, the connection would have the next one commit half of this: its pool closes it instead.
      await (runner as unknown as Releasable).releasePostgresConnection(broken).catch(() => undefined);
    }
  }
}

/** Null where no connection is to be had for it. @param moment as `pg_export_snapshot` names it, of a transaction that stays open */
type Beside = <T>(moment: string, work: (tx: TenantTx) => Promise<T>) => Promise<T> | null;

const hasPlenty = ({ size, open, idle, waiting }: PoolUse): boolean => waiting === 0 && size - open + idle >= size / 2;

/** TypeORM's `release` with the pool's own way to say that a connection is not to be used again. */
interface Releasable {
  releasePostgresConnection(broken?: Error): Promise<void>;
}

/**
 * Begins and takes on the rights in one exchange instead of two; a short transaction is mostly exchanges. The two fields are
 * what TypeORM's own `startTransaction` sets, and what its commit, rollback and `save` look at.
 */
async function begin(runner: QueryRunner, enter: string): Promise<void> {
  Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
  await runner.query(`start transaction; ${enter}`);
}

const ONE_MOMENT = 'set transaction isolation level repeatable read, read only';
const AS_SYSTEM = 'set local role trace_system';

function asTenant(tenantId: string): string {
  if (!isUuid(tenantId)) throw new TypeError('a tenant id is a UUID');
  return `set local role trace_tenant; set local app.tenant_id = '${tenantId}'`;
}

/** Refuses work after its end: a kept `tx` would run with whatever rights the connection has by then. */
class OpenTx implements Tx {
  private ended = false;
  /** Of the statement before: a connection runs one at a time. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly runner: QueryRunner) {}

  /** Past TypeORM to its connection: named statements are parsed and planned once a connection, not once a request. */
  sql<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return tracingIsOn() ? tracedStatement(text, () => this.send<Row>(text, parameters)) : this.send<Row>(text, parameters);
  }

  private send<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]> {
    const name = parameters.length > 0 ? statementName(text) : undefined;
    this.mustBeOpen();
    const answer = this.turn.then(async () => {
      // Asked again: it may have ended while this waited.
      const client = (await this.connection.connect()) as ClientBase;
      return client.query<QueryResultRow>({ name, text, values: parameters as unknown[] });
    });
    this.turn = answer.catch(() => undefined);
    return answer.then(({ rows }) => rows as Row[]);
  }

  async overlapping(writes: readonly (() => Promise<unknown>)[]): Promise<void> {
    const running: Promise<unknown>[] = [];
    for (const write of writes) {
      const before = this.turn;
      const begun = (async () => write())();
      // It is told of below; until then it is nobody's.
      begun.catch(() => undefined);
      running.push(begun);
      // Nothing to write, nothing to wait for: of a block at the head most writes are empty.
      if (this.turn !== before) await this.sent();
    }
    // All of them, or a rollback would overtake the others.
    const failed = (await Promise.allSettled(running)).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** What was begun is on its way: with the process busy, the rest of a large statement would lie here and the database wait for it. */
  private async sent(): Promise<void> {
    const { connection } = (await this.connection.connect()) as { connection: { stream: Writable } };
    await nextTurn();
    if (connection.stream.writableNeedDrain) await drained(connection.stream);
  }

  repository<E extends ObjectLiteral>(type: abstract new (...args: never[]) => E): Repository<E> {
    return this.connection.manager.getRepository(type);
  }

  end(): void {
    this.ended = true;
  }

  protected get connection(): QueryRunner {
    this.mustBeOpen();
    return this.runner;
  }

  protected mustBeOpen(): void {
    if (this.ended) throw new Error('this transaction has ended: await all of its work inside of it');
  }
}

/** Or lost: the statement itself tells of it. */
async function drained(stream: Writable): Promise<void> {
  const enough = new AbortController();
  const { signal } = enough;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => undefined);
  enough.abort();
}

const MAX_STATEMENTS = 500;
const statementNames = new Map<string, string>();
let statementsMade = 0;

/** Undefined, a statement without a name, for texts that are made up as they come: each connection keeps what is named. */
function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known || statementNames.size >= MAX_STATEMENTS) return known;
  const name = `trace_${++statementsMade}`;
  statementNames.set(text, name);
  return name;
}

/** After a migration under way a statement may give other columns than when it was named: it is named anew. */
const forgetStatements = (): void => statementNames.clear();
const isStalePlan = (error: unknown): boolean => sqlState(error) === '0A000' && /cached plan/.test(String((error as Error).message));

class OpenTenantTx extends OpenTx implements TenantTx {
  constructor(
    runner: QueryRunner,
    readonly tenantId: string,
    private readonly finalUpTo = -1,
  ) {
    super(runner);
  }

  async publish(messages: readonly OutboxMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const column = (type: ItemType, of: (message: OutboxMessage) => Item): Buffer => arrayParameter(type, messages.map(of));
    const traces = tracingIsOn() ? await publishSpans(this, this.tenantId, messages) : null;
    await this.sql(traces ? PUBLISH_TRACED : PUBLISH, [
      this.tenantId,
      column('uuid', newId),
      column('text', (m) => m.topic),
      column('text', (m) => m.key),
      column('text', (m) => JSON.stringify({ event: m.topic, timestamp: m.occurredAt.toISOString(), data: m.data })),
      column('bigint', (m) => m.block?.chainId),
      column('bigint', (m) => m.block?.number),
      this.finalUpTo,
      ...(traces ? [arrayParameter('text', traces)] : []),
    ]);
  }

  leaveTrace(keys: readonly string[]): Promise<void> {
    return tracingIsOn() ? leaveTrace(this, this.tenantId, keys) : Promise.resolve();
  }
}

class OpenSnapshotTx extends OpenTenantTx implements SnapshotTx {
  constructor(
    runner: QueryRunner,
    tenantId: string,
    private readonly beside: Beside,
  ) {
    super(runner, tenantId);
  }

  async aside<T>(work: (tx: TenantTx) => Promise<T>): Promise<T> {
    const [row] = await this.sql<{ moment: string }>('select pg_export_snapshot() as moment');
    return this.beside(row!.moment, work) ?? work(this);
  }
}

/** The rows of an `unnest` come, and take their `seq`, in its order: a sort of so many bodies would go to disk. */
const publish = (traced: boolean): string => `
  with published as (
    insert into persistence.outbox (id, tenant_id, topic, dedup_key, body, chain_id, block_number, released${traced ? ', traceparent' : ''})
    select m.id, $1, m.topic, m.dedup_key, m.body, m.chain_id, m.block_number, m.block_number is null or m.block_number <= $8${traced ? ', m.traceparent' : ''}
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]${traced ? ', $9::text[]' : ''})
         as m(id, topic, dedup_key, body, chain_id, block_number${traced ? ', traceparent' : ''})
    on conflict (tenant_id, dedup_key) do nothing
    returning released
  )
  select pg_notify('${OUTBOX_CHANNEL}', '') where exists (select from published where released)`;
const PUBLISH = publish(false);
const PUBLISH_TRACED = publish(true);

class OpenSystemTx extends OpenTx implements SystemTx {
  private entered = false;

  async forTenant<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>, finalUpTo?: number): Promise<T> {
    // Two at once on one connection would run with each other's rights.
    if (this.entered) throw new Error('one tenant at a time: await forTenant before entering the next tenant');
    const connection = this.connection;
    this.entered = true;
    const tx = new OpenTenantTx(connection, tenantId, finalUpTo);
    try {
      await connection.query(asTenant(tenantId));
      return await work(tx);
    } finally {
      tx.end();
      this.entered = false;
      // After a refused statement the transaction takes no more; it is rolled back, and the roles with it.
      await connection.query(`${AS_SYSTEM}; set local app.tenant_id = ''`).catch(() => undefined);
    }
  }

  protected override mustBeOpen(): void {
    if (this.entered) throw new Error("use the tenant's own tx inside forTenant");
    super.mustBeOpen();
  }
}

function sqlState(error: unknown): string {
  const { code } = ((error as { driverError?: unknown } | null)?.driverError ?? error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** A database that is stopping, starting, full or gone, as opposed to one that refused a statement. */
export function isDatabaseAway(error: unknown): boolean {
  return AWAY.test(sqlState(error)) || (error instanceof Error && AWAY_WORDS.test(error.message));
}
