import { createHash, randomBytes } from 'node:crypto';
import { addressOf } from '#content-storage';
import { canonicalJson, keccakOf } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import { canonical, cidOf, keccak256, sha256, valuesAt, within } from './encoding.js';
import { verifyBundle } from './verifier.js';

describe('what the verifier counts with', () => {
  it.each([0, 1, 55, 56, 63, 64, 135, 136, 137, 1000])('hashes %s bytes as others do', (length) => {
    const text = 'ä'.repeat(length / 2) + 'x'.repeat(length % 2);
    const bytes = new TextEncoder().encode(text);
    expect(keccak256(bytes)).toBe(keccakOf(text));
    const random = new Uint8Array(randomBytes(length));
    expect(sha256(random)).toBe(`0x${createHash('sha256').update(random).digest('hex')}`);
    expect(cidOf(sha256(random))).toBe(addressOf(random).cid);
  });

  it('writes JSON in the one form', () => {
    const value = { b: [1, 'é"\n', null, { z: true, a: 1.5e-7 }], a: {}, '€': '' };
    expect(canonical(value)).toBe(canonicalJson(value));
  });
});

describe('what is shown of the bytes of an event', () => {
  it('is found whichever dots of its name are part of member names', () => {
    const metadata = { 'care.text': 'cold', care: { text: 'warm', 'a.b': { c: 1 } }, list: [{ of: 'x' }] };
    expect(valuesAt(metadata, 'care.text')).toEqual(['cold', 'warm']);
    expect(valuesAt(metadata, 'care.a.b.c')).toEqual([1]);
    expect(valuesAt(metadata, 'list.0.of')).toEqual(['x']);
    expect(valuesAt(metadata, 'constructor.name')).toEqual([]);
  });

  it.each([
    ['all of it', { a: 1, b: [1, { c: 2 }] }, true],
    ['without what is kept for authorities', { b: [{}] }, true],
    ['with another value', { a: 2 }, false],
    ['with more', { a: 1, d: null }, false],
    ['with more in a list', { b: [1, 2] }, false],
    ['a list for members', [], false],
    ['a text for a number', { a: '1' }, false],
  ])('is in them: %s', (_, shown, holds) => {
    expect(within(shown, { a: 1, b: [1, { c: 2 }] })).toBe(holds);
  });
});

describe('a file that is none', () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  it.each([
    ['deep', deep(200_000)],
    ['deep where a list is expected', `{"format":"traceability-passport-bundle/1","events":${deep(200_000)}}`],
    ['of ten million characters', `{"format":"traceability-passport-bundle/1","more":"${'7'.repeat(10_000_000)}"}`],
    ['of a form with a long name', `{"format":"${'7'.repeat(1_000_000)}"}`],
  ])('is refused in short words: %s', async (_, text) => {
    const { ok, links } = await verifyBundle(text);
    expect(ok).toBe(false);
    expect(JSON.stringify(links).length).toBeLessThan(1_000);
  });

  it.each(['', '{', '[]', 'null', '{"format":"traceability-passport-bundle/1"}', '{"format":"other"}', '0x'])(
    'is refused: %j',
    async (text) => {
      const { ok, links } = await verifyBundle(text);
      expect(ok).toBe(false);
      expect(links.some(({ link, state }) => link === 'readable' && state === 'broken')).toBe(true);
    },
  );
});
