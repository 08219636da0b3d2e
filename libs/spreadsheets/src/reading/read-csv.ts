import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import { textOfCell, yieldToEventLoop } from '#kernel';
import { type Cell, MAX_COLUMNS, type OpenedTable, type ReadOptions, type SheetRow, UnreadableFile } from '../table.js';

const SEPARATORS = [';', '\t', ',', '|'];
const AT_ONCE = 1_000;
/** Bytes that are read before others go on: of separators alone, each is a cell. */
const PIECE = 32 * 1024;
/** For each row that is allowed: fifty million empty lines are no table. */
const MOST_LINES = 20;
/** A line without its end would be read into memory as a whole. */
const MOST_RECORD = 1024 * 1024;

/** A table in text (RFC 4180), in whatever encoding and with whatever separator spreadsheets write. */
export function openCsv(bytes: Buffer, { separator, maxRows }: ReadOptions): OpenedTable {
  const encoding = encodingOf(bytes);
  const decode = (part: Buffer): string => new TextDecoder(encoding.name).decode(part);
  const beginning = decode(bytes.subarray(0, 64 * 1024));
  const stated = /^\uFEFF?sep=(.)\r?\n/.exec(beginning)?.[1];
  const chosen = separator ?? stated ?? separatorIn(beginning);
  return {
    format: 'csv',
    sheets: [],
    remarks: encoding.remark === null ? [] : [encoding.remark],
    separator: chosen,
    rows: () => rowsOf(bytes, { encoding: encoding.name, separator: chosen, skip: stated === undefined ? 0 : 1, maxRows }),
    merged: () => [],
  };
}

interface Reading {
  readonly encoding: string;
  readonly separator: string;
  /** Rows at the beginning that are no data. */
  readonly skip: number;
  readonly maxRows: number;
}

async function* rowsOf(bytes: Buffer, { encoding, separator, skip, maxRows }: Reading): AsyncGenerator<readonly SheetRow[]> {
  const options: Options = {
    bom: true,
    delimiter: separator,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MOST_RECORD,
    skip_empty_lines: false,
  };
  const text = Readable.from(textOf(bytes, encoding));
  const parser = text.pipe(parse(options));
  text.on('error', (error) => parser.destroy(error));
  let [row, found] = [0, 0];
  let rows: SheetRow[] = [];
  try {
    for await (const record of parser as AsyncIterable<readonly string[]>) {
      row++;
      if (row <= skip) continue;
      if (row > MOST_LINES * maxRows) throw tooManyRows(maxRows);
      if (record.length > MAX_COLUMNS && record.some((value) => cellOf(value) !== null)) throw tooManyColumns(row);
      const cells = record.slice(0, MAX_COLUMNS).map(cellOf);
      if (!cells.some((cell) => cell !== null)) continue;
      if (++found > maxRows) throw tooManyRows(maxRows);
      rows.push({ row, cells });
      if (rows.length < AT_ONCE) continue;
      yield rows;
      rows = [];
    }
  } catch (error) {
    throw error instanceof CsvError ? brokenAt(row + 1, error) : error;
  } finally {
    text.destroy();
    parser.destroy();
  }
  if (rows.length > 0) yield rows;
}

function brokenAt(row: number, { code }: CsvError): UnreadableFile {
  if (code === 'CSV_MAX_RECORD_SIZE') return new UnreadableFile('file_damaged', `Row ${row} has more than a million characters.`);
  return new UnreadableFile(
    'quotes_broken',
    `The quotes in row ${row} do not match: a quoted text does not end, or has a quote inside that is not doubled.`,
  );
}

export const tooManyRows = (maxRows: number): UnreadableFile =>
  new UnreadableFile('too_many_rows', `The file has more than ${maxRows.toLocaleString('en')} rows.`);
export const tooManyColumns = (row: number): UnreadableFile =>
  new UnreadableFile('too_many_columns', `Row ${row} has more than ${MAX_COLUMNS} columns.`);

async function* textOf(bytes: Buffer, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  for (let from = 0; from < bytes.length; from += PIECE) {
    const text = decoder.decode(bytes.subarray(from, from + PIECE), { stream: true });
    if (text !== '') yield text;
    await yieldToEventLoop();
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/** No database keeps it. */
export const NUL_CELL: Cell = { kind: 'fault', text: 'it has the character U+0000, which is in no text' };

/** Every cell is a text, without spaces around it and the apostrophe that keeps formulas texts. One that spreadsheets would calculate is no text. */
function cellOf(value: string): Cell | null {
  const text = value.trim();
  if (text === '') return null;
  if (text.includes('\0')) return NUL_CELL;
  return text.startsWith('=') ? { kind: 'formula', text } : { kind: 'text', text: textOfCell(text) };
}

function encodingOf(bytes: Buffer): { readonly name: string; readonly remark: string | null } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { name: 'utf-16le', remark: null };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { name: 'utf-16be', remark: null };
  if (bytes.subarray(0, 4_096).includes(0))
    throw new UnreadableFile('file_of_unknown_type', 'The file is neither a table in text nor an XLSX workbook.');
  if (isUtf8(bytes)) return { name: 'utf-8', remark: null };
  return {
    name: 'windows-1252',
    remark: 'The file is not in UTF-8. It was read as Windows-1252 (Western European): check letters with accents.',
  };
}

/** The one that divides most of the first lines into the same number of columns. */
function separatorIn(beginning: string): string {
  const lines = linesOf(beginning).slice(0, 20);
  const rated = SEPARATORS.map((separator, i) => {
    const counts = lines.map((line) => line.split(separator).length - 1);
    const header = counts[0] ?? 0;
    const same = counts.filter((count) => count === header).length;
    return { separator, rank: header === 0 ? -1 : same * 1_000 + header * 10 - i };
  });
  return rated.toSorted((one, other) => other.rank - one.rank)[0]!.separator;
}

/** Without what is in quotes. */
function linesOf(text: string): string[] {
  const whole = text.length < 64 * 1024 ? text : text.slice(0, text.lastIndexOf('\n'));
  return whole
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '');
}
