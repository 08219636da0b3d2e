import { describe, expect, it } from '@jest/globals';
import { duplicateName, readJsonBody } from './json-body.js';

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

describe('a large body', () => {
  const listOf = (item: string, amount: number): Buffer => Buffer.from(`[${`${item},`.repeat(amount)}0]`);

  it('with more than a million values is refused before it is parsed', async () => {
    const errors = [{ pointer: '', code: 'too_many_values' }];
    await expect(readJsonBody(listOf('[]', 500_001))).rejects.toMatchObject({ code: 'malformed_request', details: { errors } });
    await expect(readJsonBody(listOf('7', 1_000_001))).rejects.toMatchObject({ status: 400 });
  });

  it('may have as much text as it likes', async () => {
    const text = String.raw`a,[{\"\\`.repeat(100_000);
    expect(await readJsonBody(Buffer.from(`["${text}"]`))).toHaveLength(1);
    expect(await readJsonBody(listOf('7', 200_000))).toHaveLength(200_001);
  });
});
