import { describe, expect, it } from '@jest/globals';
import { assert, boolean, jsonValue, property } from 'fast-check';
import { canonicalJson } from '#kernel';
import { isCanonical } from './external-content.js';

/** The same answer, found by writing the value and comparing. */
function writtenCanonically(text: string, value: unknown): boolean {
  try {
    return canonicalJson(value) === text;
  } catch {
    return false;
  }
}

function asked(text: string): boolean {
  try {
    return isCanonical(text, JSON.parse(text));
  } catch {
    return false;
  }
}

describe('a text in canonical form', () => {
  it.each([
    '{"a":1,"b":[true,null,"ü"]}',
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    '{"10":1,"2":1}',
    '{"2":1,"10":1}',
    '{"":1," ":2}',
    '{ "a":1}',
    '{"a":1.0}',
    '{"a":-0}',
    '{"a":1e21}',
    '{"a":1e+21}',
    '{"a":9007199254740993}',
    '{"a":9007199254740992}',
    '{"a":1e400}',
    '{"a":"\\u00fc"}',
    String.raw`{"a":"\ud83c"}`,
    String.raw`{"a":"\ud83c\udf4e"}`,
    '{"a":"🍎"}',
    '{"__proto__":{"a":1}}',
    `${'[1,'.repeat(30)}0${']'.repeat(30)}`,
    `${'['.repeat(40)}${']'.repeat(40)}`,
  ])('says of %s what the writer says', (text) => {
    expect(asked(text)).toBe(writtenCanonically(text, JSON.parse(text)));
  });

  it('says of any JSON, in any order, what the writer says', () => {
    assert(
      property(jsonValue({ maxDepth: 6, stringUnit: 'binary' }), boolean(), (value, canonically) => {
        let text = JSON.stringify(value);
        if (canonically)
          try {
            text = canonicalJson(value);
          } catch {
            // Refused: asked as it is.
          }
        expect(asked(text)).toBe(writtenCanonically(text, JSON.parse(text)));
      }),
    );
  });
});
