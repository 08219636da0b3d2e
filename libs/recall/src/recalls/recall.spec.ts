import { describe, expect, it } from '@jest/globals';
import { type AffectedFacts, type ReachedFacts, actorsOf, tally, unitsOf } from '../impact/impact.rules.js';
import { nftRecalledPayload, recalledKey } from '../landing/publish-recalls.js';
import { NO_NOTICE, landedRecall, recallNotice } from './recall.js';

const [farmer, mill, shop] = ['0xFa', '0x31', '0x50'];
const lot = (tokenId: bigint, facts: Partial<AffectedFacts> = {}): AffectedFacts => ({
  tokenId,
  custodian: farmer,
  pendingCustodian: null,
  pastCustodians: [],
  status: 'active',
  usedUp: false,
  isContainer: false,
  remaining: 10_500_000n,
  leftSupplyChain: 0n,
  uom: 'H87',
  retireReason: null,
  unitKg: null,
  recallUnit: null,
  ...facts,
});
const bytes = (content: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(content));

describe('a recall notice', () => {
  it('is read from the metadata of the stored envelope', () => {
    const metadata = {
      reason: 'Salmonella',
      recallClass: 'I',
      depth: 'consumer',
      propagation: 'hold',
      reference: 'R-1',
      instructions: 'Return it.',
    };
    expect(recallNotice(bytes({ v: 1, metadata }))).toEqual({ ...metadata, prepared: null });
    expect(recallNotice(bytes({ v: 1, metadata, affected: { count: 3, block: 9 } }))?.prepared).toEqual({ affected: 3, block: 9 });
    expect(recallNotice(bytes({ v: 1, metadata, affected: { count: -3, block: 'x' } }))?.prepared).toBeNull();
  });

  it('takes what does not fit as not said', () => {
    expect(recallNotice(bytes({ metadata: { reason: 7, recallClass: 'IV', depth: [], propagation: 'all' } }))).toEqual(NO_NOTICE);
  });

  it('gives no text that cannot be stored', () => {
    expect(recallNotice(bytes({ metadata: { reason: 'a\u0000b', reference: 'x'.repeat(20_000) } }))).toMatchObject({
      reason: 'a\u{fffd}b',
      reference: 'x'.repeat(10_000),
    });
  });

  it.each([
    ['too large', bytes({ metadata: { reason: 'x'.repeat(600_000) } })],
    ['no JSON', new TextEncoder().encode('{')],
    ['no UTF-8', Uint8Array.of(0xff)],
    ['no envelope', bytes([1])],
    ['null metadata', bytes({ metadata: null })],
  ])('is none when the content is %s', (_, content) => {
    expect(recallNotice(content)).toBeNull();
  });
});

