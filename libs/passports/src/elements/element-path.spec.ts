import { describe, expect, it } from '@jest/globals';
import { elementPath } from './element-path.js';

describe('a path to an element', () => {
  it.each<[string, readonly (string | number)[]]>([
    ["$['a']", ['a']],
    ["$['a'][0]['b c']", ['a', 0, 'b c']],
    [`$["a"]`, ['a']],
    ['$.netWeight.value', ['netWeight', 'value']],
    [`$['it\\'s']['\\\\']['\\u000b']["\\""]`, ["it's", '\\', '\u000B', '"']],
    ["$['https://a.example/x?y=1,2:3*']", ['https://a.example/x?y=1,2:3*']],
    ["$['']", ['']],
  ])('%s names one', (text, steps) => expect(elementPath(text)).toEqual(steps));

  it.each(['$', '$..a', '$[*]', '$.*', "$['a'][*]", '$[0:2]', '$[:]', "$['a','b']", '$[?@.a]', '$.a..b', '$[0,1]'])(
    '%s may select several, or all',
    (text) => expect(elementPath(text)).toBe('path_not_singular'),
  );

  it.each([
    '',
    'a',
    "['a']",
    '$a',
    '$.',
    "$['a'",
    "$['a'].",
    '$[01]',
    '$[1.5]',
    '$.a[-1]',
    "$['\\x']",
    "$['a']b",
    '$[a]',
    ' $.a',
    "$['\n']",
  ])('%j is none', (text) => expect(elementPath(text)).toBe('path_malformed'));

  it('has a bound', () => expect(elementPath(`$${"['a']".repeat(65)}`)).toBe('path_malformed'));
});
