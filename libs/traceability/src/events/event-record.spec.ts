import { describe, expect, it } from '@jest/globals';
import { keccakOf } from '#kernel';
import { decimal } from '../lots/lot.js';
import { type MintedOutput, linesByHash, mintedLines } from './event-record.js';

const output: MintedOutput = {
  tokenId: 9n,
  tlcHash: keccakOf('A'),
  assetType: keccakOf('RICE'),
  custodian: '0xFarm',
  quantity: 5_000_000n,
  expiresAt: 0n,
};

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
