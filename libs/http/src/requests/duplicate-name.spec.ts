import { describe, expect, it } from '@jest/globals';
import { duplicateName } from './duplicate-name.js';

describe('a name that an object has twice', () => {
  it.each<[string, string | null]>([
    ['{"a":1,"a":2}', '/a'],
    [String.raw`{"a":1,"\u0061":2}`, '/a'],
    ['{"a":{"b":1},"c":{"b":1}}', null],
    ['{"a":[{"b":1},{"b":1}]}', null],
    ['{"a":[{"b":1},{"c":[0,{"x/y":1,"z":2,"x/y":3}]}]}', '/a/1/c/1/x~1y'],
    [String.raw`{"a\"":1,"a":"\\","b":"{\"a\":1,\"a\":2}"}`, null],
    ['{"a":"b","b":"a"}', null],
    ['{"":1,"":2}', '/'],
    ['["a","a",{"a":"a"}]', null],
    ['"a"', null],
    ['7', null],
  ])('in %s is found at %s', (text, pointer) => {
    expect(duplicateName(text)).toBe(pointer);
  });

  it('is not looked for in quadratic time', () => {
    // A text of backslashes is read once more for each quote in it, of which there are none.
    expect(duplicateName(`{"a":"${'\\\\'.repeat(200_000)}","b":[${'0,'.repeat(200_000)}0]}`)).toBeNull();
    expect(duplicateName(`{"a":"${String.raw`\"`.repeat(200_000)}"}`)).toBeNull();
  });
});
