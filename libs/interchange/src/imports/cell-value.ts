import { Decimal } from 'decimal.js';
import { isObject, isUnitCode, pointerNames, readInstant } from '#kernel';
import { type ColumnMapping, type DateForm, isTarget } from './import-mapping.js';

/** A cell as the file has it; `kind` as the readers of files name it. */
export interface FileCell {
  readonly kind: string;
  readonly text: string;
}

/** What is wrong with a cell, in plain words. */
export interface CellFault {
  readonly code: string;
  readonly message: string;
}

export type CellValue = { readonly value: unknown } | CellFault;

const fault = (code: string, message: string): CellFault => ({ code, message });
const short = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`);
const quoted = (text: string): string => `“${short(text)}”`;

/** The value of a cell by its mapping: exactly what the cell says, or why not. */
export function cellValue(cell: FileCell, column: ColumnMapping): CellValue {
  if (cell.kind === 'formula')
    return fault('formula', `The cell has the formula ${short(cell.text)}: put its value in its place (copy, paste as values).`);
  if (cell.kind === 'fault') return fault('cell_error', `The cell cannot be read: ${short(cell.text)}.`);
  if (column.lookup) return translated(cell.text, column.lookup);
  return READERS[column.as](cell, column);
}

function translated(text: string, lookup: NonNullable<ColumnMapping['lookup']>): CellValue {
  if (Object.hasOwn(lookup, text)) return { value: lookup[text] };
  const known = Object.keys(lookup);
  return fault(
    'not_in_lookup',
    `${quoted(text)} is not in the look-up of this column: ${known.slice(0, 10).map(quoted).join(', ')}${known.length > 10 ? ' …' : ''}.`,
  );
}

type CellReader = (cell: FileCell, column: ColumnMapping) => CellValue;

const READERS: Readonly<Record<ColumnMapping['as'], CellReader>> = {
  text: ({ kind, text }) => {
    if (kind === 'date' || kind === 'time')
      return fault(
        'is_a_date',
        `The cell is a date for the spreadsheet (${text}), and a text is wanted: format it as text, or map it as a date.`,
      );
    return kind === 'boolean' ? fault('is_a_boolean', `The cell is ${text}, and a text is wanted: format it as text.`) : { value: text };
  },
  lot: ({ text }) => ({ value: text }),
  further: ({ text }) => furtherValues(text),
  number: (cell, column) => numberOf(cell, column.decimal),
  integer: (cell, column) => {
    const read = numberOf(cell, column.decimal);
    if (!('value' in read) || Number.isSafeInteger(read.value)) return read;
    return fault('not_an_integer', `${quoted(cell.text)} is not a whole number.`);
  },
  quantity: quantityOf,
  unit: ({ text }) => unitOf(text),
  date: (cell, column) => {
    const read = dayOf(cell, column.dateForm);
    if (!('day' in read)) return read;
    return read.time === null || read.time === '00:00:00'
      ? { value: read.day }
      : fault('has_a_time', `${quoted(cell.text)} has a time, and only a day is wanted.`);
  },
  instant: instantOf,
  boolean: ({ text }) => {
    const known = BOOLEANS.get(text.toLowerCase());
    return known === undefined ? fault('not_a_boolean', `${quoted(text)} is neither yes nor no.`) : { value: known };
  },
};

const DEEPEST = 32;

/** `further values` of a table of events: values by their pointers, as JSON. */
function furtherValues(text: string): CellValue {
  let given: unknown = null;
  try {
    given = JSON.parse(text);
  } catch {
    // Said below.
  }
  const isValue = (value: unknown): boolean =>
    typeof value === 'object' ? value !== null && Object.keys(value).length === 0 : value !== undefined;
  const isOne = ([to, value]: [string, unknown]): boolean =>
    to.startsWith('/metadata/') && isTarget(to) && pointerNames(to).length <= DEEPEST && isValue(value);
  if (isObject(given) && !Array.isArray(given) && Object.entries(given).every(isOne)) return { value: given };
  return fault('not_further_values', 'The cell is no JSON object with the values of an event by their pointers, as an export has it.');
}

const BOOLEANS = new Map<string, boolean>([
  ...['true', 'yes', 'ja', 'wahr', 'oui', 'sí', 'vrai', 'có'].map((word): [string, boolean] => [word, true]),
  ...['false', 'no', 'nein', 'falsch', 'non', 'faux', 'không'].map((word): [string, boolean] => [word, false]),
]);

const SPACES = /[\u0020\u00A0\u2009\u202F]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
/** Groups of three digits, each behind the same sign. */
const GROUPED = {
  '.': /^[+-]?\d{1,3}(?:([,'’\u0020\u00A0\u2009\u202F])\d{3}(?:\1\d{3})*)?(?:\.\d+)?$/,
  ',': /^[+-]?\d{1,3}(?:([.'’\u0020\u00A0\u2009\u202F])\d{3}(?:\1\d{3})*)?(?:,\d+)?$/,
} as const;
const BARE = { '.': /^[+-]?\d+(?:\.\d+)?$/, ',': /^[+-]?\d+(?:,\d+)?$/ } as const;

function numberOf({ kind, text }: FileCell, decimal: '.' | ',' | undefined): CellValue {
  if (kind === 'date' || kind === 'time') return fault('is_a_date', `The cell is a date for the spreadsheet (${text}), not a number.`);
  if (kind === 'boolean') return fault('not_a_number', `${text} is no number.`);
  if (kind === 'number') return text.endsWith('%') ? percentage(text) : exactly(text, text);
  if (text.endsWith('%')) return percentage(text);
  if (decimal === undefined)
    return /^[+-]?\d+$/.test(text)
      ? exactly(text, text)
      : fault('decimal_sign_unknown', `${quoted(text)} is a text: say which decimal sign the column has.`);
  if (!BARE[decimal].test(text) && !GROUPED[decimal].test(text))
    return fault('not_a_number', `${quoted(text)} is no number with the decimal sign “${decimal}”.`);
  const other = decimal === '.' ? ',' : '.';
  return exactly(text.replaceAll(new RegExp(`[${other}'’]|${SPACES.source}`, 'g'), '').replace(decimal, '.'), text);
}

