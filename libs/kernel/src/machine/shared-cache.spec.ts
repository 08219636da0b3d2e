import { describe, expect, it } from '@jest/globals';
import { heldBytes, SharedCache } from './shared-cache.js';

const keysOf = (cache: SharedCache<string>, owner: string, keys: string): string =>
  Array.from(keys)
    .filter((key) => cache.get(owner, key) !== undefined)
    .join('');

describe('a shared cache', () => {
  it('drops what its owner used longest ago, when the share is full', () => {
    const cache = new SharedCache<string>({ whole: 100, share: 30 });
    for (const key of 'abc') cache.set('A', key, key, 10);
    cache.get('A', 'a');
    cache.set('A', 'd', 'd', 15);
    expect(keysOf(cache, 'A', 'abcd')).toBe('ad');
    expect(cache.weight).toBe(25);
  });

  it('drops nothing of another owner, however much one puts in', () => {
    const cache = new SharedCache<string>({ whole: 40, share: 30 });
    cache.set('B', 'b', 'b', 10);
    for (let i = 0; i < 1000; i++) cache.set('A', `${i}`, 'a', 10);
    expect(cache.get('B', 'b')).toBe('b');
    expect(cache.weight).toBe(40);
  });

  it('drops of the owner that holds most, when the whole is full', () => {
    const cache = new SharedCache<string>({ whole: 40, share: 30 });
    cache.set('B', 'b', 'b', 10);
    for (const key of 'abc') cache.set('A', key, key, 10);
    cache.set('C', 'c', 'c', 10);
    expect([keysOf(cache, 'A', 'abc'), keysOf(cache, 'B', 'b'), keysOf(cache, 'C', 'c')]).toEqual(['bc', 'b', 'c']);
  });

  it('replaces a value, and keeps nothing that is heavier than a share', () => {
    const cache = new SharedCache<string>({ whole: 40, share: 30 });
    cache.set('A', 'a', 'old', 30);
    cache.set('A', 'a', 'new', 20);
    expect([cache.get('A', 'a'), cache.weight]).toEqual(['new', 20]);
    cache.set('A', 'a', 'huge', 31);
    expect([cache.get('A', 'a'), cache.weight]).toEqual([undefined, 0]);
  });

  it('says what it no longer keeps, and not what only changed its weight', () => {
    const dropped: string[] = [];
    const cache = new SharedCache<string>({ whole: 40, share: 30 }, (value) => void dropped.push(value));
    cache.set('A', 'a', 'old', 10);
    cache.set('A', 'a', 'old', 20);
    cache.set('A', 'a', 'new', 20);
    cache.set('A', 'b', 'b', 20);
    cache.set('A', 'c', 'huge', 31);
    cache.delete('A', 'b');
    expect(dropped).toEqual(['old', 'new', 'huge', 'b']);
    expect(cache.weight).toBe(0);
  });

  it('forgets everything of one owner', () => {
    const cache = new SharedCache<string>({ whole: 40, share: 30 });
    for (const [owner, key] of [
      ['A', 'a'],
      ['A', 'b'],
      ['B', 'a'],
    ] as const)
      cache.set(owner, key, key, 10);
    cache.forget('A');
    cache.forget('nobody');
    expect([cache.get('A', 'a'), cache.get('A', 'b'), cache.get('B', 'a'), cache.weight]).toEqual([undefined, undefined, 'a', 10]);
  });
});

describe('the bytes that a value takes', () => {
  it('are many for each byte of a text of small objects', () => {
    const small = Array.from({ length: 1000 }, () => ({}));
    expect(heldBytes(small)).toBeGreaterThan(40 * JSON.stringify(small).length);
    expect(heldBytes({ name: 'x'.repeat(1000) })).toBe(2 * 128 + 4 + 1000);
  });
});
