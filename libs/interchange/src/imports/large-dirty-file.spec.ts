import { expect, it } from '@jest/globals';
import { openTable } from '#spreadsheets';
import { type BoundColumn, type ImportMapping, boundColumns } from './import-mapping.js';
import { MAX_IMPORT_ROWS } from './import-run.js';
import { onTheWay } from './import-row.rules.js';
import { dataRows } from './read-import.js';

/** As a German spreadsheet writes it, with a byte order mark. */
const HEADER = '\uFEFFCharge;Erntedatum;Menge;Einheit;Sorte';
const MAPPING: ImportMapping = {
  processType: 'P',
  columns: [
    { column: 'Charge', to: '/outputTlc', as: 'text' },
    { column: 'Erntedatum', to: '/metadata/on', as: 'date', dateForm: 'DD.MM.YYYY' },
    { column: 'Menge', to: '/metadata/quantity/value', as: 'number', decimal: ',' },
    { column: 'Einheit', to: '/metadata/quantity/uom', as: 'unit' },
    { column: 'Sorte', to: '/metadata/variety', as: 'text', lookup: { Jasmin: 'Jasmine 85', Duft: 'ST25' } },
  ],
};

const two = (value: number): string => String(value).padStart(2, '0');
const cellsOf = (row: number): string[] => [
  ...[
    `RH-${row}`,
    `${two((row % 28) + 1)}.${two((row % 12) + 1)}.2026`,
    `${1 + (row % 9)}.${String(row % 1_000).padStart(3, '0')},${row % 10}`,
  ],
  ...[row % 3 === 0 ? 't' : 'kg', row % 2 === 0 ? 'Jasmin' : 'Duft'],
];
const valuesOf = (row: number): object => ({
  on: `2026-${two((row % 12) + 1)}-${two((row % 28) + 1)}`,
  quantity: { value: (1 + (row % 9)) * 1_000 + (row % 1_000) + (row % 10) / 10, uom: row % 3 === 0 ? 'TNE' : 'KGM' },
  variety: row % 2 === 0 ? 'Jasmine 85' : 'ST25',
});
/** What goes wrong in a cell, by its column. */
const FAULTS: readonly (readonly [letter: string, text: string])[] = [
  ['B', '31.02.2026'],
  ['B', '2026-02-01'],
  ['B', 'gestern'],
  ['C', 'viel'],
  ['C', '1.23'],
  ['C', '12%'],
  ['C', '=SUMME(C1:C9)'],
  ['C', '12345678901234567890'],
  ['D', 'Sack'],
  ['D', '=D1'],
  ['E', 'Jasmin '.repeat(2)],
  ['E', '#NV'],
];
/** One row in seven, each kind in its place. */
const faultOf = (row: number): (typeof FAULTS)[number] | null => (row % 7 === 3 ? FAULTS[Math.floor(row / 7) % FAULTS.length]! : null);

it('in 100,000 rows every planted error is named at its cell, and every accepted value is that of its cell', async () => {
  const lines = Array.from({ length: MAX_IMPORT_ROWS }, (_, row) => {
    const [cells, fault] = [cellsOf(row), faultOf(row)];
    if (fault) cells['ABCDE'.indexOf(fault[0])] = fault[1];
    return cells.join(';');
  });
  const table = await openTable(Buffer.from([HEADER, ...lines].join('\r\n')), { maxRows: MAX_IMPORT_ROWS + 1 });
  const { headers, rows } = await dataRows(table);
  const columns = boundColumns(MAPPING, headers) as readonly BoundColumn[];
  const rules = { mapping: MAPPING, columns, merged: [], group: null, seen: new Map<string, number>(), keys: new Map<string, number>() };
  let [planted, named, accepted] = [0, 0, 0];
  const changed: unknown[] = [];
  for await (const some of rows)
    for (const one of some) {
      const { event, problems } = onTheWay([one], rules);
      // The first row is the header, and a spreadsheet counts from 1.
      const row = one.row - 2;
      const fault = faultOf(row);
      if (fault) planted++;
      if (fault && problems.length === 1 && problems[0]!.column === fault[0] && problems[0]!.row === one.row) named++;
      if (event) accepted++;
      const isRight =
        fault === null && event?.outputTlc === `RH-${row}` && JSON.stringify(event.metadata) === JSON.stringify(valuesOf(row));
      if (event && !isRight) changed.push([one.row, event.metadata]);
    }
  expect(planted).toBeGreaterThan(14_000);
  expect(named / planted).toBeGreaterThanOrEqual(0.95);
  expect([changed.slice(0, 5), accepted]).toEqual([[], MAX_IMPORT_ROWS - planted]);
});
