import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { Cell, Column, Report } from '../../ports.js';

/**
 * A table as RFC 4180 asks for it, with a byte order mark, or spreadsheets read UTF-8 as something else. It is written as fast as it is
 * read: one page of rows is in memory, whatever their number.
 */
export function csvOf(
  report: Report,
  columns: readonly Column[],
  pages: AsyncIterable<readonly object[]> | Iterable<readonly object[]>,
): Readable {
  const names = columns.map(({ name }) => name);
  const lines = async function* () {
    for await (const rows of pages)
      for (const row of rows) for (const line of report.lines(row)) yield names.map((name) => cell(line[name] ?? null));
  };
  const table = stringify({
    header: true,
    columns: names,
    bom: true,
    record_delimiter: 'windows',
    // Its own rule looks for the whole CRLF only.
    quoted_match: /[\r\n]/,
  });
  return Readable.from(lines())
    .on('error', (error) => table.destroy(error))
    .pipe(table);
}

/** A text that a spreadsheet would take for a formula gets an apostrophe before it; a negative number is none. */
export function cell(value: Cell): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : value.join('; ');
  return /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
}
