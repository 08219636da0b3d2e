import { type Problem, pointerNames } from '#kernel';

/** How the text of a cell is read. A date or number that the workbook itself marks as one is taken as it is. */
export const READ_AS = ['text', 'number', 'integer', 'quantity', 'unit', 'date', 'instant', 'boolean', 'lot', 'further'] as const;
export type ReadAs = (typeof READ_AS)[number];

export const DATE_FORMS = [
  ...(['YYYY-MM-DD', 'YYYY/MM/DD', 'YYYY.MM.DD', 'YYYYMMDD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'DD-MM-YYYY'] as const),
  ...(['MM/DD/YYYY', 'MM-DD-YYYY', 'DD.MM.YY', 'DD/MM/YY', 'MM/DD/YY'] as const),
] as const;
export type DateForm = (typeof DATE_FORMS)[number];

/** What a column of a file says of an event. */
export interface ColumnMapping {
  /** Its header. */
  readonly column: string;
  /** `A`, `B` …: needed where two columns have the same header; a column that has moved is refused then. */
  readonly letter?: string | undefined;
  /** Pointer (RFC 6901) into the body of `POST /events/prepare`: `/outputTlc`, `/inputTokenIds/0`, `/metadata/quantity/value`. */
  readonly to: string;
  readonly as: ReadAs;
  /** Decimal sign of texts. */
  readonly decimal?: '.' | ',' | undefined;
  /** Form of texts that are dates. */
  readonly dateForm?: DateForm | undefined;
  /** Of instants without an offset: `+07:00`. */
  readonly offset?: string | undefined;
  /** Of instants that are days: `12:00`. */
  readonly time?: string | undefined;
  /** Unit (UNECE Rec 20) of a quantity whose text has none. */
  readonly unit?: string | undefined;
  /** What the text of a cell means; a text that is not in it is refused. */
  readonly lookup?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** A value of every event. */
export interface ConstantMapping {
  readonly to: string;
  readonly value: string | number | boolean;
}

export type GroupColumn = Pick<ColumnMapping, 'column' | 'letter'>;

export interface ImportMapping {
  readonly processType: string;
  /** Name of the worksheet; the first one by default. */
  readonly sheet?: string | undefined;
  /** Of a CSV file; found in it by default. */
  readonly separator?: string | undefined;
  /** Row of the headers, from 1; the first row that is not empty by default. */
  readonly headerRow?: number | undefined;
  /** Rows with the same text in this column, which follow each other, are one event. */
  readonly groupBy?: GroupColumn | undefined;
  readonly columns: readonly ColumnMapping[];
  readonly constants?: readonly ConstantMapping[] | undefined;
}

/** A pointer that a value may have. */
export const isTarget = (to: string): boolean => TARGET.test(to) && !pointerNames(to).some((name) => name === '' || name === '__proto__');

export interface HeaderCell {
  /** From 0. */
  readonly column: number;
  readonly letter: string;
  readonly header: string;
}

/** A column of the file with what it means. */
export interface BoundColumn extends ColumnMapping {
  readonly index: number;
  readonly letter: string;
}

const TARGET = /^\/(?:outputTlc|outputCustodian|inputTokenIds\/\d{1,2}|metadata\/.+)$/;

/** The columns of a file that a mapping names, or what does not fit. */
export function boundColumns(mapping: ImportMapping, headers: readonly HeaderCell[]): readonly BoundColumn[] | readonly Problem[] {
  const problems: Problem[] = [...targetProblems(mapping)];
  const bound = mapping.columns.flatMap((one, i): BoundColumn[] => {
    const found = headers.filter(({ header, letter }) => header === one.column && (one.letter === undefined || letter === one.letter));
    if (found.length === 1) return [{ ...one, index: found[0]!.column, letter: found[0]!.letter }];
    problems.push({ pointer: `/columns/${i}/column`, ...unbound(one, headers, found.length) });
    return [];
  });
  return problems.length > 0 ? problems : bound;
}

/** The column by which rows are one event; null where each row is one. */
export function boundGroup({ groupBy }: ImportMapping, headers: readonly HeaderCell[]): HeaderCell | null | readonly Problem[] {
  if (!groupBy) return null;
  const { column, letter: wanted } = groupBy;
  const found = headers.filter(({ header, letter }) => header === column && (wanted === undefined || letter === wanted));
  return found.length === 1 ? found[0]! : [{ pointer: '/groupBy/column', ...unbound(groupBy, headers, found.length) }];
}

function unbound({ column, letter }: GroupColumn, headers: readonly HeaderCell[], found: number): Pick<Problem, 'code' | 'message'> {
  if (found > 1) {
    const letters = headers.filter(({ header }) => header === column).map((one) => one.letter);
    return { code: 'column_ambiguous', message: `Columns ${letters.join(' and ')} are both headed “${column}”: say which by its letter.` };
  }
  const there = headers.find((one) => one.letter === letter);
  if (there) return { code: 'column_moved', message: `Column ${letter} is headed “${there.header}”, not “${column}”.` };
  return { code: 'column_missing', message: `The file has no column “${column}”.` };
}

function targetProblems({ columns, constants = [] }: ImportMapping): Problem[] {
  const seen = new Set<string>();
  const all = [
    ...columns.flatMap(({ to, as }, i) => (as === 'further' && to === '/metadata' ? [] : [{ to, pointer: `/columns/${i}/to` }])),
    ...constants.map(({ to }, i) => ({ to, pointer: `/constants/${i}/to` })),
  ];
  const problems = all.flatMap(({ to, pointer }): Problem[] => {
    if (!isTarget(to))
      return [
        {
          pointer,
          code: 'target_unknown',
          message: `${to} is no value of an event: it begins with /metadata/, /outputTlc, /outputCustodian or /inputTokenIds/.`,
        },
      ];
    if (seen.has(to)) return [{ pointer, code: 'target_twice', message: `${to} is mapped twice.` }];
    seen.add(to);
    return [];
  });
  // Of a quantity, its unit may have a column of its own.
  const whole = [...columns.filter(({ as, lookup }) => (as !== 'quantity' && as !== 'further') || lookup), ...constants].map(
    ({ to }) => to,
  );
  const within = whole.flatMap((outer) =>
    all.filter(({ to }) => to.startsWith(`${outer}/`)).map(({ pointer }) => targetWithinValue(pointer, outer)),
  );
  const lots = columns.flatMap(({ to, as }, i): Problem[] =>
    (as === 'lot') === to.startsWith('/inputTokenIds/')
      ? []
      : [{ pointer: `/columns/${i}/as`, code: 'not_a_lot', message: '/inputTokenIds/ is read as lot, and nothing else is.' }],
  );
  return [...problems, ...within, ...lots];
}

const targetWithinValue = (pointer: string, outer: string): Problem => ({
  pointer,
  code: 'target_within_value',
  message: `${outer} is mapped as one value: it cannot have parts too.`,
});
