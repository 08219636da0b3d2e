import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ContractLog } from '#chain';
import { type ContentStore, addressOf } from '#content-storage';
import type { Parties, Tenants } from '#identity';
import { type Hex, ZERO_BYTES32, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { recallPersistence } from '#recall';
import { recallLanding } from '#recall/testing';
import { eventually } from '../harness/eventually.js';
import type { AffectedSets, Holds, Lineage, Lots, Traceback, Tracebacks } from '#traceability';

const contract = '0xC0';
const admin = '0xAd';
const tenantId = newId();
const notice = new TextEncoder().encode(
  JSON.stringify({ v: 1, metadata: { reason: 'Salmonella', recallClass: 'I', depth: 'consumer', instructions: 'Bring it back.' } }),
);
const { cid, dataHash } = addressOf(notice);
const holdingNotice = new TextEncoder().encode(JSON.stringify({ v: 1, metadata: { reason: 'Glass', propagation: 'hold' } }));
const holding = addressOf(holdingNotice);
const rottenNotice = new TextEncoder().encode(String.raw`{"metadata":{"reason":"a\u0000b","reference":"\ud800"}}`);
const rotten = addressOf(rottenNotice);

/** Bag 5 was made of lot 1. */
const tracebacks = {
  of: async (_tx: unknown, ids: readonly bigint[]) =>
    ids.map(
      (tokenId) =>
        ({
          tokenId,
          tlc: `LOT-${tokenId}`,
          assetType: 'RICE',
          custodian: `0x${tokenId}`,
          pendingCustodian: null,
          pastCustodians: [] as readonly string[],
          status: 'active',
          usedUp: false,
          isContainer: false,
          remaining: 3_000_000n,
          leftSupplyChain: 0n,
          uom: 'H87',
          producedKg: null,
        }) as unknown as Traceback,
    ),
} as unknown as Tracebacks;
const lineage = {
  reachOfEach: async (_tx: unknown, roots: readonly bigint[]) =>
    new Map(roots.map((root) => [root, { lots: root === 1n ? [5n] : [], truncated: false }])),
} as unknown as Lineage;
let storeAnswers = true;
let silent = false;
let asks = 0;
const content = {
  get: async (asked: string) => {
    asks++;
    if (silent) return new Promise<null>(() => undefined);
    if (!storeAnswers) throw new Error('away');
    return asked === cid ? notice : asked === holding.cid ? holdingNotice : asked === rotten.cid ? rottenNotice : null;
  },
} as unknown as ContentStore;
const held: bigint[] = [];
const holds = {
  place: async (_tx: unknown, lots: readonly { tokenId: bigint }[]) => void held.push(...lots.map(({ tokenId }) => tokenId)),
  release: async (_tx: unknown, ids: readonly bigint[]) => {
    for (const id of ids) if (held.includes(id)) held.splice(held.indexOf(id), 1);
  },
} as unknown as Holds;
/** Bag 5 is affected since block 10, and bag 6, made later, since block 11. */
const affected = {
  lockTenantSets: async () => undefined,
  since: async (_tx: unknown, roots: readonly bigint[], block: number) =>
    [10, 11].flatMap((made) =>
      made >= block && roots.includes(1n)
        ? [{ root: 1n, tokenId: BigInt(made - 5), block: made, at: new Date(Date.UTC(2026, 8, 20, 0, 0, made)) }]
        : [],
    ),
} as unknown as AffectedSets;
const lots = { byTokenIds: async () => [] } as unknown as Lots;
const parties = { labels: async () => new Map() } as unknown as Parties;
const tenants = { byId: async () => ({ slug: 'rice' }) } as unknown as Tenants;
const {
  projector: handler,
  holdQueries,
  readNotices,
} = recallLanding({ lineage, tracebacks, affected, holds, lots, content, tenants, parties });

const log = (name: 'LotsRecalled' | 'RecallLifted', block: number, tokenIds: bigint[], hash: Hex = dataHash): ContractLog => ({
  name,
  args: { actor: admin, dataHash: hash, tokenIds },
  contract,
  block: { number: block, hash: `0x${block}`, timestamp: new Date(Date.UTC(2026, 8, 20, 0, 0, block)) },
  txHash: `0x${name}${block}` as Hex,
  logIndex: 2,
  txLogIndex: 0,
});

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneTestDatabase([recallPersistence]);
});
afterAll(() => database.drop());
beforeEach(async () => {
  storeAnswers = true;
  held.length = 0;
  await database.unitOfWork.asSystem(async (tx) => {
    await tx.sql('delete from recall.recall');
    await tx.sql('delete from recall.hold');
    await tx.sql('delete from recall.propagation_end');
    await tx.sql('delete from persistence.outbox');
  });
});

const land = (...logs: ContractLog[]): Promise<void> =>
  database.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, { chainId: 31337, contract, logs }));
