import { createHash, randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { openDatabase } from '../connection/database.js';
import { type PostgresEndpoint, withClient } from '../connection/endpoint.js';
import { migrate, migrationsOf } from '../migrations/migrate.js';
import { UnitOfWork } from '../unit-of-work/unit-of-work.js';
import type { ContextPersistence } from '../unit-of-work/tx.js';
import { testServer, type TestServer } from './test-server.js';

/** Long, because on a busy machine a slow statement is not an error. Timeouts are tested with a separate limit. */
const STATEMENT_MS = 60_000;

/** A private, migrated database for one spec file. */
export interface TestDatabase {
  readonly endpoint: PostgresEndpoint;
  /** Up to 10 connections, with the login of the service. */
  readonly dataSource: DataSource;
  readonly unitOfWork: UnitOfWork;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/**
 * Clones the migrated template of the contexts (created once per run and set of migrations); takes about 0.2 s. With an empty list the
 * database has only the tables of persistence itself. `kept` names another template: a database that was given to `keepAsTemplate`.
 */
export async function cloneTestDatabase(
  contexts: readonly ContextPersistence[] = [],
  server: TestServer = testServer(),
  kept?: string,
): Promise<TestDatabase> {
  const template = kept ?? (await templateFor(server, contexts));
  const endpoint = await createTestDatabase(server, template);
  const dataSource = await openDatabase(endpoint, contexts, { applicationName: 'trace-test', mode: 'production', timeoutMs: STATEMENT_MS });
  return {
    endpoint,
    dataSource,
    unitOfWork: new UnitOfWork(dataSource),
    drop: async () => {
      await dataSource.destroy();
      await dropTestDatabase(endpoint, server);
    },
  };
}

/** Turns this database, with everything in it, into a template. The database itself must not be used any more. */
export async function keepAsTemplate(database: TestDatabase, name: string, server: TestServer = testServer()): Promise<void> {
  await database.dataSource.destroy();
  const { database: old } = database.endpoint;
  await withClient(server.admin, async (client) => {
    // On a busy machine a connection of the service that was stopped may still be closing.
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()', [old]);
    await client.query(`alter database ${old} rename to ${name}`);
  });
}

/** An empty database for the run's login, for tests of migrations or with their own schema. Drop it with `dropTestDatabase`. */
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
  // file_copy is many times faster than the default when fsync is off: no page is written to the WAL.
  await client.query(`create database ${database} owner ${owner}${template ? ` template ${template} strategy file_copy` : ''}`);
}

async function templateFor(server: TestServer, contexts: readonly ContextPersistence[]): Promise<string> {
  const migrations = await migrationsOf(contexts);
  const checksum = createHash('sha256').update(JSON.stringify([server.login.user, migrations.map(({ name, checksum: of }) => [name, of])]));
  const name = `tpl_${checksum.digest('hex').slice(0, 16)}`;
  await withClient(server.admin, async (client) => {
    // Test processes start at the same time: one creates the template, the others wait for it.
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
