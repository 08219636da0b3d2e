import type { SystemTx } from '#persistence';

export type Values = Readonly<Record<string, unknown>>;

/** What a column without a default gets when a test does not care. */
const ANY: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: `'any ' || gen_random_uuid()`,
  timestamptz: 'now()',
  jsonb: `'{}'`,
  bytea: `decode(md5(gen_random_uuid()::text), 'hex')`,
  bool: 'false',
  date: 'current_date',
  _text: `'{}'`,
  _uuid: `'{}'`,
  _int8: `'{}'`,
};

/** Inserts a row of which a test cares for some values only; those that the table does not have are left out. */
export async function insertRow(tx: SystemTx, table: string, values: Values): Promise<string> {
  const columns = await tx.sql<{ name: string; type: string; required: boolean }>(
    `select a.attname as name, t.typname as type, a.attnotnull and not a.atthasdef and a.attidentity = '' as required
     from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
    [table],
  );
  const given = columns.filter(({ name }) => values[name] !== undefined);
  const others = columns.filter(({ name, required }) => required && values[name] === undefined);
  await tx.sql(
    `insert into ${table} (${[...given, ...others].map(({ name }) => name).join(', ')})
     values (${[...given.map((_, i) => `$${i + 1}`), ...others.map(({ type }) => ANY[type] ?? '0')].join(', ')})`,
    given.map(({ name }) => values[name]),
  );
  return table;
}
