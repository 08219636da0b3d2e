import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';

/** Tables of the system: the cursor of the chain and its deployments, who pays for relays, and revocations, which hold an id only. */
const COMMON = [
  'chain.block: tenants may select, and it belongs to none',
  'chain.cursor: tenants may select, and it belongs to none',
  'chain.deployment: tenants may select, and it belongs to none',
  'identity.revocation: tenants may insert, and it belongs to none',
  'transactions.sponsor: tenants may select, and it belongs to none',
];

/** Every relation of the service that breaks a rule of docs/spec/reliability.md#identity-and-access, and how; from the catalogue, so a new table is covered. */
const VIOLATIONS = `
  with relation as (
    select c.oid, c.oid::regclass::text as name, c.relkind, c.relrowsecurity, c.relforcerowsecurity,
           coalesce('security_invoker=true' = any(c.reloptions), false) as invoker,
           exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as of_tenant,
           has_table_privilege('trace_tenant', c.oid, 'select, insert, update, delete, truncate') as reachable,
           has_table_privilege('trace_tenant', c.oid, 'truncate') or has_table_privilege('trace_system', c.oid, 'truncate') as emptied
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^(pg_|information_schema$)'
  ), policy as (
    select polrelid, pg_get_expr(polqual, polrelid) as qual, pg_get_expr(polwithcheck, polrelid) as checked
    from pg_policy where polroles @> array['trace_tenant'::regrole::oid] or polroles = '{0}'
  )
  select name || ': ' || problem as violation from (
    select name, 'row-level security is not forced' as problem from relation
    where of_tenant and relkind in ('r', 'p') and not (relrowsecurity and relforcerowsecurity)
    union all
    select name, 'a policy lets a tenant reach rows that do not name it' from relation join policy on polrelid = oid
    where qual !~ 'current_tenant\\(\\)' or coalesce(checked, qual) !~ 'current_tenant\\(\\)'
    union all
    select name, 'its primary key does not begin with the tenant' from relation join pg_index i on i.indrelid = oid and i.indisprimary
    join pg_attribute a on a.attrelid = oid and a.attnum = i.indkey[0] where of_tenant and reachable and a.attname <> 'tenant_id'
    union all
    select name, 'tenants may ' || rights || ', and it belongs to none' from relation, lateral (
      select string_agg(one, ', ') as rights from unnest('{select, insert, update, delete}'::text[]) one where has_table_privilege('trace_tenant', oid, one)
    ) granted where not of_tenant and relkind in ('r', 'p') and reachable and not (relrowsecurity and relforcerowsecurity)
    union all
    select name, 'a view with the rights of its owner' from relation where relkind = 'v' and not invoker
    union all
    select name, 'a materialised view knows no row-level security' from relation where relkind = 'm' and reachable
    union all
    select name, 'may be truncated, which row-level security does not see' from relation where emptied
    union all
    select p.oid::regprocedure::text, 'runs with the rights of its owner' from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.prosecdef and n.nspname !~ '^(pg_|information_schema$)'
  ) broken order by 1`;

describe('the second wall between tenants', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
  });
  afterAll(() => database?.drop());

  const violations = async (): Promise<string[]> =>
    (await database.dataSource.query<{ violation: string }[]>(VIOLATIONS)).map(({ violation }) => violation);

  it('protects every table and view of every context', async () => {
    const [{ tables }] = await database.dataSource.query<[{ tables: string }]>(
      `select count(*) as tables from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attname = 'tenant_id' and c.relkind = 'r'`,
    );
    expect(Number(tables)).toBeGreaterThan(25);
    expect(await violations()).toEqual(COMMON);
  });

  it('is the second wall for the login itself, which is neither above it nor may lift itself there', async () => {
    const [login] = await database.dataSource.query<object[]>('select rolsuper, rolbypassrls from pg_roles where rolname = current_user');
    expect(login).toEqual({ rolsuper: false, rolbypassrls: false });
    const roles = await database.dataSource.query<object[]>(
      `select rolname, rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname in ('trace_tenant', 'trace_system') order by 1`,
    );
    expect(roles).toEqual(
      ['trace_system', 'trace_tenant'].map((rolname) => ({ rolname, rolsuper: false, rolbypassrls: false, rolcanlogin: false })),
    );
  });

  it('is missed by this test nowhere: each way around it is found', async () => {
    for (const statement of [
      'create schema leak',
      'create table leak.open (tenant_id uuid, id int, primary key (tenant_id, id))',
      'create table leak.unforced (tenant_id uuid primary key)',
      'alter table leak.unforced enable row level security',
      'create table leak.generous (tenant_id uuid primary key)',
      `call persistence.protect('leak.generous')`,
      'create policy anybody on leak.generous to trace_tenant using (true)',
      'create table leak.keyed (id int primary key, tenant_id uuid)',
      `call persistence.protect('leak.keyed')`,
      'create table leak.common (id int primary key)',
      'grant select on leak.common to trace_tenant',
      'create view leak.through as select * from leak.keyed',
      'create materialized view leak.copied as select * from leak.keyed',
      'grant select on leak.copied to trace_tenant',
      'grant truncate on leak.keyed to trace_system',
      'create function leak.lifted() returns int language sql security definer as $$ select 1 $$',
    ])
      await database.dataSource.query(statement);
    expect((await violations()).filter((found) => !COMMON.includes(found))).toEqual([
      'leak.common: tenants may select, and it belongs to none',
      'leak.copied: a materialised view knows no row-level security',
      'leak.generous: a policy lets a tenant reach rows that do not name it',
      'leak.keyed: its primary key does not begin with the tenant',
      'leak.keyed: may be truncated, which row-level security does not see',
      'leak.lifted(): runs with the rights of its owner',
      'leak.open: row-level security is not forced',
      'leak.through: a view with the rights of its owner',
      'leak.unforced: row-level security is not forced',
    ]);
  });
});
