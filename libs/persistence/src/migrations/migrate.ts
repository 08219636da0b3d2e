import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { type PostgresEndpoint, withClient } from '../connection/endpoint.js';
import { ensureRoles, missingRoles } from '../connection/roles.js';
import type { ContextPersistence } from '../unit-of-work/tx.js';
import { objectsOf, requireComplete } from './database-objects.js';
import { type Migration, MigrationRefused, pendingOf } from './migration.js';
import { foreignOwner, requireOwner } from './owners.js';

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
 * @throws MigrationRefused when the database is newer than the code, was made by other files, is incomplete, or belongs to another login; RolesMissing
 */
export async function migrate(endpoint: PostgresEndpoint, contexts: readonly ContextPersistence[]): Promise<readonly string[]> {
  const migrations = await migrationsOf(contexts);
  return withClient(endpoint, async (client) => {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await ensureRoles(client);
    const schemas = schemasOf(contexts);
    await requireOwner(client, schemas);
    await ensureSchemas(client, schemas);
    await client.query(
      `create table if not exists persistence.migration (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const applied = await ledger(client);
    const pending = pendingOf(migrations, applied);
    let objects = await requireWhole(client, schemas, applied);
    if (pending.length > 0)
      await client.query(`alter table persistence.migration add column if not exists objects text[] not null default '{}'`);
    for (const migration of pending) objects = await apply(client, migration, schemas, objects);
    return pending.map((migration) => migration.name);
  });
}

export interface DatabaseState {
  readonly serverVersion: number;
  /** The migrations that `migrate` would apply; null when this login may not read which were applied. */
  readonly pending: readonly string[] | null;
  /** For an administrator, where the tables belong to another login than this one. */
  readonly owning: string | null;
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
    const { version, ledger: hasLedger, readable, time } = server[0]!;
    const schemas = schemasOf(contexts);
    const owning = (await foreignOwner(client, schemas))?.statement ?? null;
    const state = { serverVersion: version, owning, roles: await missingRoles(client), time };
    if (hasLedger && !readable) return { ...state, pending: null };
    const applied = hasLedger ? await ledger(client) : [];
    const pending = pendingOf(migrations, applied).map(({ name }) => name);
    await requireWhole(client, schemas, applied);
    return { ...state, pending };
  });
}

interface Applied {
  readonly name: string;
  readonly checksum: string;
  /** Made by it, and not removed by a later one. */
  readonly objects: readonly string[];
}

/** A ledger of before names no objects. */
const ledger = async (client: pg.Client): Promise<readonly Applied[]> =>
  (
    await client.query<Applied>(
      `select name, checksum, array(select jsonb_array_elements_text(coalesce(to_jsonb(m) -> 'objects', '[]'))) as objects
       from persistence.migration m order by name`,
    )
  ).rows;

/** @returns what there is @throws MigrationRefused where something is missing */
async function requireWhole(client: pg.Client, schemas: readonly string[], applied: readonly Applied[]): Promise<ReadonlySet<string>> {
  const found = await objectsOf((text, values) => client.query(text, [...values]), schemas);
  requireComplete(
    applied.flatMap(({ objects }) => objects),
    found,
    applied.length === 0,
  );
  return found;
}

const schemasOf = (contexts: readonly ContextPersistence[]): readonly string[] => [OWN.schema, ...contexts.map(({ schema }) => schema)];

async function ensureSchemas(client: pg.Client, schemas: readonly string[]): Promise<void> {
  // Checked first, because `create schema if not exists` needs the right to create even when the schema exists.
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where not exists (select from pg_namespace where nspname = name)',
    [schemas],
  );
  for (const { name } of rows) await client.query(`create schema ${client.escapeIdentifier(name)}`);
}

/** @returns what there is afterwards */
async function apply(
  client: pg.Client,
  { name, sql, checksum }: Migration,
  schemas: readonly string[],
  before: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  try {
    await client.query('begin');
    await client.query(sql);
    await client.query('reset role');
    const after = await objectsOf((text, values) => client.query(text, [...values]), schemas);
    const gone = [...before].filter((object) => !after.has(object));
    if (gone.length > 0)
      await client.query(
        'update persistence.migration set objects = array(select unnest(objects) except select unnest($1::text[])) where objects && $1',
        [gone],
      );
    const made = [...after].filter((object) => !before.has(object));
    await client.query('insert into persistence.migration (name, checksum, objects) values ($1, $2, $3)', [name, checksum, made]);
    await client.query('commit');
    return after;
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
