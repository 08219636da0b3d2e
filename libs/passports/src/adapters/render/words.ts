/** `packaging.massPerUnitG` reads "Packaging mass per unit G"; `well_milled` "well milled". */
export function wordsOf(name: string): string {
  const text = name
    .replaceAll(/[._-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Any JSON value as a person reads it. */
export function valueOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return dateOf(value);
  if (typeof value === 'string') return /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/i.test(value) ? value.replaceAll('_', ' ') : value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueOf).join(', ');
  return Object.entries(value)
    .map(([name, member]) => measured(name, member))
    .map(([name, told]) => `${name.toLowerCase()}: ${told}`)
    .join('; ');
}

const UNITS: Readonly<Record<string, string>> = {
  Percent: '%',
  Kg: 'kg',
  G: 'g',
  Gsm: 'g/m²',
  Micron: 'µm',
  Mm: 'mm',
  Cm: 'cm',
  Ml: 'ml',
  L: 'l',
};
const UNIT = new RegExp(`^(.*[a-z\\d])(${Object.keys(UNITS).join('|')})$`);

/** Name and value in words; `massPerUnitG` 45 is "Mass per unit", "45 g". */
export function measured(name: string, value: unknown): [string, string] {
  const [, of, unit] = UNIT.exec(name) ?? [];
  const numbers = [value].flat();
  if (of === undefined || unit === undefined || numbers.length === 0 || !numbers.every((one) => typeof one === 'number'))
    return [wordsOf(name), valueOf(value)];
  return [wordsOf(of), numbers.map((one) => `${valueOf(one)} ${UNITS[unit]}`).join(', ')];
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

export function countryOf(code: string | null): string {
  if (code === null) return 'Place not stated';
  try {
    return COUNTRIES.of(code) ?? code;
  } catch {
    return code;
  }
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2026-09` or `2026-09-21`, or an instant, in words. */
export function dateOf(text: string | null): string {
  if (text === null) return '–';
  const time = new Date(text.length === 7 ? `${text}-01` : text);
  return Number.isNaN(time.getTime()) ? text : (text.length === 7 ? MONTH : DAY).format(time);
}

/** Three digits that mean something. */
export const figureOf = (value: number): string => new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
export const percentOf = (ratio: number): string => `${Math.floor(ratio * 100 + 1e-9)} %`;