const undo = (lastGoodBlock: number): Promise<void> => database.unitOfWork.asSystem((tx) => handler.undo(tx, 31337, lastGoodBlock));
const read = (sql: string): Promise<Record<string, unknown>[]> => database.unitOfWork.inTransaction({ tenantId }, (tx) => tx.sql(sql));
const recalls = (): Promise<Record<string, unknown>[]> => read('select * from recall.recall order by block_number');
const recalledLots = (): Promise<Record<string, unknown>[]> =>
  read('select token_id, lifted_by, lifted_block from recall.recalled_lot order by token_id, lifted_block');
const topics = async (): Promise<Record<string, unknown>[]> =>
  (await read('select body from persistence.outbox order by seq')).map(
    ({ body }) => (JSON.parse(String(body)) as { data: Record<string, unknown> }).data,
  );

const holdRows = (): Promise<Record<string, unknown>[]> => read('select * from recall.hold order by token_id, source');
const minted = (block: number, tokenId: bigint, tlcHash: Hex): ContractLog => ({
  ...log('LotsRecalled', block, []),
  name: 'LotMinted',
  args: { tokenId, eventId: ZERO_BYTES32, tlcHash, custodian: admin, quantity: 1n, assetType: ZERO_BYTES32, expiresAt: 0n },
});
const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => database.unitOfWork.inTransaction({ tenantId }, work);

