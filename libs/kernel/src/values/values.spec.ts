import { describe, expect, it } from '@jest/globals';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { v5 } from 'uuid';
import {
  checksumAddress,
  derivedId,
  eventIdBytes,
  eventIdFromBytes,
  fromMicro,
  isChecksumAddress,
  keccakOf,
  kilogramsPer,
  toMicro,
  unitFactor,
} from '../index.js';

describe('addresses', () => {
  // EIP-55, the specification's own test cases.
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ])('%s has its checksum', (address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address);
    expect(isChecksumAddress(address)).toBe(true);
  });

  it.each([
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    7,
    null,
  ])('%j is refused', (value) => {
    expect(isChecksumAddress(value)).toBe(false);
  });

  it('hashes the empty string as keccak does', () => {
    expect(keccakOf('')).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  });

  // 136 bytes are a block of the hash; half of a surrogate pair becomes U+FFFD, as everywhere in UTF-8.
  it('agrees with the audited library on texts of every length around two blocks, and on every kind of character', () => {
    const texts = [
      ...Array.from({ length: 280 }, (_, i) => 'lot-'.repeat(70).slice(0, i)),
      'Kürbis',
      'ข้าว',
      '🍎'.repeat(40),
      '\ud83c',
      'a\udf4eb',
      '\0',
    ];
    for (const text of texts) expect(keccakOf(text)).toBe(`0x${Buffer.from(keccak_256(new TextEncoder().encode(text))).toString('hex')}`);
  });
});

describe('derived ids', () => {
  // What the uuid library's v5 gives: rows that were indexed before keep their ids.
  it("are UUIDs of version 5 in the service's namespace, whatever the case of an address", () => {
    expect(derivedId('lot', 31_337, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 7n)).toBe(
      v5('lot:31337:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed:7', '6f0f1c5e-6a9b-5d0e-9a53-0c1d6a6f1b7a'),
    );
  });
});

describe('event ids', () => {
  it('go to bytes32 and back, and no other bytes32 is taken for one', () => {
    const id = '9f1c0a52-7a31-4c84-8f0e-5d2b3a6f1b7a';
    expect(eventIdBytes(id)).toBe('0x9f1c0a527a314c848f0e5d2b3a6f1b7a00000000000000000000000000000000');
    expect(eventIdFromBytes(eventIdBytes(id))).toBe(id);
    expect(eventIdFromBytes(keccakOf('x'))).toBeNull();
  });
});

describe('quantities', () => {
  it.each([
    [7004, 7_004_000_000n],
    [0.1, 100_000n],
    ['0.000001', 1n],
    [0.0000001, null],
    [0, null],
    [-1, null],
    [9_007_199_254.740992, null],
  ])('%s is %s millionths', (value, micro) => {
    expect(toMicro(value)).toBe(micro);
  });

  it('are written without trailing zeros', () => {
    expect([7_004_000_000n, 100_000n, 1n, 0n].map(fromMicro)).toEqual(['7004', '0.1', '0.000001', '0']);
  });

  it('convert inside a family of units only', () => {
    expect(unitFactor('TNE', 'KGM')?.toString()).toBe('1000');
    expect(unitFactor('LBR', 'GRM')?.toString()).toBe('453.59237');
    expect(unitFactor('KGM', 'MTR')).toBeNull();
    expect(kilogramsPer('H87', 5)?.toString()).toBe('5');
    expect(kilogramsPer('H87', undefined)).toBeNull();
  });
});
