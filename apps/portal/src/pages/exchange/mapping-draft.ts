import type { ReadAs } from './targets';

/** A column of the file, and what it means; `to` is empty where it says nothing. */
export interface Column {
  readonly column: string;
  readonly letter: string;
  readonly to: string;
  readonly as: ReadAs;
  readonly decimal?: '.' | ',';
  readonly dateForm?: string;
  readonly offset?: string;
  readonly time?: string;
  readonly unit?: string;
  readonly lookup?: Readonly<Record<string, string | number | boolean>>;
  /** What the service cannot know, in words. */
  readonly questions: readonly string[];
}

export interface Constant {
  readonly to: string;
  /** As it is typed. */
  readonly value: string;
}

export interface Proposal {
  readonly headers: readonly (string | { readonly letter: string; readonly header: string })[];
  readonly columns: readonly (Omit<Column, 'questions'> & { readonly questions?: readonly string[] })[];
  readonly groupBy?: { readonly column: string; readonly letter?: string } | null;
}

interface Saved {
  readonly columns: readonly Omit<Column, 'questions'>[];
  readonly constants?: readonly { readonly to: string; readonly value: { readonly is: unknown } }[];
  readonly groupBy?: { readonly column: string; readonly letter?: string };
}

export interface MappingDraft {
  readonly processType: string;
  readonly columns: readonly Column[];
  readonly constants: readonly Constant[];
  /** Letter of the column; empty where each row is an event. */
  readonly groupBy: string;
}

const letterAt = (index: number): string =>
  index < 26 ? String.fromCodePoint(65 + index) : letterAt(Math.floor(index / 26) - 1) + letterAt(index % 26);

/** Every column of the file, with what was checked last or else what is proposed. */
export function beginningOf({ headers, columns: proposed, groupBy }: Proposal, checked: object | null): Omit<MappingDraft, 'processType'> {
  const saved = checked as Saved | null;
  const known = saved?.columns ?? proposed;
  const columns = headers.map((head, index): Column => {
    const { letter, header } = typeof head === 'string' ? { letter: letterAt(index), header: head } : head;
    const found = known.find((one) => one.column === header && (one.letter ?? letter) === letter);
    const questions = saved ? [] : (proposed.find((one) => one.letter === letter)?.questions ?? []);
    return { column: header, to: '', as: 'text', ...found, letter, questions };
  });
  const group = saved ? saved.groupBy : groupBy;
  return {
    columns: columns.filter(({ column }) => column !== ''),
    constants: (saved?.constants ?? []).map(({ to, value }) => ({ to, value: String(value.is) })),
    groupBy: columns.find(({ column, letter }) => column === group?.column && (group.letter ?? letter) === letter)?.letter ?? '',
  };
}

/** As the service takes it. */
export function mappingOf({ processType, columns, constants, groupBy }: MappingDraft): object {
  const group = columns.find(({ letter }) => letter === groupBy);
  return {
    processType,
    columns: columns
      .filter(({ to }) => to !== '')
      .map(({ questions: _questions, ...column }) =>
        Object.fromEntries(Object.entries(column).filter(([key, value]) => value !== '' && key !== 'score')),
      ),
    constants: constants.filter(({ value }) => value !== '').map(({ to, value }) => ({ to, value: { is: typed(value) } })),
    ...(group && { groupBy: { column: group.column, letter: group.letter } }),
  };
}

/** Digits are a number where they could be nothing else: codes and GLNs are longer, or begin with a zero. */
const typed = (value: string): string | number | boolean =>
  value === 'true' || value === 'false' ? value === 'true' : /^-?(0|[1-9]\d{0,8})(\.\d+)?$/.test(value) ? Number(value) : value;
