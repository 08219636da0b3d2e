import { describe, expect, it } from '@jest/globals';
import { ZERO_BYTES32, keccakOf } from '#kernel';
import { ALL, type Landing, LotVersion, type MintFacts } from '../lots/lot.js';
import { LotFold, type RecordedEffects } from './lot-fold.js';

const [FARM, MILL, SHOP] = ['0xFarm', '0xMill', '0xShop'] as const;
let clock = 0;
const later = (): Landing => ({ block: ++clock, logIndex: 0, time: new Date(clock * 1000) });

/** A fold in which these lots were just minted. */
function given(...lots: readonly { id: bigint; kg?: number; by?: string; depth?: number }[]): LotFold {
  const fold = new LotFold();
  for (const { id, kg, by = FARM, depth = 0 } of lots) fold.minted(minted(id, kg, by, depth));
  return fold;
}

function minted(tokenId: bigint, kg: number | undefined, custodian: string, depth: number): LotVersion {
  const quantity = kg === undefined ? null : BigInt(kg) * 1_000_000n;
  const facts = { tokenId, quantity, depth, tlc: `L${tokenId}`, tlcHash: keccakOf(`L${tokenId}`), dataHash: ZERO_BYTES32 } as MintFacts;
  return LotVersion.minted(facts, custodian, later());
}

const event = (effects: Partial<RecordedEffects>): RecordedEffects => ({
  eventId: 'e',
  mode: 0,
  inputTokenIds: [],
  consumed: [],
  firstOutputId: 0n,
  outputCount: 0,
  ...effects,
});

/** Packs, and mints the container that they go into. */
function pack(fold: LotFold, container: bigint, contents: readonly bigint[]): void {
  fold.recorded(event({ mode: 1, inputTokenIds: contents, firstOutputId: container, outputCount: 1 }), later());
  fold.minted(minted(container, undefined, fold.lot(contents[0]!).custodian, 1));
}

describe('splitting lots', () => {
  const txHash = `0x${'ab'.repeat(32)}` as const;

  it('makes a part a lot of its own under the same code and leaves the rest', () => {
    const fold = given({ id: 1n, kg: 100 });
    const at = later();
    fold.split(1n, 2n, 40_000_000n, { ...at, txHash });
    expect(fold.lot(1n)).toMatchObject({ quantity: 100_000_000n, remaining: 60_000_000n, splitFrom: null, usedUp: false });
    expect(fold.lot(2n)).toMatchObject({ quantity: 40_000_000n, remaining: 40_000_000n, splitFrom: 1n, tlc: 'L1', custodian: FARM });
    expect(fold.lot(2n)).toMatchObject({ mintTx: txHash, mintBlock: at.block, fromBlock: at.block, toBlock: null });
    expect(fold.edges).toEqual([{ fromToken: 1n, toToken: 2n, eventId: null, kind: 'split', quantity: 40_000_000n, block: at.block }]);
  });

  it('of an offered lot leaves the part in the offer until its receiver has closed it', () => {
    const fold = given({ id: 1n, kg: 100 });
    fold.offered([1n], MILL, 7n, later());
    fold.split(1n, 2n, 10_000_000n, { ...later(), txHash });
    fold.custodyMoved([1n], MILL, later());
    expect(fold.lot(2n)).toMatchObject({ custodian: FARM, pendingCustodian: MILL, offerNo: 7n });
    fold.offerClosed([2n], later());
    expect(fold.lot(2n)).toMatchObject({ custodian: FARM, pendingCustodian: null, remaining: 10_000_000n });
    expect(fold.lot(1n)).toMatchObject({ custodian: MILL, pendingCustodian: null, remaining: 90_000_000n });
  });

  it('is followed by a corrected expiry, the parts of parts too', () => {
    const fold = given({ id: 1n, kg: 100 }, { id: 4n, kg: 1 });
    fold.split(1n, 5n, 40_000_000n, { ...later(), txHash });
    fold.split(5n, 6n, 10_000_000n, { ...later(), txHash });
    const expiresAt = new Date('2027-01-01T00:00:00Z');
    fold.expiryCorrected([1n], expiresAt, later());
    expect([1n, 5n, 6n, 4n].map((tokenId) => fold.lot(tokenId).expiresAt)).toEqual([expiresAt, expiresAt, expiresAt, null]);
  });
});

