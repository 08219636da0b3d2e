import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#kernel';
import { type CustodyInput, custodyRequest } from './custody-request.rules.js';

const mill = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

function problemsOf(input: CustodyInput): [string, string][] {
  try {
    custodyRequest(input);
    return [];
  } catch (error) {
    return (error as DomainError).details.errors!.map(({ pointer, code }) => [pointer, code]);
  }
}

describe('a custody order', () => {
  it('is an offer of the named lots unless it says otherwise', () => {
    expect(custodyRequest({ tokenIds: [3, '4'], to: mill })).toMatchObject({
      action: 'offer',
      tokenIds: [3n, 4n],
      to: mill,
      processType: null,
    });
  });

  it('takes one lot by tokenId, and points at it', () => {
    const order = custodyRequest({ action: 'accept', tokenId: 3 });
    expect([order.tokenIds, order.pointerOf(0)]).toEqual([[3n], '/tokenId']);
  });

  it.each<[string, CustodyInput, [string, string][]]>([
    ['no lot at all', { to: mill }, [['/tokenIds', 'token_ids_required']]],
    ['no lot but null', { tokenIds: null, tokenId: null, lots: null, to: mill }, [['/tokenIds', 'token_ids_required']]],
    ['lots in both ways', { tokenIds: [1], tokenId: 1, to: mill }, [['/tokenId', 'not_allowed']]],
    ['a lot twice, as number and text', { tokenIds: [1, 2, '1'], to: mill }, [['/tokenIds/2', 'duplicate_token_id']]],
    ['lots and parts', { tokenIds: [1], lots: [{ tokenId: 1 }], to: mill }, [['/lots', 'not_allowed']]],
    [
      'lots in all ways',
      { tokenIds: [1], tokenId: 1, lots: [{ tokenId: 1 }], to: mill },
      [
        ['/tokenId', 'not_allowed'],
        ['/lots', 'not_allowed'],
      ],
    ],
    ['a part twice', { lots: [{ tokenId: 1 }, { tokenId: '1' }], to: mill }, [['/lots/1/tokenId', 'duplicate_token_id']]],
    [
      'a rejection of a part',
      { action: 'reject', lots: [{ tokenId: 1 }, { tokenId: 2, quantity: { value: 1, uom: 'KGM' } }] },
      [['/lots/1/quantity', 'not_allowed']],
    ],
    ['an offer with a reason', { lots: [{ tokenId: 1 }], to: mill, reason: 'damage' }, [['/reason', 'not_allowed']]],
    ['an offer to nobody', { tokenId: 1 }, [['/to', 'required']]],
    ['an offer to something else', { tokenId: 1, to: 'mill' }, [['/to', 'invalid_address']]],
    ['an offer to the zero address', { tokenId: 1, to: `0x${'0'.repeat(40)}` }, [['/to', 'zero_address']]],
    ['an address in lower case', { tokenId: 1, to: mill.toLowerCase() }, [['/to', 'wrong_checksum']]],
    ['one letter in the wrong case', { tokenId: 1, to: mill.replace('0x3C', '0x3c') }, [['/to', 'wrong_checksum']]],
    ['an acceptance with a receiver', { action: 'accept', tokenId: 1, to: mill }, [['/to', 'not_allowed']]],
    [
      'a rejection with an event',
      { action: 'reject', tokenId: 1, processType: 'RICE_RECEIVING' },
      [['/processType', 'event_not_possible']],
    ],
    [
      'a cancellation with an event',
      { action: 'cancel', tokenId: 1, processType: 'RICE_SHIPPING' },
      [['/processType', 'event_not_possible']],
    ],
    [
      'everything at once',
      { tokenIds: [1, 1], to: 'x' },
      [
        ['/tokenIds/1', 'duplicate_token_id'],
        ['/to', 'invalid_address'],
      ],
    ],
  ])('refuses %s', (_, input, expected) => {
    expect(problemsOf(input)).toEqual(expected);
  });

  it('says which of several lists must go, and what to name where there is none', () => {
    const sentenceOf = (input: CustodyInput): string | undefined => {
      try {
        return void custodyRequest(input);
      } catch (error) {
        return (error as DomainError).details.errors![0]!.message;
      }
    };
    expect(sentenceOf({ tokenIds: [1], lots: [{ tokenId: 1 }], to: mill })).toBe(
      'the lots are named in `tokenIds` and `lots`: keep one of them and leave out the others',
    );
    expect(sentenceOf({ to: mill })).toBe(
      'name the lots of the request: several in `tokenIds`, one in `tokenId`, or parts of lots in `lots`',
    );
  });
});
