/** Value of a cell that is written; lists are written with a semicolon between their items. */
export type CellValue = string | number | boolean | Date | null | readonly string[] | FaultyCell;
/** A cell that is marked in a workbook. */
export interface FaultyCell {
  readonly fault: string | number | boolean | null;
}
/** A line of a table, by column name. Missing cells are empty. */
export type Line = Readonly<Record<string, CellValue | undefined>>;

/** What a cell of a file is that is read. */
export type CellKind = 'text' | 'number' | 'date' | 'time' | 'boolean' | 'formula' | 'fault';

/**
 * A cell as its reader sees it: a number as a plain decimal with a point, a date as `YYYY-MM-DD`, with a time behind `T`. Of a formula the
 * text is the formula, of a fault what is wrong.
 */
export interface Cell {
  readonly kind: CellKind;
  readonly text: string;
}

/** A row that has something in it. */
export interface SheetRow {
  /** As a spreadsheet numbers it, from 1. */
  readonly row: number;
  /** By column, from 0; absent or null where a cell is empty. */
  readonly cells: readonly (Cell | null | undefined)[];
}

/** Cells that are one, by their corners: rows from 1, columns from 0. */
export interface MergedCells {
  readonly ref: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** A file that was opened. */
export interface OpenedTable {
  readonly format: 'csv' | 'xlsx' | 'edi856';
  /** Of all worksheets; of a CSV file none. */
  readonly sheets: readonly string[];
  /** What a person has to know of how the file was read. */
  readonly remarks: readonly string[];
  /** Of a CSV file. */
  readonly separator: string | null;
  /** Rows in their order, some at a time. @throws UnreadableFile */
  rows(): AsyncIterable<readonly SheetRow[]>;
  /** Known when all rows were read. */
  merged(): readonly MergedCells[];
}

export interface ReadOptions {
  /** Name of the worksheet; the first one by default. */
  readonly sheet?: string | undefined;
  /** Of a CSV file; found in it by default. */
  readonly separator?: string | undefined;
  /** Rows with something in them; more are refused. */
  readonly maxRows: number;
}

export type UnreadableCode =
  | 'file_empty'
  | 'file_of_unknown_type'
  | 'file_damaged'
  | 'file_encrypted'
  | 'zip_bomb'
  | 'macros'
  | 'external_entities'
  | 'sheet_unknown'
  | 'too_many_rows'
  | 'too_many_columns'
  | 'too_many_merged_cells'
  | 'quotes_broken';

/** A file that is not read, with the reason in words. */
export class UnreadableFile extends Error {
  constructor(
    readonly code: UnreadableCode,
    message: string,
  ) {
    super(message);
  }
}

/** `A`, `Z`, `AA`: the name of a column from 0. */
export function lettersOf(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : lettersOf(Math.floor(column / 26) - 1) + letter;
}

/** Column from 0 and row from 1 of a reference such as `AB12`; null for what is none. */
export function placeOfRef(ref: string): { readonly column: number; readonly row: number } | null {
  const [, letters, digits] = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/.exec(ref) ?? [];
  if (letters === undefined) return null;
  const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { column, row: Number(digits) };
}

export const refOf = (row: number, column: number): string => `${lettersOf(column)}${row}`;
/** A spreadsheet has more; nobody maps so many. */
export const MAX_COLUMNS = 500;
