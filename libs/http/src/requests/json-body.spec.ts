import { describe, expect, it } from '@jest/globals';
import { escapePointer } from '#kernel';
import { parseJsonBody, readJsonBody } from './json-body.js';
import { duplicateName } from './json-text.js';

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
    expect(
      duplicateName(text)
        ?.map((name) => `/${escapePointer(`${name}`)}`)
        .join('') ?? null,
    ).toBe(pointer);
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

  const wide = JSON.stringify('x'.repeat(40_000));
  const many = (item: string, amount: number): string => Array.from({ length: amount }, () => item).join(', ');

  it.each([
    ['a list of small items', `[${many('{"a": [1, {"b": null}], "c": "\\u0041,]}"}', 5_000)}]`],
    ['an object of small members', `{${Array.from({ length: 9_000 }, (_, i) => `"m${i}" : [${i}, true]`).join(',')}}`],
    ['small items between large ones', `  [1, ${wide}, "a", [${many('2', 50_000)}], {"x": ${wide}}, [], {}, -0.5e3 ]\n`],
    ['large members with names that need escapes', `{ "a\\"b" : {"c\\u00e9": [${many('"x"', 30_000)}]} , "d" :7, ${wide}:[${wide}]}`],
    ['one long text', JSON.stringify('\\"['.repeat(60_000))],
    ['an empty list with much space', `[${' '.repeat(90_000)}]`],
  ])('means the same as in one piece: %s', async (_, text) => {
    expect(text.length).toBeGreaterThan(64 * 1024);
    expect(await readJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  it.each([
    ['a comma too many at the end of a list', `[${many('1', 50_000)}, ]`],
    ['a comma too many in a list', `[${many('1', 50_000)},, ${many('1', 50_000)}]`],
    ['a comma at the beginning', `[,${many('1', 50_000)}]`],
    ['a comma too many in an object', `{"a":${wide},"b":${wide},}`],
    ['brackets that do not match', `[${many('[1}', 30_000)}]`],
    ['a list that closes too early', `[${many('1', 50_000)}], [${many('1', 50_000)}]`],
    ['a list that is not closed', `[[${many('1', 50_000)}]`],
    ['a member without a value', `{"a":${wide},"b"}`],
    ['a large member without a name', `{${wide}}`],
    ['a large member whose name is no text', `{7:${wide}}`],
    ['a text that is not closed', `["${'x'.repeat(90_000)}]`],
    ['text after the value', `[${many('1', 50_000)}] x`],
  ])('is refused as no JSON: %s', async (_, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await expect(readJsonBody(Buffer.from(text))).rejects.toMatchObject({ details: { errors: [{ pointer: '', code: 'not_json' }] } });
  });

  it('says whereabouts in the whole text an error is', async () => {
    const text = `{"a": [${many('1', 50_000)}, [2, x], ${many('1', 50_000)}]}`;
    const problem = await readJsonBody(Buffer.from(text)).catch((error: Error) => error.message);
    const position = Number(/position (\d+)\.$/.exec(String(problem))![1]);
    // V8 does not say where an unknown word is: the end of the part is said.
    expect(position - text.indexOf('x')).toBeGreaterThanOrEqual(0);
    expect(position - text.indexOf('x')).toBeLessThan(40_000);
  });

  it.each([
    ['duplicate_name', '/list/20001/a', `{"list":[${many('{"b":1}', 20_000)}, 7, {"a":1,"a":2}]}`],
    ['duplicate_name', '/b', `{"b":${wide},"a":[${many('1', 50_000)}],"b":1}`],
    ['duplicate_name', '/m7', `{"m7":0,${Array.from({ length: 9_000 }, (_, i) => `"m${i}":[1,2]`).join(',')}}`],
    ['forbidden_name', '/a/__proto__', `{"a":{"__proto__":${wide},"c":${wide}}}`],
    ['forbidden_name', '/3/__proto__', `[1,${wide},${wide},{"__proto__":1}]`],
    ['too_deep', '/1'.repeat(32), `${'[0,'.repeat(40)}${wide},${wide}${']'.repeat(40)}`],
  ])('is refused with %s at %s', async (code, pointer, text) => {
    const wanted = { code: 'malformed_request', details: { errors: [{ code, pointer }] } };
    await expect(readJsonBody(Buffer.from(text))).rejects.toMatchObject(wanted);
    await expect(async () => parseJsonBody(Buffer.from(text))).rejects.toMatchObject(wanted);
  });
});