describe('using lots', () => {
  it('takes a part and leaves the rest', () => {
    const fold = given({ id: 1n, kg: 100 });
    fold.recorded(event({ inputTokenIds: [1n], consumed: [40_000_000n], firstOutputId: 2n, outputCount: 2 }), later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 60_000_000n, usedUp: false });
    expect(fold.edges.map(({ fromToken, toToken, quantity }) => [fromToken, toToken, quantity])).toEqual([
      [1n, 2n, 40_000_000n],
      [1n, 3n, 40_000_000n],
    ]);
  });

  it('uses up a measured lot by its last gram and an unmeasured one as a whole', () => {
    const fold = given({ id: 1n, kg: 1 }, { id: 2n });
    fold.recorded(event({ inputTokenIds: [1n, 2n], consumed: [1_000_000n, ALL], firstOutputId: 3n, outputCount: 1 }), later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 0n, usedUp: true });
    expect(fold.lot(2n)).toMatchObject({ remaining: null, usedUp: true });
    expect(fold.edges.map((edge) => edge.quantity)).toEqual([1_000_000n, null]);
  });

  it('leaves an observed lot as it was, without an edge or a version', () => {
    const fold = given({ id: 1n, kg: 1 });
    const before = fold.lot(1n);
    fold.recorded(event({ inputTokenIds: [1n], consumed: [0n], firstOutputId: 9n }), later());
    expect(fold.lot(1n)).toBe(before);
    expect(fold.edges).toEqual([]);
  });

  it('draws nothing for an event that is attached to a custody or retire call', () => {
    const fold = given({ id: 1n, kg: 1 });
    fold.recorded(event({ inputTokenIds: [1n] }), later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 1_000_000n, usedUp: false });
  });

  it('gives back what a voided event took and retires what it made', () => {
    const fold = given({ id: 1n, kg: 10 }, { id: 2n });
    const milling = event({ inputTokenIds: [1n, 2n], consumed: [10_000_000n, ALL], firstOutputId: 3n, outputCount: 1 });
    fold.recorded(milling, later());
    fold.minted(minted(3n, 8, FARM, 0));
    fold.voided(milling, later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 10_000_000n, usedUp: false });
    expect(fold.lot(2n)).toMatchObject({ remaining: null, usedUp: false });
    expect(fold.lot(3n)).toMatchObject({ retireReason: 'voided', remaining: 8_000_000n });
  });
});

describe('containers', () => {
  it('move with everything inside, at any depth', () => {
    const fold = given({ id: 1n }, { id: 2n });
    pack(fold, 3n, [1n, 2n]);
    pack(fold, 4n, [3n]);
    fold.offered([4n], MILL, 7n, later());
    expect(fold.lot(1n).pendingCustodian).toBeNull();
    fold.custodyMoved([4n], MILL, later());
    expect([1n, 2n, 3n, 4n].map((id) => fold.lot(id).custodian)).toEqual([MILL, MILL, MILL, MILL]);
    expect(fold.lot(4n)).toMatchObject({ pendingCustodian: null, offerNo: 7n });
  });

  it('set their contents free where they are when broken up, one level at a time', () => {
    const fold = given({ id: 1n });
    pack(fold, 2n, [1n]);
    pack(fold, 3n, [2n]);
    fold.custodyMoved([3n], SHOP, later());
    fold.recorded(event({ mode: 2, inputTokenIds: [3n] }), later());
    expect(fold.lot(3n)).toMatchObject({ retireReason: 'unpacked' });
    expect(fold.lot(2n)).toMatchObject({ containerTokenId: null, custodian: SHOP, retiredAt: null });
    expect(fold.lot(1n)).toMatchObject({ containerTokenId: 2n, custodian: SHOP });
  });

  it('take their contents with them when retired', () => {
    const fold = given({ id: 1n, kg: 5 });
    pack(fold, 2n, [1n]);
    fold.retired([2n], [ALL], 'destroyed', later());
    expect(fold.lot(1n)).toMatchObject({ retireReason: 'destroyed', remaining: 5_000_000n });
  });

  it('are marked, upwards only, by a recall of what they hold, and stay marked when it is lifted', () => {
    const fold = given({ id: 1n }, { id: 2n });
    pack(fold, 3n, [1n, 2n]);
    pack(fold, 4n, [3n]);
    fold.recalled([1n], later());
    expect([2n, 3n, 4n].map((id) => fold.lot(id).holdsRecalled)).toEqual([false, true, true]);
    expect([1n, 2n, 3n].map((id) => fold.lot(id).recalledAt !== null)).toEqual([true, false, false]);
    fold.recallLifted([1n], later());
    expect(fold.lot(1n).recalledAt).toBeNull();
    expect(fold.lot(4n).holdsRecalled).toBe(true);
  });
});

