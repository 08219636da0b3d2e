import { describe, expect, it } from '@jest/globals';
import { type DomainError, keccakOf } from '#kernel';
import type { GenericInput } from './call-arguments.rules.js';
import { eventRequest } from './event-request.rules.js';

const milling = { processType: 'RICE_MILLING', containmentMode: 0, outputAssetType: 'RICE_MILLED' };
const main = { tlc: 'RM-1', assetType: 'RICE_MILLED', custodian: '0x31', quantity: 7004, uom: 'KGM' };
const bran = { tlc: 'RB-1', assetType: 'RICE_BRAN', custodian: '0x31', quantity: 900, uom: 'KGM' };
const input = (more: Partial<GenericInput> = {}): GenericInput => ({
  method: 'recordEvent',
  processId: keccakOf('RICE_MILLING'),
  inputTokenIds: [3, '4'],
  outputs: [main, bran],
  metadata: { eventTime: '2026-09-20T15:00:00Z' },
  ...more,
});
function problemsOf(given: GenericInput): [string, string][] {
  try {
    eventRequest(given, milling);
    return [];
  } catch (error) {
    return (error as DomainError).details.errors!.map(({ pointer, code }) => [pointer, code]);
  }
}

describe('recordEvent in the words of events/prepare', () => {
  it('makes the first output the main one and the others co-products', () => {
    expect(eventRequest(input(), milling)).toEqual({
      processType: 'RICE_MILLING',
      inputTokenIds: [3n, 4n],
      outputTlc: 'RM-1',
      outputCustodian: '0x31',
      metadata: {
        eventTime: '2026-09-20T15:00:00Z',
        quantity: { value: 7004, uom: 'KGM' },
        coProducts: [{ assetType: 'RICE_BRAN', tlc: 'RB-1', quantity: { value: 900, uom: 'KGM' } }],
      },
    });
  });

  it('leaves the metadata alone without outputs', () => {
    expect(eventRequest(input({ outputs: null }), milling)).toMatchObject({
      outputTlc: null,
      metadata: { eventTime: '2026-09-20T15:00:00Z' },
    });
  });

  it.each<[string, Partial<GenericInput>, [string, string][]]>([
    [
      'another asset type than the process makes',
      { outputs: [{ ...main, assetType: 'WOOL' }] },
      [['/outputs/0/assetType', 'wrong_asset_type']],
    ],
    ['another containment mode', { containmentMode: 1 }, [['/containmentMode', 'wrong_containment_mode']]],
    ['a quantity without a unit', { outputs: [{ ...main, uom: undefined }] }, [['/outputs/0/uom', 'required']]],
    ['two custodians', { outputs: [main, { ...bran, custodian: '0x32' }] }, [['/outputs/1/custodian', 'mixed_custody']]],
    ['an expiry of its own', { outputs: [{ ...main, expiresAt: '2027-01-01' }] }, [['/outputs/0/expiresAt', 'not_allowed']]],
    [
      'the quantity in two places',
      { outputs: [main], metadata: { quantity: { value: 1, uom: 'KGM' } } },
      [['/outputs/0/quantity', 'given_twice']],
    ],
    ['the co-products in two places', { metadata: { coProducts: [] } }, [['/outputs/1', 'given_twice']]],
    ['arguments by name', { metadata: { args: { dataHash: '0x' } } }, [['/metadata/args/dataHash', 'unknown_argument']]],
  ])('refuses %s', (_, more, expected) => {
    expect(problemsOf(input(more))).toEqual(expected);
  });
});
