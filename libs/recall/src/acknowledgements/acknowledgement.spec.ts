import { describe, expect, it } from '@jest/globals';
import {
  type Acknowledgement,
  type LotAnswer,
  type ReachedLot,
  answeredStates,
  countsOf,
  holdersOf,
  isSame,
  isShort,
  problemsOf,
  statesOf,
} from './acknowledgement.js';

const [mill, shop] = ['0x31', '0x50'];
const lot = (tokenId: bigint, facts: Partial<ReachedLot> = {}): ReachedLot => ({
  tokenId,
  tlc: `L-${tokenId}`,
  custodian: mill,
  uom: 'KGM',
  remaining: 7_000_000_000n,
  leftSupplyChain: 0n,
  ...facts,
});
const answer = (tokenId: bigint, quantity: LotAnswer['quantity'] = null): LotAnswer => ({ tokenId, state: 'quarantined', quantity });
const said = (tokenId: bigint, facts: Partial<Acknowledgement> = {}): Acknowledgement => ({
  id: 'a',
  tokenId,
  holder: mill,
  orgId: null,
  state: 'quarantined',
  quantity: null,
  uom: null,
  by: 'u',
  at: new Date(0),
  ...facts,
});

describe('an acknowledgement', () => {
  const reached = new Map(
    [lot(1n), lot(2n, { uom: null, remaining: null }), lot(3n, { remaining: 0n, leftSupplyChain: 5_000_000n })].map((one) => [
      one.tokenId,
      one,
    ]),
  );
  const codes = (...answers: LotAnswer[]): string[] => problemsOf(answers, reached).map(({ pointer, code }) => `${pointer} ${code}`);

  it('may be of any lot that the recall reaches, once, up to what there is of it', () => {
    expect(
      codes(answer(1n, { value: '7', uom: 'TNE' }), answer(2n, { value: '9', uom: 'LTR' }), answer(3n, { value: 5, uom: 'KGM' })),
    ).toEqual([]);
    expect(codes(answer(1n), answer(9n), answer(1n))).toEqual(['/lots/1/tokenId not_in_recall', '/lots/2/tokenId duplicate']);
    expect(codes(answer(1n, { value: '7.000001', uom: 'TNE' }))).toEqual(['/lots/0/quantity/value more_than_there_is']);
    expect(codes(answer(3n, { value: '5.000001', uom: 'KGM' }))).toEqual(['/lots/0/quantity/value more_than_there_is']);
    expect(codes(answer(1n, { value: '1', uom: 'H87' }))).toEqual(['/lots/0/quantity/uom unit_mismatch']);
    expect(codes(answer(1n, { value: '0', uom: 'KGM' }), answer(2n, { value: '0.0000001', uom: 'KGM' }))).toEqual([
      '/lots/0/quantity/value invalid_quantity',
      '/lots/1/quantity/value invalid_quantity',
    ]);
  });

  it('says something new unless holder, state and quantity are the same', () => {
    expect(isSame(undefined, said(1n))).toBe(false);
    expect(isSame(said(1n), said(1n, { id: 'b', by: 'other', at: new Date(9) }))).toBe(true);
    for (const other of [{ holder: shop }, { state: 'returned' as const }, { quantity: '1' }, { uom: 'KGM' }])
      expect(isSame(said(1n), said(1n, other))).toBe(false);
  });

  it('counts for the present holder only, and missing ones come first', () => {
    const states = statesOf(
      [lot(1n), lot(2n), lot(3n, { custodian: shop })],
      new Map([said(1n), said(2n, { state: 'not_found' }), said(3n, { holder: mill })].map((one) => [one.tokenId, one])),
    );
    expect(states.map(({ lot: { tokenId }, acknowledgement }) => [tokenId, acknowledgement?.state ?? null])).toEqual([
      [3n, null],
      [1n, 'quarantined'],
      [2n, 'not_found'],
    ]);
    expect(holdersOf(states)).toEqual([
      { address: shop, lots: 1, acknowledged: 0, short: 0, held: new Map([['KGM', 7_000_000_000n]]) },
      { address: mill, lots: 2, acknowledged: 2, short: 1, held: new Map([['KGM', 14_000_000_000n]]) },
    ]);
    expect(countsOf(states)).toEqual({ quarantined: 1, returned: 0, destroyed: 0, not_found: 1, missing: 1 });
  });

  it('leaves some open when it is of less than there is, or nothing was found', () => {
    const short = (facts: Partial<Acknowledgement>, of: Partial<ReachedLot> = {}): boolean =>
      isShort({ lot: lot(1n, of), acknowledgement: said(1n, facts) });
    expect(isShort({ lot: lot(1n), acknowledgement: null })).toBe(false);
    expect(short({})).toBe(false);
    expect(short({ state: 'not_found' })).toBe(true);
    expect(short({ quantity: '6999.999999', uom: 'KGM' })).toBe(true);
    expect(short({ quantity: '7', uom: 'TNE' })).toBe(false);
    // What was sold of it is to be found, too.
    expect(short({ quantity: '7', uom: 'TNE' }, { leftSupplyChain: 1n })).toBe(true);
    expect(short({ quantity: '1', uom: 'KGM' }, { remaining: null })).toBe(false);
  });

  it('stays with its holder of then when the recall is over', () => {
    const given = new Map([said(1n), said(2n, { quantity: '5', uom: 'KGM' })].map((one) => [one.tokenId, one]));
    const states = answeredStates([lot(1n), lot(2n, { custodian: shop }), lot(3n)], given);
    expect(holdersOf(states)).toEqual([{ address: mill, lots: 2, acknowledged: 2, short: 0, held: new Map([['KGM', 7_000_000_000n]]) }]);
  });
});
