import { Decimal } from 'decimal.js';
import type { Cell } from '../table.js';

/** How a cell shows its number: as a date, as a share, with leading zeros. */
export type NumberFormat =
  | { readonly kind: 'plain' }
  | { readonly kind: 'date' }
  | { readonly kind: 'percent' }
  | { readonly kind: 'zeros'; readonly digits: number };

/** Formats that files do not spell out (ISO/IEC 29500-1, numFmt). */
const BUILT_IN_DATES: ReadonlySet<number> = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58,
]);
const PLAIN: NumberFormat = { kind: 'plain' };

export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) {
    if (BUILT_IN_DATES.has(id)) return { kind: 'date' };
    return id === 9 || id === 10 ? { kind: 'percent' } : PLAIN;
  }
  // Without texts in quotes, escaped characters, and colours or conditions in brackets; `[h]` counts hours.
  const bare = code.replaceAll(/"[^"]*"|\\.|_.|\*./g, '').replaceAll(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '');
  const [positive = ''] = bare.split(';');
  if (/[dmyhs]/i.test(positive.replaceAll(/general|e[+-]/gi, ''))) return { kind: 'date' };
  if (positive.includes('%')) return { kind: 'percent' };
  return /^0{2,}$/.test(positive) ? { kind: 'zeros', digits: positive.length } : PLAIN;
}

/** Spreadsheets keep 15 digits of a number. */
const MOST_DIGITS = 15;

/** The number of a cell as it is shown, without rounding: `4.0999999999999996` in the file is 4.1 in every spreadsheet. */
export function numberCell(stored: string, format: NumberFormat, isDate1904: boolean): Cell {
  const value = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(value)) return { kind: 'fault', text: `${stored.slice(0, 40)} is no number` };
  if (format.kind === 'date') return dateCell(value, isDate1904);
  const exact = new Decimal(value).toSignificantDigits(MOST_DIGITS);
  if (format.kind === 'percent') return { kind: 'number', text: `${exact.times(100).toFixed()}%` };
  const text = exact.toFixed();
  return { kind: 'number', text: format.kind === 'zeros' && /^\d+$/.test(text) ? text.padStart(format.digits, '0') : text };
}

const DAY_SECONDS = 86_400;
/** Days from the day 0 of a system to 1970. */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;
/** 9999-12-31. */
const LAST_DAY = 2_958_465;

/** The system of 1900 has a 29th of February, which that year had not: days before it are one off, and itself is none. */
function dateCell(serial: number, isDate1904: boolean): Cell {
  const fault = (): Cell => ({ kind: 'fault', text: `${serial} is shown as a date, and is none` });
  if (serial < 0 || serial >= LAST_DAY + 1) return fault();
  const seconds = Math.round((serial % 1) * DAY_SECONDS);
  const day = Math.floor(serial) + (seconds === DAY_SECONDS ? 1 : 0);
  const time = new Date((seconds % DAY_SECONDS) * 1_000).toISOString().slice(11, 19);
  if (day === 0 && !isDate1904) return { kind: 'time', text: time };
  if (day === 60 && !isDate1904) return fault();
  const days = isDate1904 ? day - EPOCH_1904 : day - EPOCH_1900 + (day < 60 ? 1 : 0);
  const date = new Date(days * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
  return { kind: 'date', text: seconds % DAY_SECONDS === 0 ? date : `${date}T${time}` };
}
