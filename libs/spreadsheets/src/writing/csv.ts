import { Readable, pipeline } from 'node:stream';
import { stringify } from 'csv-stringify';
import { spreadsheetText } from '#kernel';
import type { CellValue, Line } from '../table.js';

export type Pages<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/**
 * RFC 4180 with a byte order mark, which spreadsheets need to read UTF-8. The table is written as fast as it is read: one page of rows is in
 * memory, whatever their number.
 * @param delimiter of another file that this one is like
 */
export function csvOf<Row extends object>(
  columns: readonly string[],
  linesOf: (row: Row) => readonly Line[],
  pages: Pages<Row>,
  delimiter = ',',
): Readable {
  const lines = async function* () {
    for await (const rows of pages)
      for (const row of rows) for (const line of linesOf(row)) yield columns.map((name) => cellText(line[name] ?? null));
  };
  const table = stringify({
    header: true,
    columns: columns.map(cellText),
    bom: true,
    delimiter,
    record_delimiter: 'windows',
    // The library's own rule only quotes a whole CRLF.
    quoted_match: /[\r\n]/,
  });
  // A reader that goes away ends the reading of rows too.
  return pipeline(Readable.from(lines()), table, () => undefined);
}

/** Texts are made safe for spreadsheets; a negative number is no text. */
export function cellText(value: CellValue): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && 'fault' in value) return cellText(value.fault);
  return spreadsheetText(typeof value === 'string' ? value : value.join('; '));
}
