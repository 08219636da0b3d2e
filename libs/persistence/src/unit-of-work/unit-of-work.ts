import { setTimeout as wait } from 'node:timers/promises';
import { EngineUnavailable, type TenantScope, WriteWatch } from '#kernel';
import { inChildSpan } from '#tracing';
import type { DataSource, QueryRunner } from 'typeorm';
import { type PoolUse, poolUse } from '../connection/database.js';
import type { DatabaseClock } from '../connection/database-clock.js';
import { DatabaseUnusable } from '../connection/endpoint.js';
import { requireReadWrite, tryWrite } from '../connection/write-check.js';
import { type Statement, StatementSkipped } from './exchange.js';
import {
  type Line,
  OpenSnapshotTx,
  OpenSystemTx,
  OpenTenantTx,
  type OpenTx,
  type SecondConnection,
  asSystem,
  asTenant,
} from './open-tx.js';
import { fixedStatement, forgetStatements } from './statement-names.js';
import { StatementQueue } from './statement-queue.js';
import { POSTGRESQL, addStatementSpans, withStatementSpan } from './statement-spans.js';
import type { SnapshotTx, SystemTx, TenantTx } from './tx.js';

const MAX_TRIES = 4;
/** serialization_failure, deadlock_detected: the other transaction won, this one starts again. */
const RETRYABLE = new Set(['40001', '40P01']);
/** Class 08 connection exceptions, 53 out of resources, 57P0x shutdown, 25006 a standby, and the driver's own socket errors. */
const UNAVAILABLE = /^(08|53|57P0|25006|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** The login is refused, or what every start has checked is gone: somebody replaces the database under the running process. */
const REPLACED = /^(28|3D000|3F000|42P01)/;
/** Messages of the driver and TypeORM that have no code; TypeORM releases a runner by itself when its connection is lost. */
const UNAVAILABLE_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Driver not Connected|Query runner already released|Cannot use a pool after calling end/i;

/** disk_full, read_only_sql_transaction, io_error: reads may work all the same. */
const TAKES_NO_WRITES = new Set(['53100', '25006', '58030']);
/** Opens transactions on the pool. It is the only way to a table. */
export class UnitOfWork {
  private readonly writes = new WriteWatch();

  /**
   * @param clock read on the way, where one is given
   * @param named false for unnamed statements: behind a pooler, the next transaction has another connection
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock?: DatabaseClock,
    private readonly named = true,
  ) {}

  /**
   * One transaction with the rights of one tenant: committed when `work` resolves, rolled back when it rejects. Serialization failures are
   * retried, so `work` must be repeatable.
   */
  inTransaction<T>({ tenantId }: TenantScope, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return this.run({ enter: [BEGIN, asTenant(tenantId)], open: (line: Line) => new OpenTenantTx(line, tenantId) }, work);
  }

  /** Like `inTransaction`, for reads only: all of them see the same snapshot, so that a page and its total are consistent. */
  inSnapshot<T>({ tenantId }: TenantScope, work: (tx: SnapshotTx) => Promise<T>): Promise<T> {
    const rights = asTenant(tenantId);
    const second: SecondConnection = <R>(snapshot: string, parallel: (tx: TenantTx) => Promise<R>) => {
      // Other requests come first: a request that has a connection never waits for another one.
      if (!hasSpareConnections(poolUse(this.dataSource))) return null;
      const enter = [BEGIN_SNAPSHOT, { text: `set transaction snapshot '${snapshot}'`, values: [] }, rights];
      return this.once({ enter, open: (line: Line) => new OpenTenantTx(line, tenantId) }, parallel);
    };
    return this.run({ enter: [BEGIN_SNAPSHOT, rights], open: (line: Line) => new OpenSnapshotTx(line, tenantId, second) }, work);
  }

  /**
   * A snapshot in one exchange with the database: rights, statements and end are sent together. `plan` must start all of its statements
   * before it awaits one, and uses no repository. What a statement needs of another's answer, it joins.
   */
  read<T>({ tenantId }: TenantScope, plan: (tx: TenantTx) => Promise<T>): Promise<T> {
    const enter = [BEGIN_SNAPSHOT, asTenant(tenantId)];
    return this.run({ enter, open: (line: Line) => new OpenTenantTx(line, tenantId), once: 'read' }, plan);
  }

  /**
   * A transaction in one exchange, its end included: for writes whose statements are all known beforehand. It is committed when all of them
   * ran: what `plan` throws later takes nothing back. Otherwise like `inTransaction`; `plan` starts its statements like that of `read`.
   */
  write<T>({ tenantId }: TenantScope, plan: (tx: TenantTx) => Promise<T>): Promise<T> {
    return this.run({ enter: [asTenant(tenantId)], open: (line: Line) => new OpenTenantTx(line, tenantId), once: 'write' }, plan);
  }

  asSystem<T>(work: (tx: SystemTx) => Promise<T>): Promise<T> {
    return this.run({ enter: [BEGIN, asSystem()], open: (line: Line) => new OpenSystemTx(line) }, work);
  }

  /** Like `read`, over all tenants. */
  readAsSystem<T>(plan: (tx: SystemTx) => Promise<T>): Promise<T> {
    return this.run({ enter: [BEGIN_SNAPSHOT, asSystem()], open: (line: Line) => new OpenSystemTx(line), once: 'read' }, plan);
  }

  /** Like `write`, over all tenants. */
  writeAsSystem<T>(plan: (tx: SystemTx) => Promise<T>): Promise<T> {
    return this.run({ enter: [asSystem()], open: (line: Line) => new OpenSystemTx(line), once: 'write' }, plan);
  }

  /**
   * Whether the database takes writes, as far as this process knows: it may be read-only, or its disk full, while reads are answered.
   * @throws EngineUnavailable('database')
   */
  async checkWrites(): Promise<void> {
    try {
      const query = <Row>(text: string): Promise<Row[]> => this.dataSource.query<Row[]>(text);
      await requireReadWrite(query);
      await this.writes.check(() => tryWrite(query));
    } catch (error) {
      throw new EngineUnavailable('database', error);
    }
  }

  private run<T, Open extends OpenTx>(kind: Kind<Open>, work: (tx: Open) => Promise<T>): Promise<T> {
    return inChildSpan('transaction', POSTGRESQL, () => this.withRetries(kind, work));
  }

  private async withRetries<T, Open extends OpenTx>(kind: Kind<Open>, work: (tx: Open) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.once(kind, work);
      } catch (error) {
        if (isStalePlan(error)) forgetStatements();
        if (TAKES_NO_WRITES.has(sqlState(error))) this.writes.failed(error);
        if (tries === MAX_TRIES || !(isStalePlan(error) || RETRYABLE.has(sqlState(error))))
          throw isUnavailable(error) ? new EngineUnavailable('database', error) : error;
        // A random pause, or the same two transactions would conflict again.
        await wait(Math.random() * 10 * 2 ** tries);
      }
    }
  }

  private async once<T, Open extends OpenTx>({ enter, open, once }: Kind<Open>, work: (tx: Open) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const queue = new StatementQueue(runner, enter, { once, named: this.named });
    putBehind(queue, runner);
    const tx = open({ runner, queue });
    let broken: Error | undefined;
    try {
      if (this.clock?.isDue && !once) await this.readClock(queue, runner);
      const result = await work(tx);
      tx.end();
      await withStatementSpan('commit', () => queue.commit());
      return result;
    } catch (failed) {
      tx.end();
      // A statement behind the one that failed says nothing of its own.
      const error: unknown = failed instanceof StatementSkipped ? failed.cause : failed;
      // After a timeout the statement still runs on this connection, so a rollback could not be sent before it ends.
      if (isDatabaseAway(error)) broken = error as Error;
      else await queue.rollback().catch((lost: Error) => (broken = lost));
      throw error;
    } finally {
      // A broken connection is closed by the pool. If it were used again, the next transaction would commit half of this one.
      await (runner as unknown as PoolRunner).releasePostgresConnection(broken).catch(() => undefined);
    }
  }

  /** On a connection that is open, in a transaction that has begun: neither may count as the way of the answer. */
  private async readClock(queue: StatementQueue, runner: QueryRunner): Promise<void> {
    await queue.run(() => Promise.resolve());
    await this.clock!.read((text) => runner.query(text));
  }
}

