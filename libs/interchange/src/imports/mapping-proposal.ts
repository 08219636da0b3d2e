import { distance } from 'fastest-levenshtein';
import type { FileCell } from './cell-value.js';
import { cellValue } from './cell-value.js';
import { type ColumnMapping, DATE_FORMS, type DateForm, type HeaderCell, type ReadAs } from './import-mapping.js';
import type { ProcessField } from './process-fields.js';

/** A proposal for a column; `questions` say what a person has to decide, because the values leave it open. */
export interface ProposedColumn extends ColumnMapping {
  readonly letter: string;
  readonly questions: readonly string[];
  /** 0 to 1: how much header and field have in common. */
  readonly score: number;
}

/** Words of headers in other languages, as the words of fields. */
const WORDS = new Map<string, string>(
  Object.entries({
    tlc: 'tlc lot losnummer los charge chargennummer chargennr charge-nr batch lote lô partie lotcode lotnumber',
    quantity: 'quantity qty menge amount gewicht weight netto nettogewicht cantidad lượng',
    uom: 'uom unit einheit me unidad unité vị',
    time: 'time zeit zeitpunkt uhrzeit hora heure',
    on: 'on date datum am fecha ngày tag',
    harvested: 'harvested harvest ernte geerntet cosecha',
    'harvested on': 'erntedatum erntetag harvestdate',
    'event time': 'ereigniszeit beginn anfang startzeit',
    'product description': 'produktbezeichnung artikelbezeichnung warenbezeichnung',
    event: 'event ereignis vorgang',
    variety: 'variety sorte variedad giống variété',
    location: 'location ort standort site lugar lieu địa',
    country: 'country land país pays herkunftsland',
    moisture: 'moisture feuchte feuchtigkeit wassergehalt humedad',
    percent: 'percent prozent pct',
    product: 'product produkt artikel ware producto',
    description: 'description beschreibung bezeichnung',
    name: 'name bezeichner',
    number: 'number nummer nr no num número',
    documents: 'document documents dokument lieferschein beleg',
    season: 'season saison',
    notes: 'notes note bemerkung bemerkungen notiz kommentar comment remarks',
    plot: 'plot feld schlag parzelle parcela',
    area: 'area fläche',
    input: 'input einsatz vorlot ausgangslot source',
  }).flatMap(([word, others]) => others.split(' ').map((other): [string, string] => [other, word])),
);

const LEAST_SCORE = 0.5;
const LONGEST_HEADER = 200;
/** Characters of a value by which a proposal is made. */
const LONGEST_VALUE = 1_000;

/** What the columns of a file may say of the events of a process, by their headers and the first values. */
export function proposeColumns(
  headers: readonly HeaderCell[],
  rows: readonly (readonly (FileCell | null | undefined)[])[],
  fields: readonly ProcessField[],
): readonly ProposedColumn[] {
  // A longer one is no name of a field.
  const named = headers.filter(({ header }) => header.length <= LONGEST_HEADER);
  const offered = fields.map((field) => ({ field, words: wordsOf(unitless(headerOf(field))) }));
  const pairs = named.flatMap((header) => {
    const share = header.header.includes('%') ? ' percent' : '';
    const asked = wordsOf(header.header.replaceAll(/\([^)]*\)|\[[^\]]*\]|%/g, ' ') + share);
    return offered.map(({ field, words }) => ({
      header,
      field,
      score: header.header.trim() === headerOf(field) ? 1 : scoreOf(asked, words, field),
    }));
  });
  const [usedColumns, usedFields] = [new Set<number>(), new Set<string>()];
  const proposed: ProposedColumn[] = headers
    .filter(({ header }) => header === FURTHER_VALUES)
    .map(({ header, letter }) => ({ column: header, letter, to: '/metadata', as: 'further', score: 1, questions: [] }));
  for (const { header, field, score } of pairs.filter((pair) => pair.score >= LEAST_SCORE).toSorted((a, b) => b.score - a.score)) {
    if (usedColumns.has(header.column) || usedFields.has(field.pointer)) continue;
    usedColumns.add(header.column);
    usedFields.add(field.pointer);
    const values = rows
      .flatMap((cells) => cells[header.column] ?? [])
      .map(({ kind, text }) => ({ kind, text: text.slice(0, LONGEST_VALUE) }));
    proposed.push(columnOf(header, field, values, score));
  }
  return proposed.toSorted(
    (a, b) => headers.findIndex(({ letter }) => letter === a.letter) - headers.findIndex(({ letter }) => letter === b.letter),
  );
}

/** Of tables of events: by it, the lines of one event belong together. */
export const EVENT_KEY = 'event id';
/** Of tables of events: values that no column has, by their pointers, as JSON. */
export const FURTHER_VALUES = 'further values';

/** The header of templates: the pointer with dots, without `metadata`. */
export const headerOf = ({ pointer }: Pick<ProcessField, 'pointer'>): string =>
  pointer.replace(/^\/(?:metadata\/)?/, '').replaceAll('/', '.');

/** Of the words of a header and of those of a field. */
function scoreOf(asked: readonly string[], offered: readonly string[], field: ProcessField): number {
  if (asked.length === 0 || offered.length === 0) return 0;
  const common = asked.filter((word) => offered.some((other) => isAlike(word, other))).length;
  const overlap = common / (asked.length + offered.length - common);
  // Of two fields with the same words, the one higher up.
  return overlap * 0.95 - field.pointer.split('/').length * 0.005;
}

/** Of `quantity.uom` nobody repeats the quantity. */
const unitless = (header: string): string => (header.endsWith('.uom') ? 'uom' : header);

const isAlike = (word: string, other: string): boolean => word === other || (word.length > 4 && distance(word, other) <= 1);

