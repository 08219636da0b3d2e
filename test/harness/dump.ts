import { Client } from 'pg';
import type { PostgresEndpoint } from '#persistence';
import { testServer } from '#persistence/testing';
import { QUEUE_SCHEMA, tablesOf } from '../../apps/cli/src/backup/table-origins.js';

type Json = Record<string, any>;

/** As a superuser sees it, whatever row-level security says. */
export async function asSuperuser<T>({ database }: PostgresEndpoint, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...testServer().admin, database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export const rowsOf = async (client: Client, table: string): Promise<readonly Json[]> =>
  (await client.query<{ row: Json }>(`select to_jsonb(t) as row from ${table} t order by t::text`)).rows.map(({ row }) => row);

const tables = (at: PostgresEndpoint): Promise<readonly string[]> =>
  asSuperuser(at, async (client) =>
    (
      await client.query<{ name: string }>(
        `select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema', $1) order by 1`,
        [QUEUE_SCHEMA],
      )
    ).rows.map(({ name }) => name),
  );

/** Everything, by table. */
export const everything = async (at: PostgresEndpoint): Promise<Record<string, readonly Json[]>> => {
  const names = await tables(at);
  return asSuperuser(at, async (client) => {
    const found: Record<string, readonly Json[]> = {};
    for (const name of names) found[name] = await rowsOf(client, name);
    return found;
  });
};

/** What `pg_dump` with the options of `cli backup left-out` and `pg_restore` do, on any machine: test/engines/backup.spec.ts runs the programs. */
export const restoreKept = (dump: Readonly<Record<string, readonly Json[]>>, into: PostgresEndpoint): Promise<void> =>
  asSuperuser(into, async (client) => {
    // Data of a dump goes in without its triggers and references, in any order.
    await client.query("set session_replication_role = 'replica'");
    for (const table of tablesOf('dump')) {
      const { rows } = await client.query<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      );
      const { names } = rows[0]!;
      await client.query(`delete from ${table}`);
      await client.query(
        `insert into ${table} (${names}) overriding system value select ${names} from jsonb_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(dump[table])],
      );
    }
  });
