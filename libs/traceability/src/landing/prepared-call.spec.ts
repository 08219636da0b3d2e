import { describe, expect, it } from '@jest/globals';
import { keccakOf } from '#kernel';
import type { ExpectedCall, MintedOutput, Recording } from '../events/event-record.js';
import { ALL } from '../lots/lot.js';
import { calldataDiffers, handedOver, quantitiesDiffer } from './prepared-call.js';

const output: MintedOutput = {
  tokenId: 9n,
  tlcHash: keccakOf('A'),
  assetType: keccakOf('RICE'),
  custodian: '0xFarm',
  quantity: 5_000_000n,
  expiresAt: 0n,
};
const landed = {
  processId: keccakOf('MILL'),
  dataHash: keccakOf('content'),
  containmentMode: 0,
  inputTokenIds: [1n, 2n],
  consumed: [3n, 7n],
  outputs: [output],
  splitFrom: new Map(),
} as unknown as Recording;
const args = {
  processId: landed.processId,
  dataHash: landed.dataHash.toUpperCase().replace('0X', '0x'),
  containmentMode: '0',
  inputTokenIds: ['1', '2'],
  inputQuantities: ['3', ALL.toString()],
  outputs: [{ tlcHash: output.tlcHash, assetType: output.assetType, custodian: '0xFarm', quantity: '5000000', expiresAt: '0' }],
};

describe('what was prepared against what landed', () => {
  it('is the same where all was asked for and what was left landed', () => {
    expect(calldataDiffers({ method: 'recordEvent', args }, landed)).toBe(false);
    expect(calldataDiffers(null, landed)).toBe(false);
  });

  it.each<[string, Partial<Recording>]>([
    ['process', { processId: keccakOf('OTHER') }],
    ['content', { dataHash: keccakOf('other') }],
    ['mode', { containmentMode: 1 }],
    ['inputs', { inputTokenIds: [1n, 3n] }],
    ['amount', { consumed: [4n, 7n] }],
    ['use of all', { consumed: [3n, 0n] }],
    ['number of outputs', { outputs: [output, output] }],
    ['code', { outputs: [{ ...output, tlcHash: keccakOf('B') }] }],
    ['asset type', { outputs: [{ ...output, assetType: keccakOf('HUSK') }] }],
    ['custodian', { outputs: [{ ...output, custodian: '0xMill' }] }],
    ['quantity', { outputs: [{ ...output, quantity: 1n }] }],
    ['expiry', { outputs: [{ ...output, expiresAt: 1n }] }],
  ])('differs by another %s', (_, changed) => {
    expect(calldataDiffers({ method: 'recordEvent', args }, { ...landed, ...changed })).toBe(true);
  });

  it('compares the lots of a call that the event was attached to', () => {
    const attached = { ...landed, consumed: [], outputs: [] };
    const call = {
      method: 'acceptCustody',
      args: { no: '4', tokenIds: ['1', '2'], e: { eventId: '0x', processId: landed.processId, dataHash: landed.dataHash } },
    };
    expect(calldataDiffers(call, attached)).toBe(false);
    expect(calldataDiffers(call, { ...attached, inputTokenIds: [1n] })).toBe(true);
    expect(calldataDiffers(call, landed)).toBe(true);
  });

  it('knows the parts of the lots that the call named', () => {
    const attached = { ...landed, consumed: [], outputs: [], inputTokenIds: [8n, 2n], splitFrom: new Map([[8n, 1n]]) };
    const call = { method: 'offerParts', args: { tokenIds: ['1', '2'], e: { processId: landed.processId, dataHash: landed.dataHash } } };
    expect(calldataDiffers(call, attached)).toBe(false);
    expect(calldataDiffers(call, { ...attached, splitFrom: new Map([[8n, 3n]]) })).toBe(true);
  });

  const all = ALL.toString();
  it.each<[boolean, string, string[] | undefined, bigint, readonly [bigint, bigint][]]>([
    [false, 'offerParts', ['40'], 40n, [[8n, 1n]]],
    [false, 'offerParts', ['40'], 40n, []],
    [true, 'offerParts', ['40'], 41n, [[8n, 1n]]],
    [true, 'offerParts', ['40'], 100n, []],
    [true, 'offerParts', [all], 40n, [[8n, 1n]]],
    [true, 'offerCustody', undefined, 40n, [[8n, 1n]]],
    [false, 'offerCustody', undefined, 100n, []],
    [false, 'acceptParts', ['35'], 35n, [[9n, 8n]]],
    [true, 'acceptParts', ['35'], 34n, [[9n, 8n]]],
    [true, 'acceptParts', ['35'], 40n, []],
    [true, 'acceptParts', [all], 35n, [[9n, 8n]]],
    [true, 'acceptCustody', undefined, 35n, [[9n, 8n]]],
    [false, 'acceptCustody', undefined, 40n, []],
  ])('differs (%s) where %s of %j moved %s', (differs, method, quantities, remaining, splits) => {
    const call = { method, args: { ...(quantities && { quantities }) } };
    const moved = handedOver(call, { ...landed, splitFrom: new Map(splits) }, { tokenId: 8n, remaining });
    expect(quantitiesDiffer(call, [moved!])).toBe(differs);
  });

  it('differs where another quantity was retired', () => {
    const disposal = (quantity: string): ExpectedCall => ({ method: 'retire', args: { quantities: [quantity] } });
    expect(quantitiesDiffer(disposal('3'), [{ quantity: 3n, isWhole: false }])).toBe(false);
    expect(quantitiesDiffer(disposal('3'), [{ quantity: 4n, isWhole: false }])).toBe(true);
    expect(quantitiesDiffer(disposal(all), [{ quantity: 4n, isWhole: true }])).toBe(false);
    expect(quantitiesDiffer(disposal(all), [{ quantity: 4n, isWhole: false }])).toBe(true);
    expect(quantitiesDiffer(disposal(all), [{ quantity: null, isWhole: true }])).toBe(false);
  });
});
