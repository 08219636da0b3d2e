import { describe, expect, it } from '@jest/globals';
import type { DomainError } from '#kernel';
import { ALL } from '../part-quantity.rules.js';
import { type CustodyAction, type ShortReason, custodyRequest } from './custody-request.rules.js';
import { type CustodyLot, permit } from './custody.rules.js';

const farmer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const mill = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const shop = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

const lot = (tokenId: bigint, facts: Partial<CustodyLot> = {}): CustodyLot => ({
  tokenId,
  status: 'active',
  custodian: farmer,
  pendingCustodian: null,
  offerNo: null,
  containerTokenId: null,
  recalled: false,
  holdsRecalled: false,
  onHold: false,
  heldInside: null,
  isContainer: false,
  remaining: 1_000_000n,
  uom: 'KGM',
  mintBlock: 5,
  ...facts,
});
const offered = (tokenId: bigint, facts: Partial<CustodyLot> = {}): CustodyLot =>
  lot(tokenId, { status: 'in_transit', pendingCustodian: mill, offerNo: 7n, ...facts });

const order = (action: CustodyAction, ...tokenIds: number[]) =>
  custodyRequest({ action, tokenIds, ...(action === 'offer' && { to: mill }) });

function refusalOf(work: () => unknown): object {
  try {
    work();
  } catch (error) {
    const { status, code, details } = error as DomainError;
    return { status, code, errors: details.errors?.map((problem) => [problem.pointer, problem.code]) };
  }
  return { status: 200 };
}

describe('an offer', () => {
  const offer = (lots: CustodyLot[], wallets: string[] | null = [farmer]) =>
    permit(order('offer', ...lots.map((l) => Number(l.tokenId))), lots, wallets, 5);

  it('of lots in hand is permitted', () => {
    expect(offer([lot(1n), lot(2n)])).toMatchObject({ offerNo: null, warnings: [] });
  });

  it.each<[string, Partial<CustodyLot>, string]>([
    ['retired', { status: 'retired' }, 'lot_retired'],
    ['used up', { status: 'consumed', remaining: 0n }, 'lot_consumed'],
    ['recalled and used up', { status: 'recalled', recalled: true, remaining: 0n }, 'lot_consumed'],
    ['contained', { status: 'aggregated', containerTokenId: 9n }, 'lot_contained'],
    ['recalled and contained', { status: 'recalled', recalled: true, containerTokenId: 9n }, 'lot_contained'],
    ["somebody else's", { custodian: shop }, 'not_custodian'],
    ['in transit', { status: 'in_transit', pendingCustodian: shop, offerNo: 3n }, 'lot_in_transit'],
    ['on hold', { status: 'on_hold', onHold: true }, 'lot_on_hold'],
    ['the container of a lot on hold', { heldInside: 5n }, 'lot_on_hold'],
  ])('of a lot that is %s is refused', (_, facts, code) => {
    expect(refusalOf(() => offer([lot(1n), lot(2n, facts)]))).toEqual({
      status: 422,
      code: 'invalid_content',
      errors: [['/tokenIds/1', code]],
    });
  });

  it('to oneself is refused', () => {
    expect(refusalOf(() => offer([lot(1n, { custodian: mill })], [mill]))).toMatchObject({ errors: [['/to', 'own_wallet']] });
  });

  it('of lots of two custodians is refused, although both wallets are ours', () => {
    expect(refusalOf(() => offer([lot(1n), lot(2n, { custodian: shop })], [farmer, shop]))).toMatchObject({
      errors: [['/tokenIds/1', 'mixed_custody']],
    });
  });

  it('of an unknown lot is 404 and says which', () => {
    expect(refusalOf(() => permit(order('offer', 1, 2, 3), [lot(2n)], [farmer], 5))).toMatchObject({ status: 404, code: 'lot_not_found' });
  });

  it('of a lot that is not final yet is 409', () => {
    expect(refusalOf(() => offer([lot(1n, { mintBlock: 6 })]))).toMatchObject({ status: 409, code: 'input_not_final' });
  });

  it('of a recalled or expired lot is left to the chain, with a warning', () => {
    expect(
      offer([lot(1n, { status: 'recalled', recalled: true }), lot(2n, { holdsRecalled: true }), lot(3n, { status: 'expired' })]).warnings,
    ).toEqual([
      expect.stringMatching(/^\/tokenIds\/0: lot 1 is recalled/),
      expect.stringMatching(/^\/tokenIds\/1: lot 2 is recalled or holds/),
      '/tokenIds/2: lot 3 is past its expiry date.',
    ]);
  });

  it('without a known sender is not held against custody', () => {
    expect(offer([lot(1n, { custodian: shop })], null)).toMatchObject({ offerNo: null });
  });
});

