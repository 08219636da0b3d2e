import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { interchangePersistence } from '#interchange';
import { EpcisEventQueries, NarrowQuery, indexedEvent } from '#interchange/testing';
import { newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';

type Stored = Parameters<EpcisEventQueries['replace']>[1][number];

const EVERYTHING = { readsAll: true, orgId: null, scope: null };
const ORDER = '20251';

describe('the rows of the EPCIS repository', () => {
  const events = new EpcisEventQueries(new NarrowQuery());
  const tenant = { tenantId: newId() };
  let db: TestDatabase;

  beforeAll(async () => {
    db = await cloneTestDatabase([interchangePersistence]);
    await inTenant(async (tx) => {
      await tx.sql(FILL_EVENTS, [tx.tenantId]);
      await tx.sql(FILL_NAMES, [tx.tenantId]);
    });
  });
  afterAll(() => db?.drop());

  const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.unitOfWork.inTransaction(tenant, work);
  const stored = (id: string, block: number, more: object = {}): Stored => {
    const event = { type: 'ObjectEvent', eventID: id, eventTime: '2026-11-28T00:00:00Z', recordTime: '2026-11-28T00:00:00Z', ...more };
    const about = { key: `event:${id}`, audience: 'all', orgId: null, processType: null, isScoped: false, block } as const;
    return { ...about, isUnresolved: false, indexed: indexedEvent(event, id), text: JSON.stringify(event) };
  };

  it('that say what an event says already are known, by text, audience and block', async () => {
    const [a, b, c, d] = [stored('a', 7), stored('b', 7), stored('c', 7), stored('d', 7)] as const;
    await inTenant((tx) => events.replace(tx, [a, b, c, { ...d, audience: 'whole' }, { ...d, audience: 'rest' }], [], new Date()));
    const unchanged = (...all: readonly Stored[]): Promise<readonly string[]> =>
      inTenant(async (tx) => [...(await events.unchanged(tx, all))].toSorted());
    expect(await unchanged(a, b, c, { ...d, audience: 'whole' }, { ...d, audience: 'rest' })).toEqual([
      'event:a',
      'event:b',
      'event:c',
      'event:d',
    ]);
    expect(await unchanged(a, stored('b', 8), stored('c', 7, { action: 'ADD' }), stored('e', 7))).toEqual(['event:a']);
    // One row less, or one more.
    expect(await unchanged({ ...d, audience: 'whole' })).toEqual([]);
    expect(await unchanged(a, { ...a, audience: 'rest' })).toEqual([]);
    expect(await unchanged({ ...a, isUnresolved: true }, { ...b, orgId: 'o' }, { ...c, processType: 'P' })).toEqual([]);
  });

  const readBy = (query: Query): Promise<Read> =>
    inTenant(async (tx) => {
      const found = await events.page(tx, EVERYTHING, query, null, 30);
      const [row] = await tx.sql<{ rows: string }>(
        `select pg_stat_get_xact_tuples_fetched('interchange.epcis_event'::regclass)
           + pg_stat_get_xact_tuples_returned('interchange.epcis_event'::regclass) as rows`,
      );
      return { found: found.map(({ key }) => key), rows: Number(row!.rows) };
    });

  it('are read one by one for a name that few have, in tables without statistics', async () => {
    const document = (number: string): Query =>
      queryOf({ kind: 'names', roles: ['bizTransaction_po'], any: [`urn:order:${number}`], like: [] });
    const read = (number: string): Promise<Read> => readBy(document(number));
    const { found, rows } = await read(ORDER);
    expect(found).toEqual(['kept:040503', 'kept:040502']);
    expect(rows).toBeLessThan(100);
    expect(await inTenant((tx) => events.count(tx, EVERYTHING, document(ORDER), 10))).toBe(2);
    // What half of them have is found in the order of the time.
    const common = await read('common');
    expect(common.found).toHaveLength(30);
    expect(common.rows).toBeLessThan(5_000);
    expect((await read('nothing')).found).toEqual([]);
  });

  it('are read in the order of an index for a word that many have, without sorting all of them', async () => {
    const words = (...any: readonly string[]): Query => queryOf({ kind: 'column', column: 'bizStep', any });
    const common = await readBy(words('word:3'));
    expect(common.found.slice(0, 2)).toEqual(['kept:059963', 'kept:059923']);
    expect(common.found).toHaveLength(30);
    expect(common.rows).toBeLessThan(100);
    const several = await readBy(words('word:3', 'word:4'));
    expect(several.found.slice(0, 3)).toEqual(['kept:059964', 'kept:059963', 'kept:059924']);
    expect(several.rows).toBeLessThan(10_000);
    // No index has one event, or the events of a word, in the order in which they were recorded.
    const one = await readBy({ ...queryOf({ kind: 'column', column: 'eventID', any: ['urn:77'] }), orderBy: 'recordTime' });
    expect([one.found, one.rows < 100]).toEqual([['kept:000077'], true]);
    const rare = await readBy({ ...words('rare'), orderBy: 'recordTime' });
    expect([rare.found, rare.rows < 100]).toEqual([['kept:000040'], true]);
    const few = await readBy(words('rare', 'none'));
    expect(few.found).toEqual(['kept:000040']);
    expect(few.rows).toBeLessThan(100);
  });
});

type Query = Parameters<EpcisEventQueries['page']>[2];
interface Read {
  readonly found: readonly string[];
  /** Of the events, that were read to find them. */
  readonly rows: number;
}

const queryOf = (condition: Query['conditions'][number]): Query => ({ conditions: [condition], orderBy: 'eventTime', descending: true });

/** Autovacuum makes statistics a minute later at the earliest. */
const FILL_EVENTS = `insert into interchange.epcis_event
    (tenant_id, key, audience, is_scoped, event_id, type, event_time, record_time, biz_step, terms, event)
  select $1, 'kept:' || lpad(i::text, 6, '0'), 'all', false, 'urn:' || i, 'ObjectEvent', timestamptz '2026-01-01' + i * interval '1 minute',
    timestamptz '2026-01-01', case i when 40 then 'rare' else 'word:' || i % 40 end, '{}', '{}' from generate_series(1, 60000) i`;
const FILL_NAMES = `insert into interchange.epcis_name (tenant_id, name, role, key, audience)
  select $1, 'urn:order:' || case when n = 1 then (i / 2)::text else 'common' end, 'bizTransaction_po', 'kept:' || lpad(i::text, 6, '0'), 'all'
  from generate_series(1, 60000) i cross join generate_series(1, 2) n where n = 1 or i % 2 = 0`;
