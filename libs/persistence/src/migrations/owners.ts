import type pg from 'pg';
import { MigrationRefused } from './migration.js';

/** Everything in the named schemas that another login owns: its owner, and the statement that gives it to this login. */
const FOREIGN = `
  with named as (select oid, nspname, nspowner from pg_namespace where nspname = any($1))
  select pg_get_userbyid(owner) as owner, name, format('alter %s %s owner to %I', kind, name, current_user) as statement from (
    select nspowner as owner, 'schema' as kind, quote_ident(nspname) as name from named
    union all select relowner, 'table', format('%I.%I', nspname, relname) from pg_class c join named n on n.oid = relnamespace
      where relkind in ('r', 'p', 'v', 'm') or (relkind = 'S' and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype in ('a', 'i')))
    union all select proowner, 'routine', p.oid::regprocedure::text from pg_proc p join named n on n.oid = pronamespace
    union all select typowner, 'type', format('%I.%I', nspname, typname) from pg_type t join named n on n.oid = typnamespace
      where typtype in ('d', 'e')
  ) o where not pg_has_role(owner, 'usage') order by kind, name`;

/** The tables belong to another login than the one that migrates, as a restore with `--no-owner` leaves them. */
export interface ForeignOwner {
  readonly owner: string;
  /** For an administrator: one statement, to run once in this database. */
  readonly statement: string;
}

/** Null where the login owns the list of migrations, or may act as its owner: other tables may be the operator's. */
export async function foreignOwner(client: pg.Client, schemas: readonly string[]): Promise<ForeignOwner | null> {
  // The schema of the queue is the library's, but a restore makes its tables too.
  const { rows } = await client.query<{ owner: string; name: string; statement: string }>(FOREIGN, [[...schemas, 'bullmq']]);
  const ledger = rows.find(({ name }) => name === 'persistence.migration');
  return ledger
    ? { owner: ledger.owner, statement: `do $$ begin ${rows.map(({ statement }) => `${statement};`).join(' ')} end $$;` }
    : null;
}

/** @throws MigrationRefused */
export async function requireOwner(client: pg.Client, schemas: readonly string[]): Promise<void> {
  const foreign = await foreignOwner(client, schemas);
  if (!foreign) return;
  throw new MigrationRefused(
    `The tables of the service belong to "${foreign.owner}", not to its login "${client.user}": a restore with --no-owner leaves them so. ` +
      `An administrator must run once, in the database "${client.database}":\n  ${foreign.statement}`,
  );
}
