import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { applySchedules } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { type Values, insertRow } from './any-row.js';

const HOUR_MS = 3_600_000;
const SECRET = Buffer.from('sealed');
const NOW = new Date('2027-03-01T10:00:00Z');
const at = (ms: number): Date => new Date(NOW.getTime() + ms);
/** The clock was ahead by a day. */
const AHEAD = at(24 * HOUR_MS);
const ahead = (ms: number): Date => new Date(AHEAD.getTime() + ms);

/** The rows of each table that wait for the wrong clock, with what they wait for afterwards; and rows that wait rightly. */
const ROWS: Readonly<
  Record<string, { readonly column: string; readonly late: readonly (readonly [Values, Date])[]; readonly right: readonly Values[] }>
> = {
  'webhooks.delivery': {
    column: 'coalesce(next_attempt_at, leased_until)',
    late: [
      [{ status: 'pending', next_attempt_at: AHEAD, updated_at: AHEAD }, NOW],
      [{ status: 'retrying', next_attempt_at: ahead(120_000), updated_at: AHEAD }, at(120_000)],
      [{ status: 'sending', leased_until: ahead(15_000), started_at: AHEAD, updated_at: AHEAD }, at(15_000)],
    ],
    right: [
      { status: 'retrying', next_attempt_at: at(20 * HOUR_MS), updated_at: at(-1) },
      { status: 'pending', next_attempt_at: at(60_000), updated_at: at(60_000) },
      { status: 'sending', leased_until: at(15_000), started_at: NOW, updated_at: NOW },
    ],
  },
  'webhooks.subscription': {
    column: 'failing_since',
    late: [[{ failing_since: AHEAD, sealed_secret: SECRET }, NOW]],
    right: [{ failing_since: at(-HOUR_MS), sealed_secret: SECRET }],
  },
  'transactions.tracked': {
    column: 'next_check_at',
    late: [
      [{ status: 'submitted', next_check_at: ahead(1_000) }, NOW],
      [{ status: 'dropped', next_check_at: ahead(HOUR_MS), last_checked_at: AHEAD }, NOW],
    ],
    right: [
      { status: 'dropped', next_check_at: at(30 * HOUR_MS), last_checked_at: at(-1) },
      { status: 'confirmed', next_check_at: AHEAD },
      { status: 'submitted', next_check_at: at(300_000) },
    ],
  },
  'reporting.alert_evaluation': {
    column: 'next_at',
    late: [[{ next_at: ahead(10_000), evaluated_at: AHEAD }, NOW]],
    right: [{ next_at: at(23 * HOUR_MS), evaluated_at: at(-HOUR_MS) }],
  },
  'reporting.pointer_cursor': {
    column: 'next_at',
    late: [[{ next_at: ahead(1_000), lap_started_at: ahead(-1) }, NOW]],
    right: [{ next_at: at(23 * HOUR_MS), lap_started_at: at(-HOUR_MS), lap_ended_at: NOW }],
  },
};

describe('what a clock that was ahead has scheduled', () => {
  const rules = contexts.flatMap(({ schedules = [] }) => schedules);
  const tenants: string[] = [];
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
    for (let i = 0; i < 3; i++) tenants.push(await tenant());
  });
  afterAll(() => database?.drop());

  const insert = (table: string, values: Values): Promise<string> => database.unitOfWork.asSystem((tx) => insertRow(tx, table, values));
  const tenant = async (): Promise<string> => {
    const id = newId();
    await insert('identity.tenant', { id, environment: 'sandbox', status: 'active' });
    return id;
  };

  it('is tested here for every table with a rule', () => {
    expect(Object.keys(ROWS).toSorted()).toEqual([...new Set(rules.map(({ table }) => table))].toSorted());
  });

  it.each(Object.entries(ROWS))('in %s is moved to now, once, and nothing else', async (table, { column, late, right }) => {
    const rows = [...late.map(([values]) => values), ...right];
    const ids = rows.map(() => newId());
    for (const [i, values] of rows.entries())
      // Some tables have one row a tenant.
      await insert(table, { id: ids[i], tenant_id: tenants[i % tenants.length], owner_kind: 'user', tx_hash: `0x${i}`, ...values });
    const run = async (): Promise<number> => {
      let moved = 0;
      for (const rule of rules.filter((each) => each.table === table))
        moved += await applySchedules(database.unitOfWork, rule, { now: NOW, signal: new AbortController().signal, batch: 1 });
      return moved;
    };
    const waits = (): Promise<readonly { readonly wait: Date }[]> =>
      database.unitOfWork.asSystem((tx) => tx.sql(`select ${column} as wait from ${table} order by 1`));
    const before = await waits();
    expect(await run()).toBe(late.length);
    const expected = [
      ...late.map(([, to]) => to),
      ...right.map((values) => values['next_attempt_at'] ?? values[column] ?? values['leased_until']),
    ];
    expect((await waits()).map(({ wait }) => wait)).toEqual((expected as Date[]).toSorted((a, b) => a.getTime() - b.getTime()));
    expect([before.length, await run()]).toEqual([rows.length, 0]);
  });
});
