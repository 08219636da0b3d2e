import { describe, expect, it } from '@jest/globals';
import { array, assert, constantFrom, letrec, oneof, option, property, tuple } from 'fast-check';
import { isPatternFault, linearPattern } from './linear-pattern.js';

const codeOf = (source: string): string | null => {
  const pattern = linearPattern(source);
  return isPatternFault(pattern) ? pattern.code : null;
};
/** Tried from each character: V8 also looks between the two halves of one (`\B` in `a😀a`), where ECMAScript has no position (22.2.7.2). */
const matches = (source: string, text: string): boolean => {
  const here = new RegExp(source, 'uy');
  let at = 0;
  return [...Array.from(text), ''].some((character) => {
    here.lastIndex = at;
    at += character.length;
    return here.test(text);
  });
};
const agrees = (source: string, text: string): void => {
  const pattern = linearPattern(source);
  if (isPatternFault(pattern)) throw new Error(`${source}: ${pattern.message}`);
  expect([source, text, pattern.test(text)]).toEqual([source, text, matches(source, text)]);
};

/** Expressions of the supported subset. The letters are few, so that texts match often. */
const atoms = constantFrom(
  ...['a', 'b', '-', '_', ' ', 'é', '😀', '.', '^', '$', '(?:)'],
  ...String.raw`\d \D \w \W \s \S \b \B \n \t \v \f \r \0 \cJ \x61 \u0061 \u{1F600} \uD83D\uDE00 \/ \. \\ \^ \$ \* \( \) \[ \] \{ \} \| \?`.split(
    ' ',
  ),
  ...String.raw`[ab] [^ab] [a-c] [^a-c] [] [^] [\d-] [\w\s] [^\w\s] [^\S] [\b] [-a] [a-] [\-] [\u{1F600}-\u{1F64F}] [^\D] [.^$] [\]\\] [\x61-\x63]`.split(
    ' ',
  ),
  ...String.raw`\p{L} \P{L} \p{Lu} \p{Letter} \p{gc=Nd} \p{Script=Latin} [^\p{L}] [\P{L}]`.split(' '),
);
const quantifiers = constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0,2}', '{1,}', '{0}', '{1,3}?', '{0,0}');
const isAssertion = (atom: string): boolean => ['^', '$', String.raw`\b`, String.raw`\B`].includes(atom);
const { pattern: patterns } = letrec<{ pattern: string; sequence: string; part: string }>((tie) => ({
  pattern: array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  sequence: array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: oneof(
    { maxDepth: 3 },
    atoms,
    tuple(atoms, quantifiers).map(([atom, times]) => (isAssertion(atom) ? atom : `${atom}${times}`)),
    tuple(constantFrom('(', '(?:', '(?<n>'), tie('pattern'), option(quantifiers, { nil: '' }))
      // An expression has a name once.
      .map(([open, inner, times]) => `${open === '(?<n>' && inner.includes('?<') ? '(' : open}${inner})${times}`),
  ),
}));
const texts = array(
  constantFrom(...Array.from('aabbcAB019 -_/.\\^$*()[]{}|?\n\r\t\v\f\b\0éß'), '😀', '\u2028', '\u00a0', '\ufeff', 'Ω', '中'),
  {
    maxLength: 8,
  },
).map((points) => points.join(''));

describe('a linear pattern', () => {
  it('matches as ECMAScript does, whatever the expression and the text', () => {
    assert(
      property(patterns, array(texts, { minLength: 3, maxLength: 6 }), (source, given) => {
        try {
          RegExp(source, 'u');
        } catch {
          return; // two groups of one name
        }
        for (const text of given) agrees(source, text);
      }),
      { numRuns: 3000 },
    );
  });

  it('has no position between the halves of a character', () => {
    agrees(String.raw`\B`, 'a😀a');
  });

  it.each([
    ...[String.raw`\s`, String.raw`\S`, String.raw`[\s]`, String.raw`[^\S]`, String.raw`\w`, String.raw`\W`, String.raw`\d`, '.', '[^]'],
    ...[String.raw`[^\W]`, String.raw`[\D]`, String.raw`\p{Zs}`, String.raw`\p{Cc}`],
  ])('has the same characters in %s', (source) => {
    const [linear, own] = [linearPattern(`^${source}$`), new RegExp(`^${source}$`, 'u')];
    if (isPatternFault(linear)) throw new Error(linear.message);
    const other: string[] = [];
    for (let code = 0; code < 0x11000; code += code < 0x3100 || code > 0xfe00 ? 1 : 97) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = String.fromCodePoint(code);
      if (linear.test(text) !== own.test(text)) other.push(code.toString(16));
    }
    expect(other).toEqual([]);
  });

  it.each(['L', 'Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'M', 'Mn', 'Mc', 'Me', 'N', 'Nd', 'Nl', 'No', 'P', 'Pd', 'Po', 'S', 'Sc', 'Sm', 'Z'])(
    String.raw`has the same letters in \p{%s} as Unicode 15 assigned them`,
    (name) => {
      const [linear, own] = [linearPattern(`^\\p{${name}}$`), new RegExp(`^\\p{${name}}$`, 'u')];
      if (isPatternFault(linear)) throw new Error(linear.message);
      const other: string[] = [];
      // The basic plane up to Hangul is stable; what a later version assigned is not compared.
      for (let code = 0; code < 0xd800; code += code < 0x600 ? 1 : 13) {
        const text = String.fromCodePoint(code);
        if (!/\p{Cn}/u.test(text) && linear.test(text) !== own.test(text)) other.push(code.toString(16));
      }
      expect(other).toEqual([]);
    },
  );

  it.each([
    ['(?=a)', 'pattern_not_linear'],
    ['a(?!b)', 'pattern_not_linear'],
    ['(?<=a)b', 'pattern_not_linear'],
    ['(?<!a)b', 'pattern_not_linear'],
    [String.raw`(a)\1`, 'pattern_not_linear'],
    [String.raw`(?<x>a)\k<x>`, 'pattern_not_linear'],
    ['(', 'bad_pattern'],
    [String.raw`\p{Nonsense}`, 'bad_pattern'],
    [String.raw`\p{Emoji}`, 'pattern_not_supported'],
    [String.raw`\p{Cn}`, 'pattern_not_supported'],
    [String.raw`\uD800`, 'pattern_not_supported'],
    ['a{1001}', 'schema_too_costly'],
    ['(?:a{100}){100}', 'schema_too_costly'],
    ['(?:[a-z]{1,30}[0-9]{1,30}){20}', 'schema_too_costly'],
  ])('is not %s: %s', (source, code) => expect(codeOf(source)).toBe(code));

  it.each(['^(a|a)*$', '^(a+)+$', '^([a-z]+)*$', '(x+x+)+y', '^(?:a?){100}a{100}$', '^(a|b|ab)*c$'])(
    'is quick where backtracking never ends: %s',
    (source) => {
      const pattern = linearPattern(source);
      if (isPatternFault(pattern)) throw new Error(pattern.message);
      const used = process.cpuUsage();
      expect(pattern.test(`${'a'.repeat(4000)}!`)).toBe(false);
      expect(process.cpuUsage(used).user / 1000).toBeLessThan(1000);
    },
  );

  it('matches no text of more than 4096 characters', () => {
    const pattern = linearPattern('^a*$');
    if (isPatternFault(pattern)) throw new Error(pattern.message);
    expect([pattern.test('a'.repeat(4096)), pattern.test('a'.repeat(4097))]).toEqual([true, false]);
  });
});
