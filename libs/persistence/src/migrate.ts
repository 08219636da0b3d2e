import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { type PostgresEndpoint, withClient } from './endpoint.js';
import { ensureRoles } from './roles.js';
import type { ContextPersistence } from './unit-of-work.js';

/** A database that this code must not touch; the message names the migration and the remedy. */
export class MigrationRefused extends Error {}

/** One forward-only file. `name` is `<schema>/<yyyymmddHHMM>-<name>` and orders over all contexts by its timestamp. */
export interface Migration {
  readonly name: string;
  readonly stamp: string;
  readonly schema: string;
  readonly sql: string;
  readonly checksum: string;
}

const OWN: Pick<ContextPersistence, 'schema' | 'migrations'> = {
  schema: 'persistence',
  migrations: new URL('./migrations/', import.meta.url),
};
/** Any fixed number: who holds it migrates this database, the others wait. */
const MIGRATION_LOCK = 7_241_903;
const FILE = /^(\d{12})-[a-z0-9-]+\.sql$/;

/** Every migration of the given contexts and of persistence itself, in the order in which they run. */
export async function migrationsOf(contexts: readonly ContextPersistence[]): Promise<readonly Migration[]> {
  const lists = await Promise.all([OWN, ...contexts].map(readMigrations));
  return lists.flat().toSorted((a, b) => (a.stamp === b.stamp ? compare(a.name, b.name) : compare(a.stamp, b.stamp)));
}

async function readMigrations({ schema, migrations }: Pick<ContextPersistence, 'schema' | 'migrations'>): Promise<Migration[]> {
  const folder = new URL(migrations.href.endsWith('/') ? migrations.href : `${migrations.href}/`);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'));
  return Promise.all(
    files.map(async (file) => {
      const stamp = FILE.exec(file)?.[1];
      if (!stamp) throw new MigrationRefused(`${schema}/${file}: a migration is called <yyyymmddHHMM>-<name>.sql`);
      // A checkout with CRLF line ends is the same migration.
      const sql = (await readFile(new URL(file, folder), 'utf8')).replaceAll('\r\n', '\n');
      return { name: `${schema}/${file.slice(0, -4)}`, stamp, schema, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings the database to the state of the code; several processes may call it at once. Each file commits on its own, with its ledger row.
 * The login owns what it creates, so migrations that change rows of protected tables say `set local role trace_system` first.
 * @returns the names that were applied now
 * @throws MigrationRefused when the database is newer than the code or an applied file was edited; RolesMissing
 */
export async function migrate(endpoint: PostgresEndpoint, contexts: readonly ContextPersistence[]): Promise<readonly string[]> {
  const migrations = await migrationsOf(contexts);
  return withClient(endpoint, async (client) => {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await ensureRoles(client);
    await ensureSchemas(client, [OWN.schema, ...contexts.map((context) => context.schema)]);
    await client.query(
      `create table if not exists persistence.migration (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from persistence.migration');
    const pending = pendingOf(migrations, rows);
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  });
}

/** For who looks without touching: the server's version number, and what `migrate` would apply. @throws MigrationRefused */
export async function migrationState(
  endpoint: PostgresEndpoint,
  contexts: readonly ContextPersistence[],
): Promise<{ readonly serverVersion: number; readonly pending: readonly string[] }> {
  const migrations = await migrationsOf(contexts);
  return withClient(endpoint, async (client) => {
    const { rows: server } = await client.query<{ version: number; ledger: boolean }>(
      `select current_setting('server_version_num')::int as version, to_regclass('persistence.migration') is not null as ledger`,
    );
    const { version, ledger } = server[0]!;
    const applied = ledger
      ? (await client.query<{ name: string; checksum: string }>('select name, checksum from persistence.migration')).rows
      : [];
    return { serverVersion: version, pending: pendingOf(migrations, applied).map(({ name }) => name) };
  });
}

function pendingOf(migrations: readonly Migration[], applied: readonly { name: string; checksum: string }[]): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const migration = known.get(name);
    if (!migration)
      throw new MigrationRefused(`The database is newer than this version of the service: it has ${name}. Start the newer version.`);
    if (migration.checksum !== checksum)
      throw new MigrationRefused(`${name} was edited after it was applied. Restore the file and put the change into a new migration.`);
  }
  const done = new Set(applied.map((row) => row.name));
  return migrations.filter((migration) => !done.has(migration.name));
}

async function ensureSchemas(client: pg.Client, schemas: readonly string[]): Promise<void> {
  // Asked first, because `create schema if not exists` wants the right to create even when there is nothing to do.
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where not exists (select from pg_namespace where nspname = name)',
    [schemas],
  );
  for (const { name } of rows) await client.query(`create schema ${client.escapeIdentifier(name)}`);
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('begin');
    await client.query(sql);
    await client.query('reset role');
    await client.query('insert into persistence.migration (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
