import { escapePointer, pointerNames } from '#kernel';
import { type CellFault, type FileCell, cellValue } from './cell-value.js';
import type { BoundColumn, ConstantMapping } from './import-mapping.js';

/** What is wrong in a row. `column` is a letter; null where no cell is to blame. */
export interface RowProblem extends CellFault {
  readonly column: string | null;
  readonly header: string | null;
}

/** A problem on its way to its row. */
export interface PlacedProblem extends RowProblem {
  readonly row: number;
}

/** The column that said a value, in a row. */
export interface Source extends BoundColumn {
  readonly row: number;
}

/** The body of `POST /events/prepare` that rows give, with the lots still by their codes. */
export interface RowEvent {
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  /** Codes of the inputs, with the columns they are from. */
  readonly lots: readonly { readonly code: string; readonly column: Source }[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** By the pointer into the event: the column that said it. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** A row as the readers of files give it. */
export interface FileRow {
  readonly row: number;
  readonly cells: readonly (FileCell | null | undefined)[];
}

/** An event while its rows are read. */
interface Draft {
  readonly body: Record<string, unknown>;
  readonly sources: Map<string, Source>;
  readonly places: Map<string, Map<string, number>>;
  readonly lots: { code: string; column: Source }[];
  /** Values by their pointers, from a column of their own. */
  readonly further: { values: Readonly<Record<string, unknown>>; column: Source }[];
  /** Values outside of lists, which all rows say alike or not at all. */
  readonly said: Map<string, { readonly text: string; readonly row: number }>;
}

/** One row is one event, or several rows are: items of lists and lots follow each other, row by row; what else they say, they say alike. */
export function eventOfRows(
  rows: readonly FileRow[],
  columns: readonly BoundColumn[],
  constants: readonly ConstantMapping[] = [],
): RowEvent | readonly PlacedProblem[] {
  const draft: Draft = { body: {}, sources: new Map(), places: new Map(), lots: [], further: [], said: new Map() };
  const problems = rows.flatMap(({ row, cells }, i) => {
    const given = columns.filter(({ index }) => cells[index]);
    for (const { to, value } of constants)
      if (i === 0 || given.some((column) => isInAList(to) && listOf(column.to) === listOf(to))) place(draft, to, value, row);
    return given.flatMap((column): PlacedProblem[] => {
      const fault = readCell(draft, cells[column.index]!, { ...column, row });
      return fault ? [{ ...fault, row, column: column.letter, header: column.column }] : [];
    });
  });
  if (problems.length > 0) return problems;
  const misplaced = placeFurther(draft, rows);
  if (misplaced.length > 0) return misplaced;
  const { body, lots, sources } = draft;
  for (const [i, { column }] of lots.entries()) sources.set(`/inputTokenIds/${i}`, column);
  const { metadata = {}, outputTlc = null, outputCustodian = null } = body;
  return {
    outputTlc: asText(outputTlc),
    outputCustodian: asText(outputCustodian),
    lots,
    metadata: metadata as Record<string, unknown>,
    sources,
  };
}

const isInAList = (to: string): boolean => /\/\d+(?:\/|$)/.test(to);
/** The pointer of its outermost list. */
const listOf = (to: string): string => to.slice(0, to.search(/\/\d+(?:\/|$)/));

/** @returns what is wrong with the cell */
function readCell(draft: Draft, cell: FileCell, column: Source): CellFault | null {
  const read = cellValue(cell, column);
  if (!('value' in read)) return read;
  if (column.as === 'lot') {
    draft.lots.push({ code: String(read.value), column });
    return null;
  }
  if (column.as === 'further') {
    draft.further.push({ values: read.value as Record<string, unknown>, column });
    return null;
  }
  if (!isInAList(column.to)) {
    const before = draft.said.get(column.to);
    if (before && before.text !== cell.text)
      return {
        code: 'group_differs',
        message: `Row ${before.row} of the same event says “${before.text.slice(0, 60)}”, this one “${cell.text.slice(0, 60)}”.`,
      };
    draft.said.set(column.to, before ?? { text: cell.text, row: column.row });
    if (before) return null;
  }
  draft.sources.set(place(draft, column.to, read.value, column.row), column);
  return null;
}

/** Items of a list follow each other, whichever cells are empty. Those of a further row are further items. @returns the pointer where the value is */
function place({ body, places }: Draft, to: string, value: unknown, row: number): string {
  const names = pointerNames(to);
  let [here, at, isInList]: [Record<string, unknown> | unknown[], string, boolean] = [body, '', false];
  for (const [i, name] of names.entries()) {
    const isItem = Array.isArray(here);
    const key: string | number = isItem ? placeIn(places, at, isInList ? name : `${row} ${name}`) : name;
    isInList ||= isItem;
    at += `/${escapePointer(String(key))}`;
    const holder = here as Record<string | number, unknown>;
    if (i === names.length - 1) {
      const before = ownMember(holder, key);
      // A quantity whose unit has a column of its own.
      holder[key] = isPlain(before) && isPlain(value) ? { ...before, ...value } : value;
    } else here = (holder[key] = ownMember(holder, key) ?? (/^\d+$/.test(names[i + 1]!) ? [] : {})) as typeof here;
  }
  return at;
}

/** The items of the outermost list follow the rows, so that a value inside of an item joins what the columns say of it. */
function placeFurther(draft: Draft, rows: readonly FileRow[]): readonly PlacedProblem[] {
  return draft.further.flatMap(({ values, column }) =>
    Object.entries(values).flatMap(([to, value]): PlacedProblem[] => {
      const item = /\/(\d+)(?=\/|$)/.exec(to);
      const row = item ? rows[Number(item[1])] : undefined;
      const at = item && row ? `${to.slice(0, item.index)}/0${to.slice(item.index + item[0].length)}` : to;
      try {
        draft.sources.set(place(draft, at, value, row?.row ?? column.row), column);
        return [];
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        const message = `${to.slice(0, 60)} is inside of a text or a number that another column says.`;
        return [{ row: column.row, column: column.letter, header: column.column, code: 'not_further_values', message }];
      }
    }),
  );
}

/** A code that a constant gives as a number. */
const asText = (value: unknown): string | null => (typeof value === 'string' || typeof value === 'number' ? String(value) : null);

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a pointer with `constructor` or `toString`, what every object inherits is no part of the event, and is shared by all of the process. */
const ownMember = (holder: Readonly<Record<string | number, unknown>>, key: string | number): unknown =>
  Object.hasOwn(holder, key) ? holder[key] : undefined;

function placeIn(places: Map<string, Map<string, number>>, list: string, name: string): number {
  const known = places.get(list) ?? new Map<string, number>();
  places.set(list, known);
  if (!known.has(name)) known.set(name, known.size);
  return known.get(name)!;
}

/** The column that is to blame for a problem of an event: the one that said the value, one inside of it, or one that could have said it. */
export function columnOf(
  pointer: string,
  sources: ReadonlyMap<string, Source>,
  columns: readonly BoundColumn[],
): (BoundColumn & Partial<Source>) | null {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const exact = sources.get(at);
    if (exact) return exact;
  }
  const inside = [...sources].find(([at]) => at.startsWith(`${pointer}/`))?.[1];
  return (
    inside ??
    columns.find(
      ({ to, as }) =>
        as !== 'further' && (to === pointer || to.startsWith(`${pointer}/`) || (pointer !== '' && pointer.startsWith(`${to}/`))),
    ) ??
    null
  );
}
