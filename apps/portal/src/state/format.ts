import { locale, phrase, t, translated, zone } from './language.js';

/** A formatter takes long to make, so there is one for each locale and zone. */
function perLocale<T>(make: (at: string) => T): () => T {
  const made = new Map<string, T>();
  return () => {
    const key = `${locale()} ${zone.value}`;
    const known = made.get(key) ?? make(locale());
    made.set(key, known);
    return known;
  };
}

const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const date = perLocale(
  (at) => new Intl.DateTimeFormat(at, { ...DAY, hour: 'numeric', minute: '2-digit', timeZone: zone.value, timeZoneName: 'short' }),
);
const day = perLocale((at) => new Intl.DateTimeFormat(at, { ...DAY, timeZone: zone.value }));
const dayOfCalendar = perLocale((at) => new Intl.DateTimeFormat(at, { ...DAY, timeZone: 'UTC' }));
const month = perLocale((at) => new Intl.DateTimeFormat(at, { year: 'numeric', month: 'long', timeZone: 'UTC' }));
const share = perLocale((at) => new Intl.NumberFormat(at, { style: 'percent', maximumFractionDigits: 1 }));
const number = perLocale((at) => new Intl.NumberFormat(at, { maximumFractionDigits: 3 }));
const ether = perLocale((at) => new Intl.NumberFormat(at, { maximumSignificantDigits: 4 }));

/** With the name of its zone. */
export const showTime = (iso: string | null | undefined): string => (iso ? date().format(new Date(iso)) : '–');
/** A date without a time is that day everywhere. */
export const showDay = (iso: string | null | undefined): string =>
  iso ? (/^\d{4}-\d\d-\d\d$/.test(iso) ? dayOfCalendar : day)().format(new Date(iso)) : '–';
/** A month of UTC. */
export const showMonth = (iso: string): string => month().format(new Date(`${iso.slice(0, 7)}-01T00:00:00Z`));
/** How long something took, in the unit that people would say. */
export function showLength(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
  const [unit, size] = (
    [
      ['day', 86_400],
      ['hour', 3600],
      ['minute', 60],
      ['second', 1],
    ] as const
  ).find(([, length]) => seconds >= length) ?? ['second', 1];
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }).format(seconds / size);
}
/** A part of one whole, 0 to 1. */
export const showShare = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : share().format(value);
export const showNumber = (value: number | string | null | undefined): string =>
  value === null || value === undefined ? '–' : number().format(Number(value));

/** The commonest UNECE codes as people write them; others as they are. */
export const UNITS: Readonly<Record<string, string>> = {
  KGM: 'kg',
  GRM: 'g',
  TNE: 't',
  LTR: 'l',
  MTQ: 'm³',

  MTR: 'm',
  H87: phrase('pieces'),
  C62: phrase('units'),
  EA: phrase('pieces'),
  XPX: phrase('pallets'),
  XCT: phrase('cartons'),
};
const INDICATOR_UNITS: Readonly<Record<string, string>> = { kgCO2e: 'kg CO₂e', m3: 'm³' };
/** Units of footprints. */
export const showUnit = (unit: string): string => INDICATOR_UNITS[unit] ?? unit;

export const showQuantity = (value: number | string | null | undefined, uom: string | null | undefined): string =>
  value === null || value === undefined ? t('not measured') : `${showNumber(value)} ${translated(UNITS[uom ?? ''] ?? uom ?? '')}`.trim();

export const shortHash = (hash: string | null | undefined): string =>
  !hash ? '–' : hash.length > 14 ? `${hash.slice(0, 8)}…${hash.slice(-4)}` : hash;

/** `RICE_HARVESTING` → `Rice harvesting`, `harvestedOn` → `Harvested on`. */
export const words = (code: string | null | undefined): string => {
  const text = (code ?? '–')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
  return translated(text.charAt(0).toUpperCase() + text.slice(1));
};

const WEI = 10n ** 18n;
export const showEther = (wei: string): string => `${ether().format(Number(wei) / 1e18)} ether`;

/** An amount of wei in ether, exact, as a field takes it. */
export function etherOf(wei: string): string {
  const rest = String(BigInt(wei) % WEI)
    .padStart(18, '0')
    .replace(/0+$/, '');
  return `${BigInt(wei) / WEI}${rest === '' ? '' : `.${rest}`}`;
}

/** What a person typed as ether, in wei. @throws Error for what is no such number */
export function weiOf(typed: string): string {
  const [, whole, rest = ''] = /^(\d{1,12})(?:[.,](\d{1,18}))?$/.exec(typed.trim()) ?? [];
  if (whole === undefined) throw new Error(t('Enter an amount of ether, for example 0.05.'));
  return String(BigInt(whole) * WEI + BigInt(rest.padEnd(18, '0')));
}