describe('holds follow the chain', () => {
  const recalled = log('LotsRecalled', 10, [1n], holding.dataHash);
  const lifted = log('RecallLifted', 12, [1n]);

  it('are active again when the block that lifted their recall is undone, and end when it comes again', async () => {
    await land(recalled);
    expect(held).toEqual([5n, 6n]);
    await land(lifted);
    expect(held).toEqual([]);
    const ended = await holdRows();
    expect(ended).toMatchObject([{ released_by: admin, released_block: '12' }, { released_block: '12' }]);

    await undo(11);
    expect(held).toEqual([5n, 6n]);
    expect(await holdRows()).toMatchObject([{ released_at: null, released_block: null }, { released_at: null }]);
    await land(lifted);
    expect(held).toEqual([]);
    expect(await holdRows()).toEqual(ended);
  });

  it('stay released after a user released them, although their blocks come again', async () => {
    await land(recalled);
    const [{ id }] = (await recalls()) as [{ id: string }];
    const by = { id: 'somebody', at: new Date('2026-09-20T01:00:00Z') };
    await inTenant(async (tx) => holds.release(tx, await holdQueries.release(tx, { tokenIds: [5n] }, by)));
    expect(held).toEqual([6n]);
    await undo(9);
    expect(held).toEqual([]);
    await land(recalled);
    expect(held).toEqual([6n]);

    await inTenant(async (tx) => {
      expect(await holdQueries.endPropagation(tx, id, by)).toBe(true);
      await holds.release(tx, await holdQueries.release(tx, { source: id }, by));
    });
    await undo(9);
    await land(recalled);
    expect(held).toEqual([]);
  });

  it('are not placed by a notice that is found after a user ended them', async () => {
    storeAnswers = false;
    await land(recalled);
    const [{ id }] = (await recalls()) as [{ id: string }];
    await inTenant((tx) => holdQueries.endPropagation(tx, id, { id: 'somebody', at: new Date() }));
    storeAnswers = true;
    await readNotices(database.unitOfWork).readDue(new Date());
    expect(await recalls()).toMatchObject([{ resolved: true, propagation: 'hold' }]);
    expect(held).toEqual([]);
  });

  it('are not placed by a process that read the recall before a user ended them', async () => {
    await land(recalled);
    const [{ id }] = (await recalls()) as [{ id: string }];
    const by = { id: 'somebody', at: new Date() };
    await inTenant(async (tx) => {
      await holdQueries.endPropagation(tx, id, by);
      await holdQueries.release(tx, { source: id }, by);
    });
    const late = { tokenId: 8n, source: id, reason: 'Glass', by: admin, at: new Date(), block: 13, tlcHash: null };
    expect(await inTenant((tx) => holdQueries.place(tx, [late, { ...late, source: 'quality' }], 31337))).toEqual([
      { ...late, source: 'quality' },
    ]);
  });

  it('change one after the other, so that no change is lost', async () => {
    await land(recalled);
    const [quality, by] = [
      { tokenId: 5n, source: 'quality', reason: 'Lab', by: 'somebody' },
      { id: 'somebody', at: new Date() },
    ];
    const released = await inTenant(async (tx) => {
      await holdQueries.place(tx, [{ ...quality, at: new Date(), block: null, tlcHash: null }], null);
      const other = inTenant((own) => holdQueries.release(own, { tokenIds: [5n] }, by));
      await eventually('the release that waits', async () => {
        const waiting = await tx.sql(
          `select from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
        );
        return waiting.length > 0;
      });
      return { other };
    });
    expect(await released.other).toEqual([5n]);
    expect((await holdRows()).filter((row) => row['token_id'] === '5' && row['released_at'] === null)).toEqual([]);
  });

  it('of quality are of the lot, not of its number', async () => {
    const [one, other] = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`] as const;
    const quality = { tokenId: 7n, source: 'quality', reason: 'Lab', by: 'somebody', at: new Date(), block: null, tlcHash: one };
    await inTenant(async (tx) => holds.place(tx, await holdQueries.place(tx, [quality], null)));
    await land(minted(14, 7n, one));
    expect(held).toEqual([7n]);
    await undo(13);
    await land(minted(14, 7n, other));
    expect(held).toEqual([]);
    expect(await holdRows()).toEqual([]);
  });
});

describe('recall follows the chain', () => {
  it('keeps what was recalled with its notice and tells of each lot and what it reaches', async () => {
    await land(log('LotsRecalled', 10, [1n, 2n]));
    expect(await recalls()).toMatchObject([
      {
        reason: 'Salmonella',
        recall_class: 'I',
        depth: 'consumer',
        propagation: 'flag',
        instructions: 'Bring it back.',
        resolved: true,
        recalled_by: admin,
        block_number: '10',
      },
    ]);
    expect(await topics()).toMatchObject([
      {
        tokenId: 1,
        tlc: 'LOT-1',
        affectedCount: 1,
        affectedTokenIds: [5],
        affectedTruncated: false,
        affectedActors: ['0x1', '0x5'],
        estimatedUnits: 6,
        recalledBy: admin,
      },
      { tokenId: 2, affectedCount: 0, affectedActors: ['0x2'], estimatedUnits: 3 },
    ]);
  });

  it('keeps a recall whose notice cannot be read, marked', async () => {
    storeAnswers = false;
    await land(log('LotsRecalled', 10, [1n]));
    storeAnswers = true;
    await land(log('LotsRecalled', 11, [2n], `0x${'1'.repeat(64)}`), log('LotsRecalled', 12, [3n], ZERO_BYTES32));
    expect((await recalls()).map((row) => [row['resolved'], row['reason']])).toEqual([
      [false, null],
      [false, null],
      [true, null],
    ]);
  });

  it('waits for a store that is silent once in a block, not once for each recall', async () => {
    silent = true;
    asks = 0;
    await land(...[10, 11, 12, 13].map((block) => log('LotsRecalled', block, [BigInt(block)])));
    silent = false;
    expect(asks).toBe(1);
    expect((await recalls()).map(({ resolved }) => resolved)).toEqual([false, false, false, false]);
  });

  it('is not stopped by a notice that cannot be stored as it is', async () => {
    await land(log('LotsRecalled', 10, [1n], rotten.dataHash));
    expect(await recalls()).toMatchObject([{ resolved: true, reason: 'a\u{fffd}b', reference: '\u{fffd}' }]);
    expect(await topics()).toMatchObject([{ reason: 'a\u{fffd}b' }]);
  });

  it('reads such a notice when it turns up, and holds what it asks to hold', async () => {
    storeAnswers = false;
    await land(log('LotsRecalled', 10, [1n], holding.dataHash));
    let now = new Date('2026-11-28T00:00:00Z');
    const readDue = (): Promise<number> => readNotices(database.unitOfWork).readDue(now);
    expect(await readDue()).toBe(0);
    storeAnswers = true;
    expect(await readDue()).toBe(0); // not due yet
    now = new Date('2026-11-28T00:01:01Z');
    expect(await readDue()).toBe(1);
    expect(await recalls()).toMatchObject([{ resolved: true, reason: 'Glass', propagation: 'hold' }]);
    expect(held).toEqual([5n, 6n]);
    expect((await holdRows()).map(({ block_number }) => block_number)).toEqual(['10', '11']);
    expect(await readDue()).toBe(0);
  });

  it('marks what was lifted, and lets the lot be recalled again', async () => {
    await land(log('LotsRecalled', 10, [1n, 2n]), log('RecallLifted', 12, [1n]), log('LotsRecalled', 14, [1n]));
    expect(await recalledLots()).toEqual([
      { token_id: '1', lifted_by: admin, lifted_block: '12' },
      { token_id: '1', lifted_by: null, lifted_block: null },
      { token_id: '2', lifted_by: null, lifted_block: null },
    ]);
  });

  it('takes back by block and gives the same rows and no second topic when the blocks come again', async () => {
    const history = [log('LotsRecalled', 10, [1n, 2n]), log('RecallLifted', 12, [1n]), log('LotsRecalled', 14, [1n])];
    await land(...history);
    const before = [await recalls(), await recalledLots(), await topics()];

    await undo(11);
    expect(await recalledLots()).toEqual([
      { token_id: '1', lifted_by: null, lifted_block: null },
      { token_id: '2', lifted_by: null, lifted_block: null },
    ]);

    await land(...history.slice(1));
    expect([await recalls(), await recalledLots(), await topics()]).toEqual(before);

    await undo(9);
    expect([await recalls(), await recalledLots()]).toEqual([[], []]);
  });
});
