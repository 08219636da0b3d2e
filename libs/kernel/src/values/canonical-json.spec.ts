import { describe, expect, it } from '@jest/globals';
import { NotCanonical, atPointer, canonicalJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('writes the example of RFC 8785, §3.2.4', () => {
    const value: unknown = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    // 1e30 is a number of the RFC's vector, but no integer that JSON keeps exactly: the strict writer refuses it.
    expect(() => canonicalJson(value)).toThrow(NotCanonical);
    (value as { numbers: number[] }).numbers.splice(1, 1);
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as RFC 8785, §3.2.3 asks', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const written = canonicalJson(Object.fromEntries(keys.map((key) => [key, 1])));
    expect(Object.keys(JSON.parse(written) as object).filter((key) => key !== '1')).toEqual([
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ]);
  });

  it.each([
    ['half a surrogate pair', { a: { b: ['\ud800'] } }, '/a/b/0', 'lone_surrogate'],
    ['half a pair in a key', { a: { '\udc00': 1 } }, '/a', 'lone_surrogate'],
    ['an integer beyond 2^53', { n: 2 ** 53 }, '/n', 'unsafe_integer'],
    ['a value that JSON lacks', { 'a/b': undefined }, '/a~1b', 'not_json'],
    ['a number that is none', [Number.NaN], '/0', 'not_json'],
  ])('refuses %s with its pointer', (_, value, pointer, code) => {
    expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ pointer, code }));
  });

  it('refuses nesting beyond 32 levels', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(canonicalJson(nested(32))).toHaveLength(65);
    expect(() => canonicalJson(nested(33))).toThrow(expect.objectContaining({ code: 'too_deep' }));
  });

  it('writes minus zero as zero and one as 1', () => {
    expect(canonicalJson([-0, 1.0, 1.5])).toBe('[0,1,1.5]');
  });
});

describe('pointers', () => {
  it('finds values behind escaped keys and nothing behind inherited ones', () => {
    expect(atPointer({ 'a/b': [{ 'c~d': 7 }] }, '/a~1b/0/c~0d')).toBe(7);
    expect(atPointer({}, '/constructor')).toBeUndefined();
  });
});
