import { createHash, randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { openDatabase } from '../database.js';
import { type PostgresEndpoint, withClient } from '../endpoint.js';
import { migrate, migrationsOf } from '../migrate.js';
import { TypeOrmUnitOfWork } from '../typeorm-unit-of-work.js';
import type { ContextPersistence, UnitOfWork } from '../unit-of-work.js';
import { testServer, type TestServer } from './test-server.js';

/** A busy machine is no database that is away: what happens when time is up is tested with a limit of its own. */
const STATEMENT_MS = 60_000;

/** A private, migrated database for one spec file. */
export interface TestDatabase {
  readonly endpoint: PostgresEndpoint;
  /** Up to 10 connections; logged in as the service would be. */
  readonly dataSource: DataSource;
  readonly unitOfWork: UnitOfWork;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/**
 * Clones the migrated template of these contexts (made once a run and set of migrations), about 0.2 s.
 * An empty list gives persistence's own tables only.
 */
export async function cloneTestDatabase(
  contexts: readonly ContextPersistence[] = [],
  server: TestServer = testServer(),
): Promise<TestDatabase> {
  const template = await templateFor(server, contexts);
  const endpoint = await createTestDatabase(server, template);
  const dataSource = await openDatabase(endpoint, contexts, { applicationName: 'trace-test', mode: 'production', timeoutMs: STATEMENT_MS });
  return {
    endpoint,
    dataSource,
    unitOfWork: new TypeOrmUnitOfWork(dataSource),
    drop: async () => {
      await dataSource.destroy();
      await dropTestDatabase(endpoint, server);
    },
  };
}

/** An empty database of the run's login, for what tests migrations or needs a schema of its own. Drop it with `dropTestDatabase`. */
export const createEmptyTestDatabase = (server: TestServer = testServer()): Promise<PostgresEndpoint> => createTestDatabase(server);

export async function dropTestDatabase(endpoint: PostgresEndpoint, server: TestServer = testServer()): Promise<void> {
  await withClient(server.admin, (client) => client.query(`drop database if exists ${endpoint.database} with (force)`));
}

async function createTestDatabase({ admin, login }: TestServer, template?: string): Promise<PostgresEndpoint> {
  const database = `t_${randomBytes(6).toString('hex')}`;
  await withClient(admin, (client) => create(client, database, login.user, template));
  return { ...admin, ...login, database };
}

async function create(client: Client, database: string, owner: string, template?: string): Promise<void> {
  // file_copy beats the default many times over where fsync is off: no page goes through the log.
  await client.query(`create database ${database} owner ${owner}${template ? ` template ${template} strategy file_copy` : ''}`);
}

async function templateFor(server: TestServer, contexts: readonly ContextPersistence[]): Promise<string> {
  const migrations = await migrationsOf(contexts);
  const checksum = createHash('sha256').update(JSON.stringify([server.login.user, migrations.map(({ name, checksum: of }) => [name, of])]));
  const name = `tpl_${checksum.digest('hex').slice(0, 16)}`;
  await withClient(server.admin, async (client) => {
    // Test processes start at once: one makes the template, the others wait for it.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return;
    const unfinished = `${name}_new`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await create(client, unfinished, server.login.user);
    await migrate({ ...server.admin, ...server.login, database: unfinished }, contexts);
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}
