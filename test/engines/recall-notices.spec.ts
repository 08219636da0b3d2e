import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LogBatch } from '#chain';
import type { Tenants } from '#identity';
import { type Hex, ZERO_BYTES32, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { recallPersistence } from '#recall';
import { recallLanding } from '#recall/testing';
import { traceabilityPersistence } from '#traceability';
import { LogWriter, AffectedSetQueries, HoldQueries, TracebackQueries, landingParts } from '#traceability/testing';
import { eventually } from '../harness/eventually.js';

const FARM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const KG = 1_000_000n;
const CHAIN = 31_337;

let db: TestDatabase;
let tenantId: string;
let none: { readonly cid: string; readonly dataHash: Hex };
let now: Date;
const { content, handler, lineage, lots, parties } = landingParts('demo', { [FARM]: 'org-farm' });
const sets = new AffectedSetQueries();
const tenants = { byId: async () => ({ slug: 'demo' }) } as unknown as Tenants;
const { projector: recallHandler, readNotices } = recallLanding({
  lineage,
  lots,
  tracebacks: new TracebackQueries(),
  affected: sets,
  holds: new HoldQueries(),
  content,
  tenants,
  parties,
});

beforeAll(async () => {
  db = await cloneTestDatabase([traceabilityPersistence, recallPersistence]);
  none = await content.keep({ v: 1, metadata: { reason: 'A torn label', propagation: 'none' } });
});
afterAll(() => db.drop());
beforeEach(async () => {
  tenantId = newId();
  now = new Date('2026-11-28T00:00:00Z');
  content.missing.clear();
  await undo(0);
});

const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.unitOfWork.inTransaction({ tenantId }, work);
const apply = async (tx: TenantTx, batch: LogBatch): Promise<void> => {
  await handler.apply(tx, batch);
  await recallHandler.apply(tx, batch);
};
const land = (batch: LogBatch): Promise<void> => inTenant((tx) => apply(tx, batch));
const undo = (lastGoodBlock: number): Promise<void> =>
  db.unitOfWork.asSystem(async (tx) => {
    await recallHandler.undo(tx, CHAIN, lastGoodBlock);
    await handler.undo(tx, CHAIN, lastGoodBlock);
  });
const landAll = async (story: Story, how: 'block by block' | 'in one batch'): Promise<void> => {
  if (how === 'in one batch') return land(story.batch());
  for (let block = 1; block <= story.blockNumber; block++) await land(story.batch(block, block));
};
/** A day later each time, when every notice is due. */
const readAgain = (): Promise<number> => {
  now = new Date(now.getTime() + 86_400_000);
  return readNotices(db.unitOfWork).readDue(now);
};

/** `[lot, since, until]` of what recalls of the first lot affect, itself among it. */
const affected = (): Promise<[number, number, number | null][]> =>
  inTenant(async (tx) => {
    const rows = await tx.sql<{ lot: number; since: number; until: number | null }>(
      `select token_id::integer as lot, from_block::integer as since, to_block::integer as until
       from traceability.recall_affected order by 2, 1`,
    );
    return rows.map(({ lot, since, until }) => [lot, since, until]);
  });
const propagations = (): Promise<unknown[]> =>
  inTenant(async (tx) =>
    (await tx.sql('select propagation from recall.recall order by block_number, log_index')).map((row) => row['propagation']),
  );

/** Lot 2 is made from lot 1 in the first block; each test adds what follows. */
class Story extends LogWriter {
  constructor() {
    super('0x5FbDB2315678afecb367f032d93F642f64180aa3', CHAIN);
    this.record({ id: newId(), processType: 'HARVEST', actor: FARM, outputs: [{ tlc: 'LOT-1', custodian: FARM, quantity: KG }] });
    this.make(1, 'LOT-2').mine();
  }

  make(input: number, tlc: string): this {
    const outputs = [{ tlc, custodian: FARM, quantity: KG }];
    return this.record({ id: newId(), processType: 'USE', actor: FARM, inputs: [BigInt(input)], consumed: [10n], outputs });
  }

  recall(dataHash: Hex): this {
    return this.send('LotsRecalled', { actor: FARM, dataHash, tokenIds: [1n] });
  }

  lift(): this {
    return this.send('RecallLifted', { actor: FARM, dataHash: ZERO_BYTES32, tokenIds: [1n] });
  }
}
/** A recall without a notice flags. */
const FLAG = ZERO_BYTES32;

describe.each(['block by block', 'in one batch'] as const)('a recall with propagation `none`, landed %s', (how) => {
  it('changes no lot that it reaches, also none minted later, and still counts these lots', async () => {
    await landAll(new Story().recall(none.dataHash).mine().make(2, 'LOT-3').mine().make(1, 'LOT-4'), how);
    expect(await affected()).toEqual([]);
    expect(await propagations()).toEqual(['none']);
    const [kept, reached] = await inTenant(async (tx) => {
      const roots = new Map([['one', [1n]] as const, ['both', [1n, 2n]] as const, ['last', [4n]] as const]);
      return [await sets.sizes(tx, roots), await sets.reaches(tx, roots)];
    });
    expect([...kept]).toEqual([]);
    expect(Object.fromEntries(reached)).toEqual({ one: 3, both: 3 });
  });

  it('lifted and followed by one that flags leaves what that affects', async () => {
    const story = new Story().recall(none.dataHash).mine().make(2, 'LOT-3').mine().lift().mine().recall(FLAG).mine().make(3, 'LOT-4');
    await landAll(story, how);
    expect(await propagations()).toEqual(['none', 'flag']);
    expect(await affected()).toEqual([
      [1, 5, null],
      [2, 5, null],
      [3, 5, null],
      [4, 6, null],
    ]);
  });

  it('after one that flagged and was lifted leaves the past of that', async () => {
    await landAll(new Story().recall(FLAG).mine().lift().mine().recall(none.dataHash).mine().make(2, 'LOT-3'), how);
    expect(await affected()).toEqual([
      [1, 2, 3],
      [2, 2, 3],
    ]);
  });

  it('counts by the last recall of a block', async () => {
    await landAll(new Story().recall(none.dataHash).lift().recall(FLAG), how);
    expect(await affected()).toEqual([
      [1, 2, null],
      [2, 2, null],
    ]);
    tenantId = newId();
    await undo(0);
    await landAll(new Story().recall(FLAG).lift().recall(none.dataHash), how);
    expect(await affected()).toEqual([]);
  });

  it('is the same again after its blocks, or only later ones, were taken back', async () => {
    const story = new Story().recall(none.dataHash).mine().make(2, 'LOT-3').mine().lift().mine().recall(FLAG).mine();
    await landAll(story, how);
    const before = await affected();
    for (const lastGood of [4, 3, 2, 1, 0]) {
      await undo(lastGood);
      expect(await affected()).toEqual([]);
      await land(story.batch(lastGood + 1));
      expect(await affected()).toEqual(before);
    }
  });

  it('flags until its notice can be read, and not from then on', async () => {
    content.missing.add(none.cid);
    const story = new Story().recall(none.dataHash).mine().make(2, 'LOT-3').mine();
    await landAll(story, how);
    expect(await readAgain()).toBe(0);
    expect(await affected()).toEqual([
      [1, 2, null],
      [2, 2, null],
      [3, 3, null],
    ]);
    content.missing.clear();
    expect(await readAgain()).toBe(1);
    expect(await affected()).toEqual([]);
    await land(story.make(3, 'LOT-4').batch(4));
    expect(await affected()).toEqual([]);

    await undo(1);
    await land(story.batch(2));
    expect([await propagations(), await affected()]).toEqual([['none'], []]);
  });

  it('whose notice is read after others followed takes nothing of theirs', async () => {
    content.missing.add(none.cid);
    await landAll(new Story().recall(FLAG).mine().lift().mine().recall(none.dataHash).mine().lift().mine().recall(FLAG), how);
    expect((await affected()).map(([, since, until]) => [since, until])).toEqual(
      [2, 2, 4, 4, 6, 6].map((block) => [block, block === 6 ? null : block + 1]),
    );
    content.missing.clear();
    expect(await readAgain()).toBe(1);
    expect(await affected()).toEqual([
      [1, 2, 3],
      [2, 2, 3],
      [1, 6, null],
      [2, 6, null],
    ]);
  });
});

/** Lands a block that makes lot 3 of lot 2, and begins to read the notice before that is committed. */
async function readMeanwhile(notice: { readonly cid: string; readonly dataHash: Hex }): Promise<number> {
  content.missing.add(notice.cid);
  const story = new Story().recall(notice.dataHash).mine();
  await land(story.batch());
  expect(await affected()).toHaveLength(2);
  content.missing.clear();
  const { reading } = await inTenant(async (tx) => {
    await apply(tx, story.make(2, 'LOT-3').batch(3));
    const other = readAgain();
    await eventually('the notice that waits', async () => {
      const waiting = await tx.sql(
        `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.length > 0;
    });
    return { reading: other };
  });
  return reading;
}

it('is spared whole where its notice is read while a block adds to what it affects', async () => {
  expect(await readMeanwhile(none)).toBe(1);
  expect(await affected()).toEqual([]);
});

it('holds whole what it affects where its notice is read while a block adds to that', async () => {
  expect(await readMeanwhile(await content.keep({ v: 1, metadata: { reason: 'Mould', propagation: 'hold' } }))).toBe(1);
  const held = await inTenant((tx) => tx.sql('select token_id::integer as lot from traceability.lot_hold order by 1'));
  expect(held).toEqual([{ lot: 2 }, { lot: 3 }]);
});
