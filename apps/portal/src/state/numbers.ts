import { locale } from './language.js';

/** What a typed text says as a number. */
export type ReadNumber =
  | { readonly kind: 'number'; readonly value: number }
  /** One separator with three digits behind it: both readings, thousands first. */
  | { readonly kind: 'ambiguous'; readonly readings: readonly [number, number] }
  | { readonly kind: 'text' };

export interface Bounds {
  readonly most?: number | null;
}

const TEXT: ReadNumber = { kind: 'text' };
const PLAIN = /^[+-]?\d+(e[+-]?\d{1,3})?$/i;
/** Spaces and apostrophes group thousands in some languages and are never a decimal sign. */
const GROUPED_BY_SPACE = /^([+-]?\d{1,3})((?:[\s'’]\d{3})+)(?=$|[.,])/;
const ZEROS = [0x06_60, 0x06_f0, 0x09_66] as const;

/**
 * A number as people write it anywhere: `1,200.5`, `1.200,5`, `1 200`, `12,5`. What could be thousands or decimals (`1,200`) is not decided here,
 * except where the most that a field takes has no thousands.
 */
export function readNumber(typed: string, bounds: Bounds = {}): ReadNumber {
  const text = inDigits(typed.trim()).replace(GROUPED_BY_SPACE, (_, head: string, groups: string) => head + groups.replaceAll(/\D/g, ''));
  if (PLAIN.test(text)) return numberOf(text);
  const [, sign = '', digits = ''] = /^([+-]?)(\d[\d.,]*|[.,]\d+)$/.exec(text) ?? [];
  if (digits === '') return TEXT;
  const used = [...new Set(digits.replaceAll(/\d/g, ''))];
  const parts = digits.split(/[.,]/);
  if (used.length === 2) return mixed(sign, digits, used as [string, string]);
  if (parts.length > 2) return isGrouped(parts) ? numberOf(sign + parts.join('')) : TEXT;
  const [whole, rest] = parts as [string, string];
  const decimal = Number(`${sign}${whole || '0'}.${rest || '0'}`);
  if (!isGrouped(parts)) return rest === '' ? TEXT : { kind: 'number', value: decimal };
  return decided([Number(sign + whole + rest), decimal], bounds);
}

/** The later of two separators is the decimal sign; the other groups the digits before it. */
function mixed(sign: string, digits: string, [, decimal]: readonly [string, string]): ReadNumber {
  const at = digits.lastIndexOf(decimal);
  if (digits.indexOf(decimal) !== at) return TEXT;
  const groups = digits.slice(0, at).split(/[.,]/);
  return isGrouped(groups) ? numberOf(`${sign}${groups.join('')}.${digits.slice(at + 1) || '0'}`) : TEXT;
}

/** `1`, `200`: but no number has zeros before its thousands. */
const isGrouped = ([head = '', ...groups]: readonly string[]): boolean =>
  /^[1-9]\d{0,2}$/.test(head) && groups.length > 0 && groups.every((group) => /^\d{3}$/.test(group));

function decided(readings: readonly [number, number], { most = null }: Bounds): ReadNumber {
  return most !== null && most < 1000 ? { kind: 'number', value: readings[1] } : { kind: 'ambiguous', readings };
}

function numberOf(text: string): ReadNumber {
  const value = Number(text);
  return Number.isFinite(value) ? { kind: 'number', value } : TEXT;
}

/** Arabic, Persian and Devanagari digits, and the Arabic signs, as the others. */
const inDigits = (text: string): string =>
  text
    // Marks of the direction of writing.
    .replaceAll(/[\u200e\u200f\u061c]/g, '')
    .replaceAll(/\p{Nd}/gu, (digit) => {
      const zero = ZEROS.find((first) => digit.codePointAt(0)! >= first && digit.codePointAt(0)! < first + 10);
      return zero === undefined ? digit : String(digit.codePointAt(0)! - zero);
    })
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replaceAll('−', '-');

/** As a field takes it: in the digits of the reader, without groups, and never with three decimals, which could be thousands. */
export function writeNumber(value: number, at = locale()): string {
  const text = new Intl.NumberFormat(at, { useGrouping: false, maximumFractionDigits: 20 }).format(value);
  return /[^\d]\d{3}$/.test(text) ? `${text}0` : text;
}

/** The number that a text says, else the text as it is: the service refuses that at its field. */
export function numberOrText(typed: string, bounds?: Bounds): number | string {
  const read = readNumber(typed, bounds);
  return read.kind === 'number' ? read.value : typed;
}

/** To read: with groups, and every decimal that it has. */
export const showExact = (value: number, at = locale()): string => new Intl.NumberFormat(at, { maximumFractionDigits: 20 }).format(value);