const percentage = (text: string): CellFault =>
  fault('percentage', `${quoted(text)} is a percentage: write the number that is wanted, without the percent sign.`);

/** JSON has no more digits than a double: a number that it would change is refused. */
function exactly(plain: string, shown: string): CellValue {
  if (!PLAIN_NUMBER.test(plain)) return fault('not_a_number', `${quoted(shown)} is no number.`);
  const value = Number(plain);
  return new Decimal(value).eq(plain) ? { value } : fault('number_too_long', `${quoted(shown)} has more digits than can be kept exactly.`);
}

/** A number with its unit behind it, or with that of the column. */
function quantityOf(cell: FileCell, { decimal, unit }: ColumnMapping): CellValue {
  const [, number = cell.text, word] = cell.kind === 'text' ? (/^(.*?\d)\s*([^\d\s.,'’%+-][^\d]*)$/u.exec(cell.text) ?? []) : [];
  const value = numberOf({ kind: cell.kind, text: number.trim() }, decimal);
  if (!('value' in value)) return value;
  if (word === undefined)
    return unit === undefined
      ? fault('unit_missing', `${quoted(cell.text)} has no unit, and the column has none.`)
      : { value: { value: value.value, uom: unit } };
  const uom = unitOf(word);
  return 'value' in uom ? { value: { value: value.value, uom: uom.value } } : uom;
}

/** Words of units as people write them. One that is written in capitals may be a code of Recommendation 20. */
const UNITS = new Map<string, string>(
  Object.entries({
    KGM: 'kg kilo kilos kilogram kilograms kilogramm kilogramme',
    GRM: 'g gr gram grams gramm gramme',
    TNE: 't to tonne tonnes tonnen',
    MGM: 'mg',
    LBR: 'lb lbs pound pounds',
    ONZ: 'oz',
    LTR: 'l ltr liter liters litre litres',
    MLT: 'ml',
    MTQ: 'm3 m³ cbm',
    HLT: 'hl',
    MTR: 'm meter meters metre metres',
    CMT: 'cm',
    MMT: 'mm',
    MTK: 'm2 m² qm',
    HAR: 'ha hektar hectare hectares',
    H87: 'pc pcs piece pieces stk stk. stück st st. pz',
    C62: 'unit units einheit einheiten',
    P1: '% percent prozent',
  }).flatMap(([code, words]) => words.split(' ').map((word): [string, string] => [word, code])),
);

function unitOf(text: string): CellValue {
  const code = UNITS.get(text.trim().toLowerCase());
  if (code !== undefined) return { value: code };
  return isUnitCode(text.trim())
    ? { value: text.trim() }
    : fault('unit_unknown', `${quoted(text)} is no unit that is known: write kg, t, l, pcs, or its code (UNECE Recommendation 20).`);
}

interface Day {
  readonly day: string;
  /** `HH:MM:SS`; null without one. */
  readonly time: string | null;
  readonly offset: string | null;
}

const TIME = String.raw`(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:\d{2})?)?`;
const FORMS = new Map<DateForm, RegExp>();

function formOf(form: DateForm): RegExp {
  const known = FORMS.get(form);
  if (known) return known;
  const sign = /[./-]/.exec(form)?.[0] ?? '';
  const digits = form.replaceAll(/[./-]/g, String.raw`\${sign}`.replace(String.raw`\${sign}`, sign === '' ? '' : `\\${sign}`));
  // One digit is enough where a sign ends it.
  const least = sign === '' ? '2' : '1,2';
  const pattern = digits
    .replace('YYYY', String.raw`(?<y>\d{4})`)
    .replace(/YY(?!\))/, String.raw`(?<y>\d{2})`)
    .replace('MM', String.raw`(?<m>\d{${least}})`)
    .replace('DD', String.raw`(?<d>\d{${least}})`);
  const made = new RegExp(`^${pattern}${TIME}$`);
  FORMS.set(form, made);
  return made;
}

function dayOf({ kind, text }: FileCell, form: DateForm | undefined): Day | CellFault {
  if (kind === 'boolean' || kind === 'time') return fault('not_a_date', `${quoted(text)} is no date.`);
  if (kind === 'number' && form !== 'YYYYMMDD')
    return fault('not_a_date', `${quoted(text)} is a number, not a date: format the cell as a date.`);
  if (kind !== 'date' && form === undefined)
    return fault('date_form_unknown', `${quoted(text)} is a text: say which form the dates of the column have.`);
  const used = kind === 'date' ? 'YYYY-MM-DD' : form!;
  const match = formOf(used).exec(text);
  if (!match) return fault('not_a_date', `${quoted(text)} is no date of the form ${used}.`);
  const { y = '', m = '', d = '' } = match.groups ?? {};
  const day = `${y.length === 2 ? `20${y}` : y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`;
  const [hour, minute, second = '00', offset = null] = match.slice(4) as [string?, string?, string?, (string | null)?];
  const time = hour === undefined ? null : `${hour.padStart(2, '0')}:${minute}:${second}`;
  if (!(readInstant(day) instanceof Date) || (time !== null && !(readInstant(`${day}T${time}Z`) instanceof Date)))
    return fault('not_a_date', `${quoted(text)} is no day of the calendar, or no time.`);
  return { day, time, offset };
}

/** RFC 3339, with the offset of the cell or of the column. */
function instantOf(cell: FileCell, { dateForm, offset, time }: ColumnMapping): CellValue {
  const read = dayOf(cell, dateForm);
  if (!('day' in read)) return read;
  const clock = read.time ?? (time === undefined ? null : `${time}:00`);
  if (clock === null) return fault('time_missing', `${quoted(cell.text)} has no time of day, and the column has none.`);
  const zone = read.offset ?? offset;
  if (zone === undefined || zone === null)
    return fault('offset_missing', `${quoted(cell.text)} has no offset from UTC, and the column has none.`);
  return { value: `${read.day}T${clock}${zone}` };
}
