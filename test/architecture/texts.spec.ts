import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';

interface Text {
  readonly key: string;
  readonly plural: boolean;
  readonly early: boolean;
}
type Entries = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
interface Texts {
  readonly LANGUAGES: readonly string[];
  readonly textsIn: (path: string, source: string) => readonly Text[];
  readonly texts: () => readonly (Text & { readonly path: string; readonly line: number })[];
  readonly plainIn: (path: string, source: string) => readonly { readonly text: string }[];
  readonly catalogue: (language: string) => Entries;
  readonly faultsOf: (language: string, entries: Entries, used: readonly Text[]) => readonly string[];
}

/** apps/portal/README.md says how texts are written and translated. */
describe('the texts of the portal', () => {
  let tool: Texts;

  beforeAll(async () => {
    tool = (await import(pathToFileURL(resolve('tools/texts.mjs')).href)) as Texts;
  });

  it('have a translation in every language, and nothing else is translated (npm run texts)', () => {
    const used = tool.texts();
    expect(used.length).toBeGreaterThan(5);
    for (const language of tool.LANGUAGES)
      expect([language, tool.faultsOf(language, tool.catalogue(language), used)]).toEqual([language, []]);
  });

  it('are translated where they are shown, not when the script is loaded', () => {
    expect(tool.texts().filter(({ early }) => early)).toEqual([]);
    expect(
      tool.textsIn('a.ts', "const A = t('Lots'); const B = () => t('Lots'); const C = phrase('Lots');").map(({ early }) => early),
    ).toEqual([true, false, false]);
  });

  it('are found in calls, choices and lists', () => {
    const found = tool.textsIn(
      'a.tsx',
      "const A = () => <p title={t(busy ? 'One' : 'Two')}>{plural(n, '{count} lot', '{count} lots')}</p>;",
    );
    expect(found.map(({ key, plural }) => [key, plural])).toEqual([
      ['One', false],
      ['Two', false],
      ['{count} lots', true],
    ]);
    expect(tool.plainIn('a.tsx', '<p title="A title">{t("One")} Two {busy ? "Three" : ""}</p>').map(({ text }) => text)).toEqual([
      'A title',
      'Two',
      'Three',
    ]);
  });

  it('would be missed, if one were absent, superfluous, without its plural or without its values', () => {
    const used: readonly Text[] = [
      { key: 'Lots of {name}', plural: false, early: false },
      { key: '{count} lots', plural: true, early: false },
    ];
    expect(tool.faultsOf('de', {}, used)).toEqual(['missing: Lots of {name}', 'missing: {count} lots']);
    const wrong = { 'Lots of {name}': 'Chargen', '{count} lots': { other: '{count} Chargen' }, Old: 'Alt' };
    expect(tool.faultsOf('de', wrong, used)).toEqual(['other values: Lots of {name}', 'lacks one: {count} lots', 'not used: Old']);
    expect(tool.faultsOf('vi', { 'Lots of {name}': 'Lô của {name}', '{count} lots': { other: '{count} lô' } }, used)).toEqual([]);
  });
});