/** One kind of transaction: how it begins, and what its work gets. */
interface Kind<Open extends OpenTx> {
  readonly enter: readonly Statement[];
  readonly open: (line: Line) => Open;
  /** In one exchange, its end included. */
  readonly once?: 'read' | 'write';
}

const BEGIN = fixedStatement('start transaction');
const BEGIN_SNAPSHOT = fixedStatement('start transaction isolation level repeatable read, read only');

const hasSpareConnections = ({ size, open, idle, waiting }: PoolUse): boolean => waiting === 0 && size - open + idle >= size / 2;

/** TypeORM's `release` with the pool's own way to say that a connection must not be used again. */
interface PoolRunner {
  releasePostgresConnection(broken?: Error): Promise<void>;
}

/**
 * Statements of TypeORM run in the transaction, after what was started before them. The two fields are the ones that its own
 * `startTransaction` sets and that its `save` reads.
 */
function putBehind(queue: StatementQueue, runner: QueryRunner): void {
  addStatementSpans(runner);
  const query = runner.query.bind(runner) as (text: string, ...rest: unknown[]) => Promise<unknown>;
  Object.assign(runner, {
    isTransactionActive: true,
    transactionDepth: 1,
    query: (text: string, ...rest: unknown[]) => queue.run(() => query(text, ...rest)),
  });
}

/** After a migration at run time, a named statement may return other columns than before: it needs a new name. */
const isStalePlan = (error: unknown): boolean => sqlState(error) === '0A000' && /cached plan/.test(String((error as Error).message));

function sqlState(error: unknown): string {
  const { code } = ((error as { driverError?: unknown } | null)?.driverError ?? error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** True for a database that is stopping, starting, full or gone; false for one that refused a statement. */
export function isDatabaseAway(error: unknown): boolean {
  // While the pool opens, an error has a sentence for operators around it.
  const given: unknown = error instanceof DatabaseUnusable ? error.cause : error;
  return UNAVAILABLE.test(sqlState(given)) || (given instanceof Error && UNAVAILABLE_MESSAGE.test(given.message));
}

/** Of a process that has started: what refuses it now did not refuse it then. */
export const isUnavailable = (error: unknown): boolean => isDatabaseAway(error) || REPLACED.test(sqlState(error));
