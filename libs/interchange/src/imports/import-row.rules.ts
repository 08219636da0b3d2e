import { createHash } from 'node:crypto';
import { DomainError, canonicalJson } from '#kernel';
import { type FileRow, type PlacedProblem, type RowEvent, type RowProblem, type Source, columnOf, eventOfRows } from './event-of-row.js';
import type { BoundColumn, HeaderCell, ImportMapping } from './import-mapping.js';

interface MergedRange {
  readonly ref: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** What the rows of a file are judged by. */
export interface RowRules {
  readonly mapping: ImportMapping;
  readonly columns: readonly BoundColumn[];
  /** By it, rows are one event; null: each row is one. */
  readonly group: HeaderCell | null;
  readonly merged: readonly MergedRange[];
  /** Rows by the hash of their values. */
  readonly seen: Map<string, number>;
  /** The first rows of events, by the text of their key. */
  readonly keys: Map<string, number>;
}

/** The rows of one event on their way: the event that they give, or what is wrong with them. */
export interface RowsOnTheWay {
  readonly rows: readonly number[];
  readonly event: RowEvent | null;
  readonly problems: readonly PlacedProblem[];
}

export function onTheWay(rows: readonly FileRow[], rules: RowRules): RowsOnTheWay {
  const { columns, mapping, seen } = rules;
  const numbers = rows.map(({ row }) => row);
  const problems = rows.flatMap((row) => [...mergedProblems(row, rules), ...keyProblems(row, rows[0]!, rules)]);
  if (problems.length > 0) return { rows: numbers, event: null, problems };
  const event = eventOfRows(rows, columns, mapping.constants);
  if (!('metadata' in event)) return { rows: numbers, event: null, problems: event };
  const [key, row] = [rowKey(mapping.processType, event), numbers[0]!];
  const before = seen.get(key);
  seen.set(key, before ?? row);
  if (before === undefined) return { rows: numbers, event, problems: [] };
  const message = `The row says the same as row ${before}.`;
  return { rows: numbers, event, problems: [{ row, column: null, header: null, code: 'row_repeated', message }] };
}

/** Rows of one event that do not follow each other would be two events. */
function keyProblems({ row, cells }: FileRow, first: FileRow, { group, keys }: RowRules): PlacedProblem[] {
  if (!group) return [];
  const cell = cells[group.column];
  const where = { row, column: group.letter, header: group.header };
  if (!cell) return [{ ...where, code: 'group_missing', message: 'The row does not say to which event it belongs.' }];
  if (cell.kind === 'formula' || cell.kind === 'fault')
    return [{ ...where, code: 'group_missing', message: 'The cell cannot be read: put its value in its place.' }];
  const before = keys.get(cell.text);
  keys.set(cell.text, before ?? first.row);
  if (before === undefined || before === first.row) return [];
  const message = `“${cell.text.slice(0, 60)}” has rows from row ${before} on, and others between: rows of one event must follow each other.`;
  return [{ ...where, code: 'group_scattered', message }];
}

function mergedProblems({ row }: FileRow, { merged, columns, group }: RowRules): PlacedProblem[] {
  const read: readonly { readonly index: number; readonly letter: string; readonly column: string }[] = group
    ? [...columns, { index: group.column, letter: group.letter, column: group.header }]
    : columns;
  return merged.flatMap(({ ref, top, bottom, left, right }): PlacedProblem[] => {
    const column = row >= top && row <= bottom ? read.find(({ index }) => index >= left && index <= right) : undefined;
    if (!column) return [];
    const message = `The cells ${ref} are merged: which rows have the value is not said. Write it into each row.`;
    return [{ row, column: column.letter, header: column.column, code: 'merged', message }];
  });
}

/** Rows that are one event, some at a time. */
export async function* groupsOf<Row extends FileRow>(
  pages: AsyncIterable<readonly Row[]>,
  group: HeaderCell | null,
): AsyncGenerator<readonly (readonly Row[])[]> {
  let open: Row[] = [];
  const keyOf = ({ cells }: Row): string | undefined => (group ? cells[group.column]?.text : undefined);
  for await (const rows of pages) {
    const whole: (readonly Row[])[] = [];
    for (const row of rows) {
      const key = keyOf(row);
      if (open.length > 0 && (key === undefined || key !== keyOf(open[0]!))) {
        whole.push(open);
        open = [];
      }
      open.push(row);
    }
    if (whole.length > 0) yield whole;
  }
  if (open.length > 0) yield [open];
}

export const lotProblem = (code: string, found: number, { letter, column, row }: Source): PlacedProblem => ({
  ...{ row, column: letter, header: column },
  ...(found === 0
    ? { code: 'lot_unknown', message: `There is no lot “${code.slice(0, 60)}” that can be used.` }
    : { code: 'lot_ambiguous', message: `${found} lots have the code “${code.slice(0, 60)}”.` }),
});

/** The same words of the same process are the same event, in whichever file. */
export const rowKey = (processType: string, { outputTlc, outputCustodian, metadata, lots }: RowEvent): string =>
  createHash('sha256')
    .update(canonicalJson({ processType, outputTlc, outputCustodian, metadata, lots: lots.map(({ code }) => code) }))
    .digest('hex');

export function problemsOf(
  found: DomainError | readonly { readonly pointer: string; readonly code: string; readonly message: string }[],
  { rows, event }: Pick<RowsOnTheWay, 'rows' | 'event'>,
  columns: readonly BoundColumn[],
): PlacedProblem[] {
  const problems =
    found instanceof DomainError ? (found.details.errors ?? [{ pointer: '', code: found.code, message: found.message }]) : found;
  return problems.map(({ pointer, code, message }) => {
    const column = columnOf(pointer, event!.sources, columns);
    const isUnsaid = code === 'required' && column === null;
    const about = pointer.replace(/^\/metadata(?=\/)/, '');
    return {
      row: column?.row ?? rows[0]!,
      column: column?.letter ?? null,
      header: column?.column ?? null,
      code,
      message: about === '' ? message : `${about}: ${message}${isUnsaid ? ', and the mapping has no column or constant for it' : ''}`,
    };
  });
}

const MOST_PROBLEMS_OF_ROW = 20;

/** The problems of an event by its rows: one without a problem of its own says which row has one. */
export function problemsByRow(rows: readonly number[], problems: readonly PlacedProblem[]): { row: number; problems: RowProblem[] }[] {
  const blamed = problems[0]!.row;
  return rows.map((row) => {
    const own = problems.filter((one) => one.row === row).map(({ row: _row, ...problem }) => problem);
    const message = `Row ${blamed} of the same event has a problem.`;
    return {
      row,
      problems: own.length > 0 ? own.slice(0, MOST_PROBLEMS_OF_ROW) : [{ column: null, header: null, code: 'group_invalid', message }],
    };
  });
}

/** The rows of an event that is not prepared. */
export const withProblems = (rows: readonly number[], problems: readonly PlacedProblem[]) =>
  problems.length === 0 ? [] : problemsByRow(rows, problems).map((one) => ({ ...one, eventId: null, prepared: null }));

export const rowCount = (events: readonly { readonly rows: readonly number[] }[]): number =>
  events.reduce((sum, { rows }) => sum + rows.length, 0);

/** Why a mapping does not fit a file. */
export const unfitting = (problems: readonly { readonly message: string }[]) => ({
  code: 'mapping_does_not_fit',
  message: problems
    .slice(0, 10)
    .map(({ message }) => message)
    .join(' '),
});

export const isProblems = <T extends object>(
  found: readonly T[] | readonly { readonly pointer: string; readonly code: string; readonly message: string }[],
): found is readonly { readonly pointer: string; readonly code: string; readonly message: string }[] =>
  found.length > 0 && 'pointer' in found[0]! && 'message' in found[0];