describe('what a recall reaches', () => {
  it('names each current, pending and past custodian once, sorted', () => {
    expect(actorsOf([lot(1n), lot(2n, { custodian: shop, pendingCustodian: mill }), lot(3n)])).toEqual([mill, shop, farmer]);
  });

  it.each<[string, Partial<AffectedFacts>, number]>([
    ['pieces, rounded up', {}, 11],
    ['bags of five kilograms', { uom: 'KGM', unitKg: 1, remaining: 7_001_000_000n, recallUnit: { massKg: 5 } }, 1401],
    ['an even number of bags, binary noise aside', { uom: 'H87', unitKg: 0.1, remaining: 3_000_000n, recallUnit: { massKg: 0.3 } }, 1],
    ['a lot by weight without a recall unit', { uom: 'KGM' }, 1],
    ['an unmeasured lot', { remaining: null, uom: null }, 1],
    ['a container', { isContainer: true }, 0],
    ['a used-up lot', { status: 'consumed', usedUp: true, remaining: 0n }, 0],
    ['an unmeasured lot that was used whole and then recalled', { status: 'recalled', usedUp: true, remaining: null, uom: null }, 0],
    ['a sold lot', { status: 'retired', retireReason: 'sold' }, 11],
    ['an exported lot', { status: 'retired', retireReason: 'exported' }, 11],
    ['a lost lot', { status: 'retired', retireReason: 'lost' }, 11],
    ['a destroyed lot', { status: 'retired', retireReason: 'destroyed' }, 0],
    ['a sampled lot', { status: 'retired', retireReason: 'sampled' }, 0],
    ['a voided lot', { status: 'retired', retireReason: 'voided' }, 0],
    ['a disposed lot', { status: 'retired', retireReason: 'disposed' }, 0],
    ['a lot of which a part was sold', { remaining: 40_000_000n, leftSupplyChain: 60_000_000n }, 100],
    ['the parts of one lot together, rounded up once', { leftSupplyChain: 10_500_000n }, 21],
    [
      'bags of which some were sold',
      { uom: 'KGM', unitKg: 1, remaining: 12_000_000n, leftSupplyChain: 8_000_000n, recallUnit: { massKg: 5 } },
      4,
    ],
    [
      'a lot by weight that was sold in part and then used up',
      { uom: 'KGM', usedUp: true, remaining: 0n, leftSupplyChain: 60_000_000n },
      1,
    ],
    [
      'a lot sold in part, then used up and recalled',
      { status: 'recalled', usedUp: true, remaining: 0n, leftSupplyChain: 60_000_000n },
      60,
    ],
    ['a lot sold in part and disposed of', { status: 'retired', retireReason: 'disposed', leftSupplyChain: 60_000_000n }, 60],
    ['a lot sold in two parts', { status: 'retired', retireReason: 'sold', remaining: 40_000_000n, leftSupplyChain: 60_000_000n }, 100],
  ])('counts %s', (_, facts, units) => {
    expect(unitsOf(lot(1n, facts))).toBe(units);
  });

  const reached = (tokenId: bigint, facts: Partial<ReachedFacts>): ReachedFacts => ({
    ...lot(tokenId),
    assetType: 'RICE',
    assetTypeName: 'Rice',
    country: 'VN',
    producedKg: null,
    usedKg: 0,
    lossKg: 0,
    gapKg: 0,
    partRetiredKg: 0,
    ...facts,
  });

  it('sums the rest and what left the supply chain, by unit', () => {
    const { quantities, unitsByAssetType } = tally([
      reached(1n, { remaining: 40_000_000n, leftSupplyChain: 60_000_000n }),
      reached(2n, { status: 'consumed', usedUp: true, remaining: 0n, leftSupplyChain: 5_000_000n }),
      reached(3n, { status: 'consumed', usedUp: true, remaining: 0n }),
      reached(4n, { status: 'retired', retireReason: 'disposed', leftSupplyChain: 1_000_000n, uom: 'KGM' }),
      reached(5n, { remaining: null, uom: null }),
      reached(6n, { isContainer: true }),
    ]);
    expect(quantities).toEqual({ H87: 105, KGM: 1 });
    expect(unitsByAssetType).toEqual([{ assetType: 'RICE', assetTypeName: 'Rice', lots: 6, units: 107 }]);
  });

  it('says where the mass went, and what is not accounted for', () => {
    const paddy = reached(1n, {
      status: 'consumed',
      usedUp: true,
      remaining: 0n,
      uom: 'KGM',
      unitKg: 1,
      producedKg: 100,
      usedKg: 90,
      lossKg: 4,
      gapKg: 6,
    });
    const sold = reached(2n, {
      status: 'retired',
      retireReason: 'sold',
      remaining: 80_000_000n,
      uom: 'KGM',
      unitKg: 1,
      producedKg: 90,
      partRetiredKg: 10,
    });
    const { reconciliation } = tally([paddy, sold, reached(3n, {}), reached(9n, { isContainer: true })]);
    expect(reconciliation).toEqual({
      total: { producedKg: 100, usedKg: 0, onHandKg: 0, retiredKg: 90, lossKg: 4, unaccountedKg: 6, accountedPercent: 94 },
      lots: [
        {
          tokenId: 1n,
          balance: { producedKg: 100, usedKg: 90, onHandKg: 0, retiredKg: 0, lossKg: 4, unaccountedKg: 6, accountedPercent: 94 },
        },
        {
          tokenId: 2n,
          balance: { producedKg: 90, usedKg: 0, onHandKg: 0, retiredKg: 90, lossKg: 0, unaccountedKg: 0, accountedPercent: 100 },
        },
      ],
      unmeasured: [3n],
    });
  });

  it('names those who held a lot before, with what they are to it', () => {
    const { affectedActors, actorRoles } = tally([reached(1n, { custodian: mill, pendingCustodian: shop, pastCustodians: [farmer] })]);
    expect(affectedActors).toEqual([mill, shop, farmer]);
    expect([...actorRoles].map(([address, { roles }]) => [address, ...roles])).toEqual([
      [mill, 'custodian'],
      [shop, 'pending'],
      [farmer, 'past'],
    ]);
  });
});

describe('nft.recalled', () => {
  const landing = {
    chainId: 31337,
    contract: '0xC0',
    recalledBy: mill,
    senderMismatch: false,
    preparedSender: null,
    dataHash: '0x1',
    at: new Date('2026-09-20T15:00:00Z'),
    block: 9,
    txHash: '0xT',
    logIndex: 4,
    txLogIndex: 1,
  };

  it('lists the first hundred affected lots and says that there are more', () => {
    const affected = Array.from({ length: 101 }, (_, i) => BigInt(i + 2));
    const recall = landedRecall(landing, [1n], { ...NO_NOTICE, reason: 'Salmonella' }, true);
    const data = nftRecalledPayload(recall, 1n, 'rice', {
      root: { tlc: 'RM-1', assetType: 'RICE' },
      affected,
      truncated: false,
      affectedActors: [farmer],
      estimatedUnits: 1122,
    });
    expect(data).toMatchObject({
      affectedCount: 101,
      affectedTruncated: true,
      estimatedUnits: 1122,
      reason: 'Salmonella',
      tlc: 'RM-1',
      impactUrl: '/api/v1/nfts/1/recall-impact',
    });
    expect(data.affectedTokenIds).toHaveLength(100);
  });

  it('gives no number of units when the walk was cut', () => {
    const recall = landedRecall(landing, [1n], NO_NOTICE, true);
    expect(
      nftRecalledPayload(recall, 1n, 'rice', { root: undefined, affected: [2n], truncated: true, affectedActors: [], estimatedUnits: 7 }),
    ).toMatchObject({
      affectedTruncated: true,
      estimatedUnits: null,
      tlc: null,
    });
  });

  it('keeps its id and key when a reorg lands its transaction elsewhere', () => {
    const [first, again] = [landing, { ...landing, block: 12, logIndex: 0 }].map((at) => landedRecall(at, [1n], NO_NOTICE, true));
    expect([again!.id, recalledKey(again!, 1n)]).toEqual([first!.id, recalledKey(first!, 1n)]);
  });
});
