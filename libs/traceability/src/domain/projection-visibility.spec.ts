import { describe, expect, it } from '@jest/globals';
import { publicPart } from './projection-visibility.js';

describe('the public part of metadata', () => {
  const metadata = { a: { b: 1, c: 2 }, list: [{ x: 1 }], n: null, plot: { id: 7 } };

  it.each([
    [['/a/b'], { a: { b: 1 } }],
    [['/a/b', '/a'], { a: { b: 1, c: 2 } }],
    [['/a', '/a/b'], { a: { b: 1, c: 2 } }],
    [['/a/missing', '/nothing'], {}],
    [['/list'], { list: [{ x: 1 }] }],
    [['/n'], { n: null }],
    [[''], {}],
    [[], {}],
  ])('at %j', (pointers, shown) => {
    expect(publicPart(metadata, pointers)).toEqual(shown);
  });

  it('never reaches into prototypes, and leaves the stored metadata as it was', () => {
    const tricky = JSON.parse('{"__proto__": {"public": 1}, "a": {"b": 1}}') as Record<string, unknown>;
    const shown = publicPart(tricky, ['/__proto__/public', '/constructor', '/a', '/a/b']);
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"public":1},"a":{"b":1}}');
    expect(({} as Record<string, unknown>)['public']).toBeUndefined();
  });
});
