import { createHash, randomBytes } from 'node:crypto';
import { addressOf } from '#content-storage';
import { canonicalJson, keccakOf } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import { primitives, verifyBundle } from './verifier.js';

describe('what the verifier counts with', () => {
  it.each([0, 1, 55, 56, 63, 64, 135, 136, 137, 1000])('hashes %s bytes as others do', (length) => {
    const text = 'ä'.repeat(length / 2) + 'x'.repeat(length % 2);
    const bytes = new TextEncoder().encode(text);
    expect(primitives.keccak256(bytes)).toBe(keccakOf(text));
    const random = new Uint8Array(randomBytes(length));
    expect(primitives.sha256(random)).toBe(`0x${createHash('sha256').update(random).digest('hex')}`);
    expect(primitives.cidOf(primitives.sha256(random))).toBe(addressOf(random).cid);
  });

  it('writes JSON in the one form', () => {
    const value = { b: [1, 'é"\n', null, { z: true, a: 1.5e-7 }], a: {}, '€': '' };
    expect(primitives.canonical(value)).toBe(canonicalJson(value));
  });
});

describe('a file that is none', () => {
  it.each(['', '{', '[]', 'null', '{"format":"traceability-passport-bundle/1"}', '{"format":"other"}', '0x'])(
    'is refused: %j',
    async (text) => {
      const { ok, links } = await verifyBundle(text);
      expect(ok).toBe(false);
      expect(links.some(({ link, state }) => link === 'readable' && state === 'broken')).toBe(true);
    },
  );
});
