import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';

interface Words {
  readonly retired: () => readonly { readonly path: string; readonly word: string; readonly line: number; readonly text: string }[];
  readonly retiredIn: (path: string, text: string) => readonly { readonly word: string; readonly line: number }[];
}

/** docs/glossary.md says what to write. `npm run words` counts the places, `npm run words -- WORD` lists them. */
describe('the words that the project has retired', () => {
  let words: Words;

  beforeAll(async () => {
    words = (await import(pathToFileURL(resolve('tools/words.mjs')).href)) as Words;
  });

  const inCode = (text: string): readonly string[] => words.retiredIn('a.ts', text).map(({ word }) => word);
  const inPage = (text: string): readonly string[] => words.retiredIn('a.md', text).map(({ word }) => word);

  it('are not used any more', () => {
    expect(words.retired().map(({ path, line, word, text }) => `${path}:${line} [${word}] ${text}`)).toEqual([]);
  });

  it('would be found out in names, comments, messages and pages', () => {
    expect(inCode('class LotSweep {}')).toContain('patrol');
    expect(inCode('interface Found { readonly id: string }')).toEqual(['participle']);
    expect(inCode('const nextTurn = 1;')).toEqual(['turn']);
    expect(inCode('// it is built anew')).toEqual(['anew']);
    expect(inCode("throw refusal('x', 'Whoever asks')")).toEqual(['whoever']);
    expect(words.retiredIn('a.tsx', '<p>Nothing stands here</p>').map(({ word }) => word)).toEqual(['stands']);
    expect(inPage('What stands beside it lies there.')).toEqual(expect.arrayContaining(['stands', 'beside', 'lies']));
  });

  it('are right in their own context', () => {
    expect(inCode("const bizStep = 'shipping'; const { traceparent } = headers; // the sub claim of a JWT")).toEqual([]);
    expect(inCode('const rows = await sql(`select 1 order by id`);')).toEqual([]);
    expect(inPage('A mass balance claim (ISO 22095) of goods.')).toEqual([]);
    expect(inCode('import standard from "standstill";')).toEqual([]);
  });
});
