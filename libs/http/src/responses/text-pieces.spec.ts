import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { TextPieces, plainJson } from './text-pieces.js';

function written(parts: readonly string[]): { readonly text: string; readonly sizes: readonly number[] } {
  const pieces = new TextPieces();
  const out: Buffer[] = [];
  for (const part of parts) {
    pieces.write(part);
    out.push(...pieces.taken());
  }
  pieces.end();
  out.push(...pieces.taken());
  return { text: Buffer.concat(out).toString(), sizes: out.map(({ length }) => length) };
}

describe('a text in pieces', () => {
  it('is the text, whatever is written', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      // As long as a piece is, a byte less or more, in characters of one to four bytes.
      fc
        .tuple(fc.constantFrom('a', 'é', '茶', '🌾'), fc.constantFrom(1, 2, 3, 4), fc.constantFrom(-1, 0, 1))
        .map(([character, bytes, off]) => character.repeat(2 ** 17 / bytes + off)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        expect(written(parts).text).toBe(parts.join(''));
      }),
    );
  });

  it('comes in no more pieces than it needs, and in none where there is nothing', () => {
    const { sizes } = written(Array.from({ length: 5000 }, () => 'x'.repeat(100)));
    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 ** 17);
    expect(written([]).sizes).toEqual([]);
    expect(written(['', '']).sizes).toEqual([]);
  });

  it('does not change what was taken', () => {
    const pieces = new TextPieces();
    pieces.write('first');
    pieces.end();
    const [first] = pieces.taken();
    pieces.write('later');
    pieces.end();
    expect([first!.toString(), ...pieces.taken().map(String)]).toEqual(['first', 'later']);
    expect(pieces.taken()).toEqual([]);
  });
});

describe('a domain value in JSON', () => {
  it('has numbers or decimal texts for bigints and texts for times, however deep', () => {
    const at = new Date('2026-09-20T15:00:00Z');
    const value = {
      rows: [
        { id: 7n, at, deep: [[2n ** 60n]] },
        { id: 1, missing: null, absent: undefined },
      ],
    };
    expect(plainJson(value)).toEqual({
      rows: [
        { id: 7, at: '2026-09-20T15:00:00.000Z', deep: [['1152921504606846976']] },
        { id: 1, missing: null, absent: undefined },
      ],
    });
    expect(value.rows[0]).toEqual({ id: 7n, at, deep: [[2n ** 60n]] });
  });

  it('is the value itself where nothing is to be converted', () => {
    const row = { a: [1, 'x', { b: null }] };
    expect(plainJson(row)).toBe(row);
    const other = { n: 1n };
    expect((plainJson([row, other]) as unknown[])[0]).toBe(row);
  });

  it('keeps a member that is named like the prototype', () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true},"n":1}') as object;
    expect(JSON.stringify(plainJson(Object.assign(hostile, { id: 2n })))).toBe('{"__proto__":{"admin":true},"n":1,"id":2}');
  });
});
