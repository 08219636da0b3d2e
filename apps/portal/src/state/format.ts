const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const month = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long', timeZone: 'UTC' });
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const dayOfCalendar = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });

export const showTime = (iso: string | null | undefined): string => (iso ? date.format(new Date(iso)) : '–');
/** A date without a time is that day everywhere. */
export const showDay = (iso: string | null | undefined): string =>
  iso ? (/^\d{4}-\d\d-\d\d$/.test(iso) ? dayOfCalendar : day).format(new Date(iso)) : '–';
/** A month of UTC. */
export const showMonth = (iso: string): string => month.format(new Date(`${iso.slice(0, 7)}-01T00:00:00Z`));
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
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }).format(seconds / size);
}
/** A part of one whole, 0 to 1. */
export const showShare = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : share.format(value));
export const showNumber = (value: number | string | null | undefined): string =>
  value === null || value === undefined ? '–' : number.format(Number(value));

/** The commonest UNECE codes as people write them; others as they are. */
export const UNITS: Readonly<Record<string, string>> = {
  KGM: 'kg',
  GRM: 'g',
  TNE: 't',
  LTR: 'l',
  MTQ: 'm³',

  MTR: 'm',
  H87: 'pieces',
  C62: 'units',
  EA: 'pieces',
  XPX: 'pallets',
  XCT: 'cartons',
};
const INDICATOR_UNITS: Readonly<Record<string, string>> = { kgCO2e: 'kg CO₂e', m3: 'm³' };
/** Units of footprints. */
export const showUnit = (unit: string): string => INDICATOR_UNITS[unit] ?? unit;

export const showQuantity = (value: number | string | null | undefined, uom: string | null | undefined): string =>
  value === null || value === undefined ? 'not measured' : `${showNumber(value)} ${UNITS[uom ?? ''] ?? uom ?? ''}`.trim();

export const shortHash = (hash: string | null | undefined): string =>
  !hash ? '–' : hash.length > 14 ? `${hash.slice(0, 8)}…${hash.slice(-4)}` : hash;

/** `RICE_HARVESTING` → `Rice harvesting`, `harvestedOn` → `Harvested on`. */
export const words = (code: string | null | undefined): string => {
  const text = (code ?? '–')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const WEI = 10n ** 18n;
const ether = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 });
export const showEther = (wei: string): string => `${ether.format(Number(wei) / 1e18)} ether`;

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
  if (whole === undefined) throw new Error('Enter an amount of ether, for example 0.05.');
  return String(BigInt(whole) * WEI + BigInt(rest.padEnd(18, '0')));
}
