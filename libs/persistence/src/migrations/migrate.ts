import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { type PostgresEndpoint, withClient } from '../connection/endpoint.js';
import { ensureRoles, missingRoles } from '../connection/roles.js';
import type { ContextPersistence } from '../unit-of-work/tx.js';
import { type Migration, MigrationRefused, pendingOf } from './migration.js';

const OWN: Pick<ContextPersistence, 'schema' | 'migrations'> = {
  schema: 'persistence',
  migrations: new URL('./', import.meta.url),
};
/** An arbitrary fixed number: the process with this lock migrates the database, the others wait. */
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
      if (!stamp || !isTime(stamp)) throw new MigrationRefused(`${schema}/${file}: a migration is called <yyyymmddHHMM>-<name>.sql`);
      // A checkout with CRLF line ends is the same migration.
      const sql = (await readFile(new URL(file, folder), 'utf8')).replaceAll('\r\n', '\n');
      return { name: `${schema}/${file.slice(0, -4)}`, stamp, schema, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

function isTime(stamp: string): boolean {
  const iso = stamp.replace(/(....)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:00.000Z');
  const time = new Date(iso);
  return !Number.isNaN(time.getTime()) && time.toISOString() === iso;
}

/**
 * Migrates the database to the state of the code. Several processes may call it at the same time. Each file commits separately, with its ledger row.
 * The login owns what it creates, so migrations that change rows of protected tables say `set local role trace_system` first.
 * @returns the names that were applied now
 * @throws MigrationRefused when the database is newer than the code, or was made by other files; RolesMissing
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

export interface DatabaseState {
  readonly serverVersion: number;
  /** The migrations that `migrate` would apply; null when this login may not read which were applied. */
  readonly pending: readonly string[] | null;
  /** What the login lacks of the two roles, and whether it may create that itself. */
  readonly roles: { readonly statements: readonly string[]; readonly creates: boolean };
  /** The server's clock, in milliseconds since the epoch. */
  readonly time: number;
}

/** Reads only. @throws MigrationRefused */
export async function migrationState(endpoint: PostgresEndpoint, contexts: readonly ContextPersistence[]): Promise<DatabaseState> {
  const migrations = await migrationsOf(contexts);
  return withClient(endpoint, async (client) => {
    const { rows: server } = await client.query<{ version: number; ledger: boolean; readable: boolean; time: number }>(
      `select current_setting('server_version_num')::int as version, ledger is not null as ledger,
              coalesce(has_schema_privilege(n.oid, 'usage') and has_table_privilege(ledger, 'select'), false) as readable,
              (extract(epoch from clock_timestamp()) * 1000)::float8 as time
       from (select n.oid, c.oid as ledger from (select 'persistence') as wanted(name) left join pg_namespace n on n.nspname = wanted.name
             left join pg_class c on c.relnamespace = n.oid and c.relname = 'migration') n`,
    );
    const { version, ledger, readable, time } = server[0]!;
    const roles = await missingRoles(client);
    if (ledger && !readable) return { serverVersion: version, pending: null, roles, time };
    const applied = ledger
      ? (await client.query<{ name: string; checksum: string }>('select name, checksum from persistence.migration')).rows
      : [];
    return { serverVersion: version, pending: pendingOf(migrations, applied).map(({ name }) => name), roles, time };
  });
}

async function ensureSchemas(client: pg.Client, schemas: readonly string[]): Promise<void> {
  // Checked first, because `create schema if not exists` needs the right to create even when the schema exists.
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
    // With its code: a full disk or a missing right is not the migration's fault.
    const { code } = error as { code?: string };
    throw Object.assign(
      new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error }),
      code !== undefined && { code },
    );
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
