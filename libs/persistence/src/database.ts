import { DataSource } from 'typeorm';
import { describeEndpoint, type PostgresEndpoint } from './endpoint.js';
import { checkLogin } from './roles.js';
import type { ContextPersistence } from './unit-of-work.js';

export interface DatabaseOptions {
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /** A statement without an answer for so long counts as a database that is away; default 10 s. */
  readonly timeoutMs?: number;
  /** Shown in pg_stat_activity; default "trace". */
  readonly applicationName?: string;
  /** In production a superuser or BYPASSRLS login is refused, otherwise warned about. Default development. */
  readonly mode?: 'development' | 'production';
  readonly warn?: (sentence: string) => void;
}

/** An open, checked pool with the contexts' mappings. The caller destroys it. @throws LoginTooPowerful, RolesMissing */
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
    // Also bounds the wait for a free connection, so that a stuck pool answers 503 instead of queueing for ever.
    connectTimeoutMS: Math.max(5_000, timeoutMs / 2),
    // No `create extension`: ids are made in code and the login has no right to.
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    // An idle connection that lost its server is replaced by the pool; unhandled, it would end the process.
    poolErrorHandler: (error: Error) => warn(`a database connection was lost: ${error.message} (${describeEndpoint(endpoint)})`),
    extra: { keepAlive: true, query_timeout: timeoutMs },
  }).initialize();
  try {
    await checkLogin((text, parameters) => dataSource.query(text, parameters), options.mode ?? 'development', warn);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}