function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}-]+/u)
    .filter((word) => !/^(?:|\d+|value|output)$/.test(word))
    .flatMap((word) => (WORDS.get(word) ?? word).split(' '));
}

function columnOf({ header, letter }: HeaderCell, field: ProcessField, values: readonly FileCell[], score: number): ProposedColumn {
  const as = readAs(field);
  const base = { column: header, letter, to: field.pointer, as, score: Math.round(score * 100) / 100 };
  const texts = values.filter(({ kind }) => kind === 'text').map(({ text }) => text);
  if (as === 'number' && field.pointer.endsWith('/value') && withUnit(texts).length > 0)
    return { ...base, to: field.pointer.slice(0, -'/value'.length), as: 'quantity', ...decimalIn(withUnit(texts)) };
  if (as === 'number' || as === 'integer') return { ...base, ...decimalIn(texts) };
  if (as === 'date' || as === 'instant') return { ...base, ...datesIn(texts, as) };
  if (field.values) return { ...base, ...lookupFor(texts, field.values) };
  return { ...base, questions: [] };
}

/** The numbers of texts such as `12,5 kg`, where most have a unit. */
function withUnit(texts: readonly string[]): readonly string[] {
  const numbers = texts.map((text) => /^([+-]?[\d.,'’\s]*\d)\s*\p{L}[^\d]*$/u.exec(text)?.[1] ?? '').filter((number) => number !== '');
  return numbers.length * 2 > texts.length ? numbers : [];
}

function readAs({ pointer, type, format }: ProcessField): ReadAs {
  if (pointer.startsWith('/inputTokenIds/')) return 'lot';
  if (format === 'date') return 'date';
  if (format === 'date-time' || pointer.endsWith('/eventTime')) return 'instant';
  if (pointer.endsWith('/uom')) return 'unit';
  return type === 'string' ? 'text' : type;
}

/** The one that most texts have, where it is one and most have it. */
function mostly<One>(candidates: readonly One[], texts: readonly string[], fits: (one: One, text: string) => boolean): One | null {
  const counts = candidates.map((one) => texts.filter((text) => fits(one, text)).length);
  const most = Math.max(...counts);
  return most * 2 > texts.length && counts.filter((count) => count === most).length === 1 ? candidates[counts.indexOf(most)]! : null;
}

const oddOne = (text: string): string => `What is “${text.slice(0, 40)}”? The other values have one form.`;

function decimalIn(texts: readonly string[]): { readonly decimal?: '.' | ','; readonly questions: readonly string[] } {
  if (texts.length === 0) return { questions: [] };
  const fits = (decimal: '.' | ',', text: string): boolean =>
    'value' in cellValue({ kind: 'text', text }, { column: '', to: '', as: 'number', decimal });
  const fitting = (['.', ','] as const).filter((decimal) => texts.every((text) => fits(decimal, text)));
  if (fitting.length === 1) return { decimal: fitting[0]!, questions: [] };
  if (texts.every((text) => /^[+-]?\d+$/.test(text))) return { questions: [] };
  const most = mostly(['.', ','] as const, texts, fits);
  if (most !== null && fitting.length === 0) return { decimal: most, questions: [oddOne(texts.find((text) => !fits(most, text))!)] };
  const example = texts.find((text) => /[.,]/.test(text)) ?? texts[0]!;
  return {
    questions: [
      fitting.length === 0
        ? `Not all values are numbers with one decimal sign, such as “${example.slice(0, 40)}”.`
        : `Which decimal sign has “${example.slice(0, 40)}”: . or ,?`,
    ],
  };
}

function datesIn(
  texts: readonly string[],
  as: 'date' | 'instant',
): { readonly dateForm?: DateForm; readonly questions: readonly string[] } {
  const open = as === 'instant' ? ['Which offset from UTC have the times (offset), and which time of day have days (time)?'] : [];
  if (texts.length === 0) return { questions: open };
  const column = { column: '', to: '', as: 'instant', offset: 'Z', time: '00:00' } as const;
  const fits = (dateForm: DateForm, text: string): boolean => 'value' in cellValue({ kind: 'text', text }, { ...column, dateForm });
  const fitting = DATE_FORMS.filter((dateForm) => texts.every((text) => fits(dateForm, text)));
  const most = fitting.length === 0 ? mostly(DATE_FORMS, texts, fits) : null;
  if (most !== null) return { dateForm: most, questions: [oddOne(texts.find((text) => !fits(most, text))!), ...open] };
  if (fitting.length === 1) return { dateForm: fitting[0]!, questions: texts.every((text) => /Z|[+-]\d\d:\d\d$/.test(text)) ? [] : open };
  return {
    questions: [
      fitting.length === 0
        ? 'Not all values are dates of one form.'
        : `Which form have dates such as “${texts[0]!.slice(0, 40)}”: ${fitting.join(' or ')}?`,
      ...open,
    ],
  };
}

function lookupFor(
  texts: readonly string[],
  values: readonly (string | number)[],
): { readonly lookup?: Record<string, string | number>; readonly questions: readonly string[] } {
  const given = [...new Set(texts)];
  const unknown = given.filter((text) => !values.includes(text));
  if (unknown.length === 0) return { questions: [] };
  const lookup = Object.fromEntries(
    given.flatMap((text) => {
      const meant = values.find(
        (value) =>
          String(value)
            .toLowerCase()
            .replaceAll(/[\s_-]/g, '') === text.toLowerCase().replaceAll(/[\s_-]/g, ''),
      );
      return meant === undefined ? [] : [[text, meant]];
    }),
  );
  const open = given.filter((text) => !Object.hasOwn(lookup, text)).slice(0, 20);
  return { lookup, questions: open.map((text) => `Which of ${values.slice(0, 20).join(', ')} is “${text.slice(0, 40)}”?`) };
}
