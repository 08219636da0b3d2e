import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const PAGE = 'docs/explanation/scale.md';
/** Two runs on a machine that others share differ by less than this; a figure that is another one by more is of another time. */
const APART = 0.25;

interface Cited {
  readonly file: string;
  readonly row: string;
  readonly said: number;
}

/** What the page takes from the benchmarks: a link to a result, and behind it rows of that file by name, each with its figure. */
const citedIn = (page: string): readonly Cited[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) =>
      [...line.matchAll(/\]\(\.\.\/\.\.\/(bench\/results\/\w+\.md)\):([^[]*)/g)].flatMap(([, file, text]) =>
        [...text!.matchAll(/`([^`]+)` ([\d.,]*\d)/g)].map(([, row, said]) => ({ file: file!, row: row!, said: numberIn(said!) })),
      ),
    );
const numberIn = (text: string): number => Number(text.replaceAll(',', ''));

/** The first figure of the row of a table. */
function measuredIn(results: string, row: string): number | null {
  const cells = results
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, name]) => name === row)
    .flat()
    .slice(2);
  const figure = cells.find((cell) => /^[\d.,]*\d$/.test(cell));
  return figure === undefined ? null : numberIn(figure);
}

function faultOf({ file, row, said }: Cited, read = (path: string): string => readFileSync(path, 'utf8')): string | null {
  if (!existsSync(file)) return `${file} is not there`;
  const measured = measuredIn(read(file), row);
  if (measured === null) return `${file} has no row "${row}"`;
  return Math.abs(said - measured) <= APART * measured ? null : `${row}: ${said} is said, and ${file} has ${measured}`;
}

describe('the scale on paper', () => {
  it('is computed from what the benchmarks measured', () => {
    const cited = citedIn(readFileSync(PAGE, 'utf8'));
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.map((one) => faultOf(one)).filter((fault) => fault !== null)).toEqual([]);
  });

  it('would be found out with a figure of another time, or of nowhere', () => {
    const results = '| what | measured | unit |\n| a call | 1,000 | µs |\n';
    const [old, gone] = citedIn('| a call | 1.3 ms | [gas](../../bench/results/gas.md): `a call` 1,300, `another` 7 |') as [Cited, Cited];
    expect(faultOf(old, () => results)).toBe('a call: 1300 is said, and bench/results/gas.md has 1000');
    expect(faultOf({ ...old, said: 1_200 }, () => results)).toBeNull();
    expect(faultOf(gone, () => results)).toBe('bench/results/gas.md has no row "another"');
  });
});
