import { describe, expect, it } from '@jest/globals';
import { keccakOf } from '#kernel';
import { ALL, decimal } from '../lots/lot.js';
import { type MintedOutput, type Recording, calldataDiffers, linesByHash, mintedLines } from './event-record.js';

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
});

describe('outputs as they were minted', () => {
  it('have the words whose hashes are on chain, and no others', () => {
    const lines = [{ tlc: 'A', assetType: 'GOLD', role: 'main', quantity: 99, uom: 'KGM', custodian: '0xThief' }];
    const other: MintedOutput = { ...output, tokenId: 10n, tlcHash: keccakOf('unknown'), quantity: 0n, expiresAt: 1_767_225_600n };
    expect(mintedLines(linesByHash(lines), [output, other])).toEqual([
      {
        tokenId: 9,
        tlc: 'A',
        gtin: null,
        serial: null,
        key: 'A',
        tlcHash: output.tlcHash,
        assetType: null,
        role: 'main',
        quantity: 5,
        uom: 'KGM',
        custodian: '0xFarm',
        expiresAt: null,
      },
      {
        ...{ tokenId: 10, tlc: other.tlcHash, key: other.tlcHash, tlcHash: other.tlcHash, assetType: null, role: 'co_product' },
        ...{ gtin: null, serial: null, quantity: null, uom: null },
        ...{ custodian: '0xFarm', expiresAt: '2026-01-01T00:00:00.000Z' },
      },
    ]);
  });

  it('are numbers while those are exact', () => {
    expect(decimal(7_004_000_001n)).toBe(7004.000001);
    expect(decimal(1n << 53n)).toBe('9007199254.740992');
  });
});
