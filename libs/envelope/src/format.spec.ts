import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '#kernel';
import { Classes, type ClassRule, type ContentKeys, hexOf, pointerCovers, sealContent, type SealingSubject } from './index.js';
import { padmeLength } from './padding.js';
import { leavesOf } from './path.js';
import { opened, steady } from './testing/index.js';

type Content = { readonly [key: string]: Json };

describe('the published vectors', () => {
  const vectors = JSON.parse(readFileSync('libs/envelope/vectors/envelope.json', 'utf8')) as readonly Vector[];
  interface Vector {
    readonly name: string;
    readonly subject: SealingSubject;
    readonly rules: readonly ClassRule[] | null;
    readonly content: Content;
    readonly seed: string;
    readonly block: string;
    readonly sha256: string;
    readonly tree: readonly string[];
    readonly keys: Readonly<Record<string, string | null | readonly (string | null)[]>>;
  }

  it.each(vectors.map((vector) => [vector.name, vector] as const))('are what is written and read: %s', (_, vector) => {
    const { subject, rules, content, seed, block, sha256, tree, keys } = vector;
    const sealed = sealContent(content, rules && new Classes(rules), subject, steady(seed));
    expect(sealed.bytes.toString()).toBe(block);
    expect(createHash('sha256').update(block).digest('hex')).toBe(sha256);
    const { content: back, tree: found } = opened(sealed, subject.tenant);
    expect(found.map((hash) => hexOf(hash).slice(2))).toEqual(tree);
    expect(hexKeys(sealed.keys)).toEqual(keys);
    expect(back).toEqual(content);
  });

  const hex = (key: Uint8Array | null): string | null => key && Buffer.from(key).toString('hex');
  const hexKeys = (keys: ContentKeys) =>
    Object.fromEntries(
      Object.entries(keys).map(([name, key]) => [name, Array.isArray(key) ? key.map(hex) : hex(key as Uint8Array | null)]),
    );

  it('have leaves that a reader may hash by hand', () => {
    expect(leavesOf({ a: { 0: 1 } })).toEqual([{ path: ['a', '0'], value: 1 }]);
    expect(leavesOf({ a: ['x'] })).toEqual([{ path: ['a', 0], value: 'x' }]);
    expect(leavesOf({ a: [[1, 2], [3]], b: [], c: {}, d: [1, 'x'] })).toEqual([
      { path: ['a'], value: [[1, 2], [3]] },
      { path: ['b'], value: [] },
      { path: ['c'], value: {} },
      { path: ['d', 0], value: 1 },
      { path: ['d', 1], value: 'x' },
    ]);
  });
});

describe('lengths', () => {
  it('are lengthened by 12 % at most, and few remain', () => {
    for (let length = 128; length < 100_000; length += 37) {
      expect(padmeLength(length)).toBeGreaterThanOrEqual(length);
      expect(padmeLength(length)).toBeLessThanOrEqual(length * 1.12);
    }
    expect(new Set(Array.from({ length: 4_096 }, (_, i) => padmeLength(i))).size).toBeLessThan(80);
  });
});

describe('a public pointer covers a personal one', () => {
  it.each([
    ['/farmers', '/farmers/*/phone', true],
    ['/farmers/*/phone', '/farmers/*/phone', true],
    ['/farmers/0', '/farmers/*/phone', true],
    ['/*', '/phone', true],
    ['', '/phone', true],
    ['/farmers/*/name', '/farmers/*/phone', false],
    ['/farmers/*/phone/x', '/farmers/*/phone', false],
    ['/farm', '/farmers', false],
  ])('%s over %s: %s', (outer, inner, covers) => expect(pointerCovers(outer, inner)).toBe(covers));
});
