import { SYSTEM_ROLE, TENANT_ROLE } from '../connection/roles.js';
import { MigrationRefused } from './migration.js';

type Query = (text: string, values: readonly unknown[]) => Promise<{ readonly rows: readonly { readonly object: string }[] }>;

/** What the named schemas have: each object that can be missing on its own after a restore that did not end. */
const OBJECTS = `
  with named as (
    select c.oid, c.relkind, c.relacl, c.relrowsecurity and c.relforcerowsecurity as protected, n.nspname || '.' || c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = any($1) and c.relname <> 'migration'
  ), granted as (
    select 'schema ' || nspname as name, nspacl as acl from pg_namespace where nspname = any($1)
    union all select name, relacl from named
    union all select name || '.' || attname, attacl from named join pg_attribute on attrelid = named.oid
  )
  select case relkind when 'r' then 'table ' when 'v' then 'view ' when 'S' then 'sequence ' else 'index ' end || name as object
  from named left join pg_index i on i.indexrelid = named.oid where relkind in ('r', 'v', 'S', 'i') and coalesce(i.indisvalid, true)
  union all select 'row-level security of ' || name from named where protected
  union all select 'policy ' || polname || ' of ' || name from pg_policy join named on polrelid = named.oid
  union all select 'trigger ' || tgname || ' of ' || name from pg_trigger join named on tgrelid = named.oid where not tgisinternal
  union all select 'constraint ' || conname || ' of ' || name from pg_constraint join named on conrelid = named.oid
    where contype <> 'n' and convalidated
  union all select distinct 'function ' || nspname || '.' || proname from pg_proc join pg_namespace n on n.oid = pronamespace where nspname = any($1)
  union all select distinct 'right of ' || rolname || ' to ' || lower(privilege_type) || ' ' || name
    from granted cross join aclexplode(acl) join pg_roles r on r.oid = grantee where rolname = any($2)`;

export async function objectsOf(query: Query, schemas: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await query(OBJECTS, [schemas, [TENANT_ROLE, SYSTEM_ROLE]]);
  return new Set(rows.map(({ object }) => object));
}

/**
 * A restore that broke off leaves a database that nearly works: `pg_restore` makes unique indexes, policies and rights last.
 * @param recorded what the migrations made; empty where none was applied
 * @throws MigrationRefused
 */
export function requireComplete(recorded: readonly string[], found: ReadonlySet<string>, isNew: boolean): void {
  const table = isNew ? [...found].find((object) => object.startsWith('table ')) : undefined;
  if (table !== undefined) throw incomplete(`has the ${table}, but not the list of its migrations`);
  const missing = recorded.filter((object) => !found.has(object));
  if (missing.length > 0) throw incomplete(`lacks the ${missing[0]}${missing.length > 1 ? ` and ${missing.length - 1} more` : ''}`);
}

const incomplete = (what: string): MigrationRefused =>
  new MigrationRefused(
    `The database is incomplete: it ${what}. A restore broke off, ignored errors or left out rights. ` +
      'Restore a whole dump into an empty database, with `pg_restore --single-transaction` (docs/how-to/back-up-and-recover.md).',
  );
