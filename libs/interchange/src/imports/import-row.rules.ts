import { createHash } from 'node:crypto';
import { DomainError, canonicalJson } from '#kernel';
import type { FileCell } from './cell-value.js';
import { type RowEvent, type RowProblem, columnOf, eventOfRow } from './event-of-row.js';
import type { BoundColumn, ImportMapping } from './import-mapping.js';

/** A row as the readers of files give it. */
interface FileRow {
  readonly row: number;
  readonly cells: readonly (FileCell | null | undefined)[];
}

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
  readonly merged: readonly MergedRange[];
  /** Rows by the hash of their values. */
  readonly seen: Map<string, number>;
}

/** One row on its way: the event that it gives, or what is wrong with it. */
export interface RowOnTheWay {
  readonly row: number;
  readonly event: RowEvent | null;
  readonly problems: readonly RowProblem[];
}

export function onTheWay({ row, cells }: FileRow, { columns, merged, mapping, seen }: RowRules): RowOnTheWay {
  const across = merged.filter(
    ({ top, bottom, left, right }) => row >= top && row <= bottom && columns.some(({ index }) => index >= left && index <= right),
  );
  if (across.length > 0) return { row, event: null, problems: across.map((one) => mergedProblem(one, columns)) };
  const event = eventOfRow(cells, columns, mapping.constants);
  if (!('metadata' in event)) return { row, event: null, problems: event };
  const key = rowKey(mapping.processType, event);
  const before = seen.get(key);
  seen.set(key, before ?? row);
  const problems =
    before === undefined ? [] : [{ column: null, header: null, code: 'row_repeated', message: `The row says the same as row ${before}.` }];
  return { row, event, problems };
}

function mergedProblem({ ref, left, right }: MergedRange, columns: readonly BoundColumn[]): RowProblem {
  const column = columns.find(({ index }) => index >= left && index <= right)!;
  return {
    column: column.letter,
    header: column.column,
    code: 'merged',
    message: `The cells ${ref} are merged: which rows have the value is not said. Write it into each row.`,
  };
}

export const lotProblem = (code: string, found: number, { letter, column }: BoundColumn): RowProblem => ({
  ...{ column: letter, header: column },
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
  event: RowEvent,
  columns: readonly BoundColumn[],
): RowProblem[] {
  const problems =
    found instanceof DomainError ? (found.details.errors ?? [{ pointer: '', code: found.code, message: found.message }]) : found;
  return problems.map(({ pointer, code, message }) => {
    const column = columnOf(pointer, event.sources, columns);
    const about = pointer.replace(/^\/metadata(?=\/)/, '');
    return {
      column: column?.letter ?? null,
      header: column?.column ?? null,
      code,
      message: about === '' ? message : `${about}: ${message}`,
    };
  });
}
