import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ContentAddress, NotingContentStore, UnsentContents, addressOf } from '#content-storage';
import { newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { MemoryContent } from '#traceability/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { eventually } from '../harness/eventually.js';
import { type Values, insertRow } from './any-row.js';

const DAY_MS = 86_400_000;
const BEFORE = new Date(Date.now() - 30 * DAY_MS);
const MANY = 1_000;

/** Its deletions take as long as a test wants. */
class SlowContent extends MemoryContent {
  hold: Promise<void> = Promise.resolve();
  isDeleting = false;

  override async delete(cids: readonly string[]): Promise<void> {
    this.isDeleting = true;
    await super.delete(cids);
    await this.hold;
    this.isDeleting = false;
  }
}

describe('contents of what was never sent', () => {
  let database: TestDatabase;
  let bare: SlowContent;
  let store: NotingContentStore;
  let unsent: UnsentContents;
  let rebuilding = false;
  const tenant = newId();
  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    bare = new SlowContent();
    store = new NotingContentStore(bare, database.unitOfWork);
    unsent = new UnsentContents(
      bare,
      database.unitOfWork,
      contexts.flatMap(({ contents = [] }) => contents),
      async () => rebuilding,
    );
    await sql('delete from content.unsettled');
  });

  const sql = <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    database.unitOfWork.asSystem((tx) => tx.sql<Row>(text, values));
  const insert = (table: string, values: Values): Promise<string> =>
    database.unitOfWork.asSystem((tx) => insertRow(tx, table, { tenant_id: tenant, ...values }));
  const put = (): Promise<ContentAddress> => store.put(randomBytes(40));
  const pass = (days: number): Promise<unknown> =>
    sql(`update content.unsettled set stored_at = stored_at - $1 * interval '1 day', marked_at = marked_at - $1 * interval '1 day'`, [
      days,
    ]);
  /** What the job does in two hours. */
  async function twoRuns(): Promise<void> {
    await unsent.mark(BEFORE, MANY);
    await sql(`update content.unsettled set marked_at = marked_at - interval '1 hour'`);
    await unsent.deleteMarked(MANY);
  }
  const has = async ({ cid }: ContentAddress): Promise<boolean> => (await bare.get(cid)) !== null;
  const noted = async ({ cid }: ContentAddress): Promise<boolean> =>
    (await sql('select from content.unsettled where cid = $1 and deleted_at is null', [cid])).length > 0;

  it('are deleted after their time, one and many, and not before', async () => {
    const [alone, many] = [await put(), await store.putAll(Array.from({ length: 20 }, () => randomBytes(40)))];
    await twoRuns();
    expect(await has(alone)).toBe(true);
    await pass(31);
    const young = await put();
    await twoRuns();
    expect(await Promise.all([alone, ...many, young].map(has))).toEqual([...Array.from({ length: 21 }, () => false), true]);
  });

  it('are marked by one run, and deleted by a later one', async () => {
    const content = await put();
    await pass(31);
    expect(await unsent.mark(BEFORE, MANY)).toBe(1);
    expect([await unsent.deleteMarked(MANY), await has(content)]).toEqual([{ seen: 0, deleted: 0 }, true]);
  });

  it('stay while a record refers to them, and are noted no longer when it lasts', async () => {
    const [prepared, landed, declared, recalled, map] = await Promise.all([put(), put(), put(), put(), put()]);
    await insert('traceability.event', { status: 'prepared', ipfs_cid: prepared.cid, block_number: null });
    await insert('traceability.event', { status: 'recorded', ipfs_cid: landed.cid, block_number: 7 });
    await insert('traceability.error_declaration', { data_hash: declared.dataHash, landed: false, reason: 'did_not_occur' });
    await insert('recall.recall', { data_hash: recalled.dataHash, propagation: 'none' });
    await insert('traceability.process_map', { cid: map.cid });
    const all = [prepared, landed, declared, recalled, map];
    await pass(31);
    await twoRuns();
    expect(await Promise.all(all.map(has))).toEqual(all.map(() => true));
    expect(await Promise.all(all.map(noted))).toEqual([true, false, true, false, false]);
    await sql(`delete from traceability.event where ipfs_cid = $1`, [prepared.cid]);
    await sql(`delete from traceability.error_declaration where data_hash = $1`, [declared.dataHash]);
    await pass(31);
    await twoRuns();
    expect(await Promise.all(all.map(has))).toEqual([false, true, false, true, true]);
  });

  it('stay if a record refers to them after they were marked', async () => {
    const content = await put();
    await pass(31);
    await unsent.mark(BEFORE, MANY);
    await insert('traceability.event', { status: 'recorded', ipfs_cid: content.cid, block_number: 8 });
    await twoRuns();
    expect([await has(content), await noted(content)]).toEqual([true, false]);
  });

  it('stay if they are stored again before they are deleted', async () => {
    const bytes = randomBytes(40);
    const content = await store.put(bytes);
    await pass(31);
    await unsent.mark(BEFORE, MANY);
    await store.put(bytes);
    await twoRuns();
    expect(await has(content)).toBe(true);
  });

  it('are there if they are stored again while they are deleted', async () => {
    const bytes = randomBytes(40);
    const content = await store.put(bytes);
    await pass(31);
    await unsent.mark(BEFORE, MANY);
    await sql(`update content.unsettled set marked_at = marked_at - interval '1 hour'`);
    let end = (): void => undefined;
    // The bytes were there when they were stored again, and are deleted then.
    const given = bare.put.bind(bare);
    bare.hold = new Promise((resolve) => (end = resolve));
    const deletion = unsent.deleteMarked(MANY);
    await eventually('the deletion', () => bare.isDeleting);
    let puts = 0;
    bare.put = (again) => (++puts === 1 ? Promise.resolve(addressOf(again)) : given(again));
    const stored = store.put(bytes);
    end();
    await Promise.all([deletion, stored]);
    expect([await has(content), puts]).toEqual([true, 2]);
    await twoRuns();
    expect(await has(content)).toBe(true);
  });

  it('stay while the chain is read again, when the rows of records are missing', async () => {
    const content = await put();
    await pass(31);
    rebuilding = true;
    await twoRuns();
    rebuilding = false;
    expect([await has(content), await noted(content)]).toEqual([true, true]);
  });

  it('are stored once when a note fails, and the request fails', async () => {
    const broken = new NotingContentStore(bare, { writeAsSystem: () => Promise.reject(new Error('no database')) } as never);
    await expect(Promise.all([broken.put(randomBytes(8)), broken.putAll([randomBytes(8)])])).rejects.toThrow('no database');
  });
});
