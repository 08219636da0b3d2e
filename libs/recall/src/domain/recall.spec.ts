import { describe, expect, it } from '@jest/globals';
import { type AffectedFacts, affectedActors, estimatedUnits } from './affected.js';
import { nftRecalled, recalledKey } from './nft-recalled.js';
import { NO_NOTICE, recallNotice } from './recall-notice.js';
import { landedRecall } from './recall.js';

const [farmer, mill, shop] = ['0xFa', '0x31', '0x50'];
const lot = (tokenId: bigint, facts: Partial<AffectedFacts> = {}): AffectedFacts => ({
  tokenId,
  custodian: farmer,
  pendingCustodian: null,
  status: 'active',
  isContainer: false,
  remaining: 10_500_000n,
  uom: 'H87',
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
    expect(recallNotice(bytes({ v: 1, metadata }))).toEqual(metadata);
  });

  it('takes what does not fit as not said', () => {
    expect(recallNotice(bytes({ metadata: { reason: 7, recallClass: 'IV', depth: [], propagation: 'all' } }))).toEqual(NO_NOTICE);
  });

  it.each([
    ['no JSON', new TextEncoder().encode('{')],
    ['no UTF-8', Uint8Array.of(0xff)],
    ['no envelope', bytes([1])],
    ['null metadata', bytes({ metadata: null })],
  ])('is none when the content is %s', (_, content) => {
    expect(recallNotice(content)).toBeNull();
  });
});

describe('what a recall reaches', () => {
  it('names each current and pending custodian once, sorted', () => {
    expect(affectedActors([lot(1n), lot(2n, { custodian: shop, pendingCustodian: mill }), lot(3n)])).toEqual([mill, shop, farmer]);
  });

  it('counts pieces, rounded up per lot, and neither containers nor used-up lots', () => {
    const pallet = lot(9n, { isContainer: true, remaining: null, uom: null });
    expect(estimatedUnits([lot(1n), lot(2n, { remaining: 1_000_000n }), pallet, lot(3n, { status: 'consumed', remaining: 0n })])).toBe(12);
  });

  it.each<[string, Partial<AffectedFacts>]>([
    ['a lot by weight', { uom: 'KGM' }],
    ['an unmeasured lot', { remaining: null }],
    ['a retired lot', { status: 'retired' }],
  ])('does not guess for %s', (_, facts) => {
    expect(estimatedUnits([lot(1n), lot(2n, facts)])).toBeNull();
  });
});

describe('nft.recalled', () => {
  const landing = {
    chainId: 31337,
    contract: '0xC0',
    recalledBy: mill,
    dataHash: '0x1',
    at: new Date('2026-09-20T15:00:00Z'),
    block: 9,
    txHash: '0xT',
    logIndex: 4,
    txLogIndex: 1,
  };

  it('lists the first hundred affected lots and says that there are more', () => {
    const affected = Array.from({ length: 101 }, (_, i) => lot(BigInt(i + 2)));
    const recall = landedRecall(landing, [1n], { ...NO_NOTICE, reason: 'Salmonella' }, true);
    const data = nftRecalled(recall, 1n, 'rice', { root: { ...lot(1n), tlc: 'RM-1', assetType: 'RICE' }, affected, truncated: false });
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
    expect(nftRecalled(recall, 1n, 'rice', { root: undefined, affected: [lot(2n)], truncated: true })).toMatchObject({
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