describe('custody', () => {
  it('is as before after a rejected or cancelled offer, but remembers its number', () => {
    const fold = given({ id: 1n });
    fold.offered([1n], MILL, 3n, later());
    fold.offerClosed([1n], later());
    expect(fold.lot(1n)).toMatchObject({ custodian: FARM, pendingCustodian: null, offerNo: 3n });
  });

  it('follows a wallet to its new address: what it holds, what is inside, and what it is offered', () => {
    const fold = given({ id: 1n, by: MILL }, { id: 2n }, { id: 3n, by: SHOP });
    pack(fold, 4n, [1n]);
    fold.offered([2n], MILL, 1n, later());
    fold.walletMoved(MILL, '0xNew', later());
    expect([1n, 2n, 3n, 4n].map((id) => fold.lot(id).custodian)).toEqual(['0xNew', FARM, SHOP, '0xNew']);
    expect(fold.lot(2n).pendingCustodian).toBe('0xNew');
  });
});

describe('retiring', () => {
  it('in part leaves the rest in stock; the last part retires the lot with what it had', () => {
    const fold = given({ id: 1n, kg: 10 });
    fold.retired([1n, 1n], [4_000_000n, 1_000_000n], 'sampled', later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 5_000_000n, retiredAt: null });
    fold.retired([1n], [5_000_000n], 'sold', later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 5_000_000n, retireReason: 'sold' });
  });

  it.each([
    ['sold', 3_000_000n],
    ['exported', 3_000_000n],
    ['lost', 3_000_000n],
    ['disposed', 0n],
    ['destroyed', 0n],
    ['sampled', 0n],
    ['migrated', 0n],
  ] as const)('in part as %s remembers how much left the supply chain', (reason, leftSupplyChain) => {
    const fold = given({ id: 1n, kg: 10 });
    fold.retired([1n, 1n], [1_000_000n, 2_000_000n], reason, later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 7_000_000n, leftSupplyChain });
  });

  it('of the rest leaves what left the supply chain as it was, and so does using it up and giving it back', () => {
    const fold = given({ id: 1n, kg: 10 });
    fold.retired([1n], [6_000_000n], 'sold', later());
    const use = event({ inputTokenIds: [1n], consumed: [4_000_000n], firstOutputId: 2n });
    fold.recorded(use, later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 0n, usedUp: true, leftSupplyChain: 6_000_000n });
    fold.voided(use, later());
    fold.retired([1n], [ALL], 'lost', later());
    expect(fold.lot(1n)).toMatchObject({ remaining: 4_000_000n, retireReason: 'lost', leftSupplyChain: 6_000_000n });
  });
});

describe('versions', () => {
  it('chain up without a gap: each ends at the log where the next begins', () => {
    const stored = minted(1n, 10, FARM, 0);
    const fold = new LotFold([stored]);
    const [first, second] = [later(), later()];
    fold.offered([1n], MILL, 1n, first);
    fold.custodyMoved([1n], MILL, second);
    expect(fold.closed).toEqual([expect.objectContaining({ fromBlock: stored.fromBlock, toBlock: first.block, toLog: 0 })]);
    expect(fold.opened.map(({ fromBlock, toBlock, custodian }) => [fromBlock, toBlock, custodian])).toEqual([
      [first.block, second.block, FARM],
      [second.block, null, MILL],
    ]);
  });

  it('hold what stood right after a log, however often it touched the lot', () => {
    const fold = given({ id: 1n, kg: 10 });
    fold.retired([1n, 1n], [1_000_000n, 2_000_000n], 'sampled', later());
    expect(fold.opened.map(({ remaining }) => remaining)).toEqual([10_000_000n, 7_000_000n]);
  });

  it('refuses a log about a lot that was never minted', () => {
    expect(() => given().offered([5n], MILL, 1n, later())).toThrow('lot 5');
  });
});
