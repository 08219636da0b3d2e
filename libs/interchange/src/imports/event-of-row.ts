import { escapePointer, pointerNames } from '#kernel';
import { type CellFault, type FileCell, cellValue } from './cell-value.js';
import type { BoundColumn, ConstantMapping } from './import-mapping.js';

/** What is wrong in a row. `column` is a letter; null where no cell is to blame. */
export interface RowProblem extends CellFault {
  readonly column: string | null;
  readonly header: string | null;
}

/** The body of `POST /events/prepare` that a row gives, with the lots still by their codes. */
export interface RowEvent {
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  /** Codes of the inputs, with the columns they are from. */
  readonly lots: readonly { readonly code: string; readonly column: BoundColumn }[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** By the pointer into the event: the column that said it. */
  readonly sources: ReadonlyMap<string, BoundColumn>;
}

type Row = readonly (FileCell | null | undefined)[];

/** One row is one event. */
export function eventOfRow(
  cells: Row,
  columns: readonly BoundColumn[],
  constants: readonly ConstantMapping[] = [],
): RowEvent | readonly RowProblem[] {
  const body: Record<string, unknown> = {};
  const sources = new Map<string, BoundColumn>();
  const places = new Map<string, Map<string, number>>();
  const problems: RowProblem[] = [];
  const lots: { code: string; column: BoundColumn }[] = [];
  for (const { to, value } of constants) place(body, to, value, places);
  for (const column of columns) {
    const cell = cells[column.index];
    if (!cell) continue;
    const read = cellValue(cell, column);
    if (!('value' in read)) problems.push({ ...read, column: column.letter, header: column.column });
    else if (column.as === 'lot') lots.push({ code: String(read.value), column });
    else sources.set(place(body, column.to, read.value, places), column);
  }
  if (problems.length > 0) return problems;
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

/** Items of a list follow each other, whichever cells are empty. @returns the pointer where the value is */
function place(body: Record<string, unknown>, to: string, value: unknown, places: Map<string, Map<string, number>>): string {
  const names = pointerNames(to);
  let [here, at]: [Record<string, unknown> | unknown[], string] = [body, ''];
  for (const [i, name] of names.entries()) {
    const key: string | number = Array.isArray(here) ? placeIn(places, at, name) : name;
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
export function columnOf(pointer: string, sources: ReadonlyMap<string, BoundColumn>, columns: readonly BoundColumn[]): BoundColumn | null {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const exact = sources.get(at);
    if (exact) return exact;
  }
  const inside = [...sources].find(([at]) => at.startsWith(`${pointer}/`))?.[1];
  return (
    inside ??
    columns.find(({ to }) => to === pointer || to.startsWith(`${pointer}/`) || (pointer !== '' && pointer.startsWith(`${to}/`))) ??
    null
  );
}
