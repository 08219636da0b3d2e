import { EngineUnavailable, isUuid, newId, type TenantScope } from '#kernel';
import type { DataSource, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { type OutboxMessage, type SystemTx, type TenantTx, type Tx, UnitOfWork } from './unit-of-work.js';

const MAX_TRIES = 4;
/** serialization_failure, deadlock_detected: the other transaction won, ours starts over. */
const TRY_AGAIN = new Set(['40001', '40P01']);
/** Class 08 connection exceptions, 57P0x shutdown, 53300 too many connections, and the driver's own socket errors. */
const AWAY = /^(08|57P0|53300|ECONN|ENOENT|EPIPE|ETIMEDOUT)/;

export class TypeOrmUnitOfWork extends UnitOfWork {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override inTransaction<T>(scope: TenantScope, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return this.run(asTenant(scope.tenantId), (runner) => work(new OpenTenantTx(runner, scope.tenantId)));
  }

  override asSystem<T>(work: (tx: SystemTx) => Promise<T>): Promise<T> {
    return this.run(AS_SYSTEM, (runner) => work(new OpenSystemTx(runner)));
  }

  private async run<T>(enter: string, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const runner = this.dataSource.createQueryRunner();
      try {
        await runner.startTransaction();
        await runner.query(enter);
        const result = await work(runner);
        await runner.commitTransaction();
        return result;
      } catch (error) {
        await runner.rollbackTransaction().catch(() => undefined);
        if (tries < MAX_TRIES && TRY_AGAIN.has(sqlState(error))) continue;
        throw isAway(error) ? new EngineUnavailable('database', error) : error;
      } finally {
        await runner.release().catch(() => undefined);
      }
    }
  }
}

const AS_SYSTEM = 'set local role trace_system';

function asTenant(tenantId: string): string {
  if (!isUuid(tenantId)) throw new TypeError('a tenant id is a UUID');
  return `set local role trace_tenant; set local app.tenant_id = '${tenantId}'`;
}

class OpenTx implements Tx {
  constructor(protected readonly runner: QueryRunner) {}

  sql<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.runner.query(text, parameters as unknown[], true).then((result) => result.records as Row[]);
  }

  repository<E extends ObjectLiteral>(type: abstract new (...args: never[]) => E): Repository<E> {
    return this.runner.manager.getRepository(type);
  }
}

class OpenTenantTx extends OpenTx implements TenantTx {
  constructor(
    runner: QueryRunner,
    readonly tenantId: string,
  ) {
    super(runner);
  }

  async publish(messages: readonly OutboxMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const column = <T>(of: (message: OutboxMessage) => T): T[] => messages.map(of);
    await this.sql(
      `insert into persistence.outbox (id, tenant_id, topic, dedup_key, body, chain_id, block_number, released)
       select m.id, $1, m.topic, m.dedup_key, m.body, m.chain_id, m.block_number, m.block_number is null
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
            as m(id, topic, dedup_key, body, chain_id, block_number)
       on conflict (dedup_key) do nothing`,
      [
        this.tenantId,
        column(newId),
        column((m) => m.topic),
        column((m) => m.key),
        column((m) => JSON.stringify({ event: m.topic, timestamp: m.occurredAt.toISOString(), data: m.data })),
        column((m) => m.block?.chainId ?? null),
        column((m) => m.block?.number ?? null),
      ],
    );
  }
}

class OpenSystemTx extends OpenTx implements SystemTx {
  async forTenant<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    await this.runner.query(asTenant(tenantId));
    const result = await work(new OpenTenantTx(this.runner, tenantId));
    await this.runner.query(`${AS_SYSTEM}; set local app.tenant_id = ''`);
    return result;
  }
}

function sqlState(error: unknown): string {
  const { code } = ((error as { driverError?: unknown }).driverError ?? error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** A database that is stopping, starting or gone, as opposed to one that refused a statement. */
function isAway(error: unknown): boolean {
  return (
    AWAY.test(sqlState(error)) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Driver not Connected/i.test(
      (error as Error).message,
    )
  );
}