describe('an answer to an offer', () => {
  const answer = (action: CustodyAction, lots: CustodyLot[], wallets: string[]) =>
    permit(order(action, ...lots.map((l) => Number(l.tokenId))), lots, wallets, 5);

  it.each<[CustodyAction, string]>([
    ['accept', mill],
    ['reject', mill],
    ['cancel', farmer],
  ])('%s is for the one it is due to', (action, wallet) => {
    expect(answer(action, [offered(1n), offered(2n)], [wallet]).offerNo).toBe(7n);
    const [other, code] = [[shop], action === 'cancel' ? 'not_custodian' : 'not_pending_custodian'];
    expect(refusalOf(() => answer(action, [offered(1n)], other))).toMatchObject({ status: 422, errors: [['/tokenIds/0', code]] });
  });

  it('to lots of several offers is refused', () => {
    expect(refusalOf(() => answer('accept', [offered(1n), offered(2n, { offerNo: 8n })], [mill]))).toEqual({
      status: 422,
      code: 'invalid_content',
      errors: [['/tokenIds/1', 'several_offers']],
    });
  });

  it('without an open offer is a conflict', () => {
    expect(refusalOf(() => answer('accept', [offered(1n), lot(2n, { offerNo: 6n })], [mill]))).toMatchObject({
      status: 409,
      code: 'no_open_offer',
    });
  });

  it.each<[string, Partial<CustodyLot>, string]>([
    ['a lot on hold', { onHold: true }, 'lot 2 is on hold'],
    ['the container of one', { heldInside: 5n }, 'lot 2 holds lot 5, which is on hold'],
  ])('accepts nothing with %s, which may be rejected and cancelled', (_, facts, message) => {
    const lots = [offered(1n), offered(2n, facts)];
    const accept = () => answer('accept', lots, [mill]);
    expect(refusalOf(accept)).toEqual({ status: 422, code: 'invalid_content', errors: [['/tokenIds/1', 'lot_on_hold']] });
    expect(accept).toThrow(expect.objectContaining({ details: { errors: [expect.objectContaining({ message })] } }));
    expect(answer('reject', lots, [mill]).offerNo).toBe(7n);
    expect(answer('cancel', lots, [farmer]).offerNo).toBe(7n);
  });

  it('is possible for a recalled lot: reject and cancel bring it back', () => {
    expect(answer('reject', [offered(1n, { status: 'recalled', recalled: true })], [mill]).offerNo).toBe(7n);
  });
});

describe('a part', () => {
  const kg = (value: number | string, uom = 'KGM') => ({ value, uom });
  const kgOf = (value: number) => ({ value, uom: 'KGM' });
  const bag = lot(1n, { remaining: 100_000_000n });
  const offer = (quantity: { value: number | string; uom: string }, facts: Partial<CustodyLot> = {}) =>
    permit(custodyRequest({ lots: [{ tokenId: 1, quantity }], to: mill }), [{ ...bag, ...facts }], [farmer], 5);
  const accept = (quantity: { value: number; uom: string } | null, reason: ShortReason | null = null) =>
    permit(
      custodyRequest({ action: 'accept', lots: [{ tokenId: 1, quantity }], reason }),
      [offered(1n, { remaining: 40_000_000n })],
      [mill],
      5,
    );

  it('is millionths of the unit of its lot, whatever unit it is stated in', () => {
    expect(offer(kg(40)).quantities).toEqual([40_000_000n]);
    expect(offer(kg('0.000001')).quantities).toEqual([1n]);
    expect(offer(kg(0.04, 'TNE')).quantities).toEqual([40_000_000n]);
    expect(offer(kg(1, 'LBR')).quantities).toEqual([453_592n]);
  });

  it('leaves other lots of the request whole', () => {
    const request = custodyRequest({ lots: [{ tokenId: 1, quantity: kg(40) }, { tokenId: 2 }], to: mill });
    expect(permit(request, [bag, lot(2n)], [farmer], 5).quantities).toEqual([40_000_000n, ALL]);
  });

  it('that is all of its lot is no part', () => {
    expect(offer(kg(100)).quantities).toBeNull();
    expect(accept(kgOf(40)).quantities).toBeNull();
    expect(accept(null).quantities).toBeNull();
  });

  it.each<[string, { value: number | string; uom: string }, Partial<CustodyLot>, string, string]>([
    ['more than there is', kg(100.1), {}, '/lots/0/quantity/value', 'over_consumption'],
    ['nothing', kg(0), {}, '/lots/0/quantity/value', 'quantity_out_of_range'],
    ['seven decimals', kg('0.0000001'), {}, '/lots/0/quantity/value', 'quantity_out_of_range'],
    ['another unit', kg(1, 'LTR'), {}, '/lots/0/quantity/uom', 'unit_not_convertible'],
    ['a lot without a quantity', kg(1), { remaining: null, uom: null }, '/lots/0/quantity', 'whole_only'],
    ['a container', kg(1), { isContainer: true, remaining: null, uom: null }, '/lots/0/quantity', 'whole_only'],
    ['a recalled lot', kg(1), { status: 'recalled', recalled: true }, '/lots/0/quantity', 'lot_recalled'],
    ['a lot on hold', kg(1), { onHold: true }, '/lots/0/tokenId', 'lot_on_hold'],
  ])('of %s is refused', (_, quantity, facts, pointer, code) => {
    expect(refusalOf(() => offer(quantity, facts))).toEqual({ status: 422, code: 'invalid_content', errors: [[pointer, code]] });
  });

  it('is accepted with a reason, and the whole without one', () => {
    expect(accept(kgOf(35), 'shortage')).toMatchObject({ offerNo: 7n, quantities: [35_000_000n] });
    expect(refusalOf(() => accept(kgOf(35)))).toMatchObject({ errors: [['/reason', 'required']] });
    expect(refusalOf(() => accept(kgOf(40), 'damage'))).toMatchObject({ errors: [['/reason', 'not_allowed']] });
  });
});
