import { describe, expect, it } from '@jest/globals';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { FOLLOWED_TOPICS } from './read-blocks.js';
import { fillsBloom, matchBloom, missingFromBloom } from './logs-bloom.js';

/** By the yellow paper's own words, not by the code that is tested. */
function bloomOf(values: readonly string[]): string {
  let bloom = 0n;
  for (const value of values) {
    const hash = keccak_256(Buffer.from(value.slice(2), 'hex'));
    for (const i of [0, 2, 4]) bloom |= 1n << BigInt(((hash[i]! << 8) | hash[i + 1]!) % 2048);
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`;
}

const address = `0x${'ab'.repeat(20)}`;
const word = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
const words = (count: number): string[] => Array.from({ length: count }, (_, i) => word(i));

describe('what a bloom says of a block', () => {
  it('names the events that it holds while few bits are set', () => {
    const [one, other] = FOLLOWED_TOPICS as [string, string];
    expect(matchBloom(bloomOf([address, one, word(7)]), [one, other])).toEqual({ values: [one], selective: true });
  });

  it('names what of a log is not in it, and nothing for a chain that keeps none', () => {
    const log = { address, topics: [word(1), word(2)] };
    expect(missingFromBloom(bloomOf([address, word(1), word(2), word(3)]), log)).toBeNull();
    expect(missingFromBloom(bloomOf([word(1), word(2)]), log)).toBe('address');
    expect(missingFromBloom(bloomOf([address, word(1)]), log)).toBe('topics');
    for (const none of [null, '0x', `0x${'00'.repeat(256)}`, `0x${'ff'.repeat(256)}`]) expect(missingFromBloom(none, log)).toBeNull();
  });

  it('names events that are not there when it is full, and says so', () => {
    const held = matchBloom(bloomOf(words(2_000)), FOLLOWED_TOPICS)!;
    expect(held.selective).toBe(false);
    expect(held.values.length).toBeGreaterThan(0);
  });

  it('says nothing where a chain keeps none, or one of all ones', () => {
    expect(matchBloom(null, FOLLOWED_TOPICS)).toBeNull();
    expect(matchBloom(`0x${'ff'.repeat(256)}`, FOLLOWED_TOPICS)).toBeNull();
  });

  it('tells whether logs are all that it holds', () => {
    const logs = words(50).map((topic) => ({ address, topics: [topic] }));
    const bloom = bloomOf([address, ...words(50)]);
    expect(fillsBloom(bloom, logs)).toBe(true);
    expect(fillsBloom(bloom, logs.slice(1))).toBe(false);
  });
});
