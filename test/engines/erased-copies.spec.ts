import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { BlankCopies, type CopyRule, persistenceCopies, type SystemTx } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { asSuperuser } from '../harness/dump.js';
import { insertRow } from './any-row.js';

type Repeating = Extract<CopyRule, { readonly key: readonly string[] }>;

const NAME = 'Võ Thị Chép';
const PLANTED = {
  json: JSON.stringify({ a: [NAME], b: `by ${NAME}` }),
  keyed: JSON.stringify({ [NAME]: NAME }),
  text: `said by ${NAME}.`,
  list: ['x', `y=${NAME}`],
} as const;
const rules = [...persistenceCopies, ...contexts.flatMap(({ copies = [] }) => copies)];
const repeating = rules.filter((rule): rule is Repeating => 'key' in rule);
describe('a value that is erased everywhere', () => {
  const tenantId = newId();
  const other = newId();
  let db: TestDatabase;
  beforeAll(async () => {
    db = await cloneTestDatabase(contexts);
    await asSuperuser(db.endpoint, async (client) => {
      // Rows without those that they refer to, and without what else they would say.
      await client.query(`set session_replication_role = 'replica';
        do $$ declare c record; begin
          for c in select conrelid::regclass as of, conname from pg_constraint where contype = 'c' and conrelid <> 0 and connamespace::regnamespace::text = any(
            array[${[...new Set(repeating.map(({ table }) => `'${table.split('.')[0]}'`))].join()}])
          loop execute format('alter table %s drop constraint %I', c.of, c.conname); end loop;
        end $$`);
      const tx = {
        sql: async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows,
      } as unknown as SystemTx;
      for (const { table, columns } of repeating)
        for (const tenant of [tenantId, other])
          await insertRow(tx, table, {
            tenant_id: tenant,
            ...Object.fromEntries(Object.entries(columns).map(([column, kind]) => [column, PLANTED[kind]])),
          });
    });
  });
  afterAll(() => db?.drop());

  const said = (table: string, tenant: string): Promise<{ row: string }[]> =>
    db.unitOfWork.asSystem((tx) =>
      tx.sql<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t where tenant_id = $1`, [tenant]),
    );

  it('is in no column that repeats values, but where the law or its owner keeps it; other tenants keep theirs', async () => {
    const copies = new BlankCopies(rules);
    const counted = await db.unitOfWork.inTransaction({ tenantId }, (tx) => copies.count(tx, [NAME]));
    expect(counted.map(({ table }) => table)).toEqual(repeating.map(({ table }) => table));
    const blanked = await db.unitOfWork.inTransaction({ tenantId }, (tx) => copies.blank(tx, [NAME], null));
    expect(blanked).toEqual(counted);
    const still: string[] = [];
    for (const { table } of repeating) {
      if ((await said(table, tenantId)).some(({ row }) => row.includes(NAME))) still.push(table);
      expect([table, (await said(table, other)).some(({ row }) => row.includes(NAME))]).toEqual([table, true]);
    }
    expect(still).toEqual(repeating.filter(({ stays }) => stays).map(({ table }) => table));
    const [event] = await said('interchange.epcis_event', tenantId);
    expect(JSON.parse(event!.row)).toMatchObject({ terms: ['x'], event: 'said by [erased].' });
  });
});
