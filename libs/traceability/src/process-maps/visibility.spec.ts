import { describe, expect, it } from '@jest/globals';
import { testActor } from '#kernel/testing';
import { publicPart, readablePart } from './visibility.js';

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

  it('takes time in proportion to the pointers', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `n${i}`);
    const wide = { a: Object.fromEntries(names.map((name) => [name, 1])) };
    const used = process.cpuUsage();
    expect(
      publicPart(
        wide,
        names.map((name) => `/a/${name}`),
      ),
    ).toEqual(wide);
    expect(process.cpuUsage(used).user / 1000).toBeLessThan(2000);
  });

  it('never reaches into prototypes, and leaves the stored metadata as it was', () => {
    const tricky = JSON.parse('{"__proto__": {"public": 1}, "a": {"b": 1}}') as Record<string, unknown>;
    const shown = publicPart(tricky, ['/__proto__/public', '/constructor', '/a', '/a/b']);
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"public":1},"a":{"b":1}}');
    expect(({} as Record<string, unknown>)['public']).toBeUndefined();
  });
});

describe('the documents of an event', () => {
  const certificate = { type: 'CERTIFICATE', visibility: 'public' };
  const bill = { type: 'BILL_OF_LADING' };
  const event = { orgId: 'mill', location: null, metadata: {}, documents: [null, certificate, bill] };

  it.each([
    ['the one who recorded it', testActor(['OPERATOR'], { orgId: 'mill' }), [certificate, bill]],
    ['others', testActor(['OPERATOR'], { orgId: 'farm' }), [certificate]],
  ])('without those that were erased, for %s', (_, actor, documents) => {
    expect(readablePart(actor, event, []).documents).toEqual(documents);
  });
});
