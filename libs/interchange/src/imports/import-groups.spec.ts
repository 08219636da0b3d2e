import { describe, expect, it } from '@jest/globals';
import type { FileRow } from './event-of-row.js';
import { type RowRules, type RowsOnTheWay, groupsOf, onTheWay, problemsByRow } from './import-row.rules.js';
import type { BoundColumn, ImportMapping } from './import-mapping.js';

const column = (index: number, header: string, to: string, as: BoundColumn['as'] = 'text'): BoundColumn => ({
  ...{ index, letter: 'ABCDE'[index]!, column: header, to, as },
});
const COLUMNS = [
  column(1, 'Input', '/inputTokenIds/0', 'lot'),
  column(2, 'Carrier', '/metadata/carrier'),
  column(3, 'Document', '/metadata/documents/0/number'),
];
const constants = [{ to: '/metadata/documents/0/type', value: 'WAYBILL' }];
const cell = (text: string) => (text === '' ? null : { kind: 'text', text });

async function read(lines: readonly string[], merged: RowRules['merged'] = []): Promise<readonly RowsOnTheWay[]> {
  const mapping: ImportMapping = { processType: 'P', columns: COLUMNS, constants };
  const group = { column: 0, letter: 'A', header: 'Pallet' };
  const rules: RowRules = { mapping, columns: COLUMNS, group, merged, seen: new Map(), keys: new Map() };
  const rows = lines.map((line, i): FileRow => ({ row: i + 2, cells: line.split(',').map(cell) }));
  const found: RowsOnTheWay[] = [];
  // In pages of two, so that an event is in several of them.
  const pages = async function* () {
    for (let from = 0; from < rows.length; from += 2) yield await Promise.resolve(rows.slice(from, from + 2));
  };
  for await (const groups of groupsOf(pages(), group)) found.push(...groups.map((one) => onTheWay(one, rules)));
  return found;
}
const codes = (found: readonly RowsOnTheWay[]): readonly string[] =>
  found.flatMap(({ problems }) => problems.map(({ row, column: letter, code }) => `${letter}${row} ${code}`));

describe('rows that are one event', () => {
  it('are its lots and items, in their order', async () => {
    const found = await read(['P1,A,Van,1', 'P1,B,,2', 'P1,C,Van,', 'P2,D,Car,3']);
    expect(codes(found)).toEqual([]);
    expect(found.map(({ rows, event }) => [rows, event!.lots.map(({ code }) => code), event!.metadata])).toEqual([
      [
        [2, 3, 4],
        ['A', 'B', 'C'],
        {
          carrier: 'Van',
          documents: [
            { type: 'WAYBILL', number: '1' },
            { type: 'WAYBILL', number: '2' },
          ],
        },
      ],
      [[5], ['D'], { carrier: 'Car', documents: [{ type: 'WAYBILL', number: '3' }] }],
    ]);
  });

  it.each([
    ['says something else in another row', ['P1,A,Van,', 'P1,B,Car,'], ['C3 group_differs']],
    ['has other rows between', ['P1,A,Van,', 'P2,B,Car,', 'P1,C,Van,'], ['A4 group_scattered']],
    ['is not named', ['P1,A,Van,', ',B,Van,'], ['A3 group_missing']],
    ['repeats another one', ['P1,A,Van,', 'P2,A,Van,'], ['null3 row_repeated']],
  ])('are refused where one %s', async (_, lines, expected) => {
    expect(codes(await read(lines))).toEqual(expected);
  });

  it('are refused where their key is merged, at the cells', async () => {
    const found = await read(['P1,A,Van,', 'P1,B,,'], [{ ref: 'A2:A3', top: 2, bottom: 3, left: 0, right: 0 }]);
    expect(codes(found)).toEqual(['A2 merged', 'A3 merged']);
  });

  it('all say that one of them has a problem', () => {
    const problem = { row: 3, column: 'C', header: 'Carrier', code: 'x', message: 'y' };
    expect(problemsByRow([2, 3], [problem]).map(({ row, problems }) => [row, problems[0]!.code])).toEqual([
      [2, 'group_invalid'],
      [3, 'x'],
    ]);
  });
});
