import { Readable } from 'node:stream';
import type { Line } from '../table.js';
import { type Pages, csvOf } from './csv.js';
import { jsonLines } from './json-lines.js';
import { XLSX, workbookStream } from './workbook.js';

export const TABLE_FORMATS = ['csv', 'xlsx', 'ndjson'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export const TABLE_TYPES: Readonly<Record<TableFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: XLSX,
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** How rows become a table. NDJSON has the rows themselves. */
export interface TableShape<Row extends object> {
  /** Of the worksheet: at most 25 characters, without `[]:*?/\`. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly linesOf: (row: Row) => readonly Line[];
}

/** Rows in a format, written as fast as they are read: some rows are in memory, whatever their number. */
export function tableStream<Row extends object>(
  format: TableFormat,
  { name, columns, linesOf }: TableShape<Row>,
  pages: Pages<Row>,
): Readable {
  if (format === 'csv') return csvOf(columns, linesOf, pages);
  if (format === 'ndjson') return Readable.from(jsonLines(pages), { objectMode: false });
  return Readable.from(workbookStream({ name, columns }, linesIn(pages, linesOf)), { objectMode: false });
}

async function* linesIn<Row>(pages: Pages<Row>, linesOf: (row: Row) => readonly Line[]): AsyncGenerator<readonly Line[]> {
  for await (const rows of pages) yield rows.flatMap(linesOf);
}
