import { DataSource } from 'typeorm';
import { EngineUnavailable } from '#kernel';
import type { Pool } from 'pg';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { DatabaseUnusable, describeEndpoint, type PostgresEndpoint } from './endpoint.js';
import { checkLogin } from './roles.js';
import type { ContextPersistence } from '../unit-of-work/tx.js';

export interface DatabaseOptions {
  /** Maximum number of connections; default 10. */
  readonly poolSize?: number;
  /** After this time without an answer the database counts as unavailable; default 10 s. */
  readonly timeoutMs?: number;
  /** Shown in pg_stat_activity; default "trace". */
  readonly applicationName?: string;
  /** In production a superuser or BYPASSRLS login is refused, otherwise warned about. Default development. */
  readonly mode?: 'development' | 'production';
  readonly warn?: (sentence: string) => void;
}

/** Opens a connection pool with the contexts' mappings and checks the login. The caller destroys it. @throws DatabaseUnusable, LoginTooPowerful, RolesMissing */
export async function openDatabase(
  endpoint: PostgresEndpoint,
  contexts: readonly ContextPersistence[],
  options: DatabaseOptions = {},
): Promise<DataSource> {
  const { timeoutMs = 10_000 } = options;
  const warn = options.warn ?? ((sentence) => process.emitWarning(sentence, 'DatabaseWarning'));
  const dataSource = await new DataSource({
    type: 'postgres',
    host: endpoint.host,
    port: endpoint.port,
    username: endpoint.user,
    ...(endpoint.password !== undefined && { password: endpoint.password }),
    ...(endpoint.ssl !== undefined && { ssl: endpoint.ssl as true }),
    database: endpoint.database,
    entities: contexts.flatMap((context) => [...context.entities]),
    poolSize: options.poolSize ?? 10,
    applicationName: options.applicationName ?? 'trace',
    // Also limits the wait for a free connection: with a blocked pool, requests get a 503 instead of waiting forever.
    connectTimeoutMS: Math.max(5_000, timeoutMs / 2),
    // No `create extension`: ids are made in code, and the login has no right to create one.
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    // The pool replaces an idle connection that lost its server; without a handler the error would end the process.
    poolErrorHandler: (error: Error) => warn(`a database connection was lost: ${error.message} (${describeEndpoint(endpoint)})`),
    extra: { keepAlive: true, query_timeout: timeoutMs },
  })
    .initialize()
    .catch((error: unknown) => {
      throw new DatabaseUnusable(endpoint, error);
    });
  try {
    await checkLogin((text, parameters) => dataSource.query(text, parameters), options.mode ?? 'development', warn);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

const TIMEOUT_MS = 2_000;

export interface PoolUse {
  /** Connections: the maximum, the open ones, and the open ones that are idle. */
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  /** Transactions that wait for a connection. */
  readonly waiting: number;
}

export function poolUse(dataSource: DataSource): PoolUse {
  const { options, totalCount, idleCount, waitingCount } = (dataSource.driver as PostgresDriver).master as Pool;
  return { size: options.max, open: totalCount, idle: idleCount, waiting: waitingCount };
}

/** In the catalogue: the login may read no table outside of a transaction. */
const HAS_TABLES = `
  select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = 'persistence' and c.relname = 'outbox') as tables`;

/** Whether the database answers quickly enough for a health probe. */
export class DatabaseHealth {
  constructor(private readonly dataSource: DataSource) {}

  get pool(): PoolUse {
    return poolUse(this.dataSource);
  }

  /** @throws EngineUnavailable('database') when it refuses, does not answer within two seconds or is empty */
  async check(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    });
    try {
      const [found] = await Promise.race([this.dataSource.query<{ tables: boolean }[]>(HAS_TABLES), timeout]);
      if (!found!.tables) throw new Error('it has no tables of the service: it is being restored, or another database is in its place');
    } catch (error) {
      throw new EngineUnavailable('database', error);
    } finally {
      clearTimeout(timer);
    }
  }
}
