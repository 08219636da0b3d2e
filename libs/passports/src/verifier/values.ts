import { type Json, type Members, canonical } from './json.js';

/** Values at `a.b.c`, whatever of the dots stand in names. */
export function valuesAt(here: Json, name: string): Json[] {
  if (here === null || typeof here !== 'object') return [];
  return Object.entries(here as Members).flatMap(([key, value]) =>
    key === name ? [value] : name.startsWith(`${key}.`) ? valuesAt(value, name.slice(key.length + 1)) : [],
  );
}

/** Whether all that is shown is in the whole, of which parts may be kept for authorities. */
export function within(shown: Json, whole: Json): boolean {
  if (shown === null || typeof shown !== 'object') return canonical(shown) === canonical(whole);
  if (whole === null || typeof whole !== 'object' || Array.isArray(shown) !== Array.isArray(whole)) return false;
  if (Array.isArray(shown)) return shown.every((item: Json) => (whole as readonly Json[]).some((one) => within(item, one)));
  return Object.entries(shown).every(([key, item]) => Object.hasOwn(whole, key) && within(item, (whole as Members)[key]!));
}

export function objectsIn(value: Json): Members[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Members, ...inner];
}

export const textsIn = (value: Json): string[] =>
  typeof value === 'string' ? [value] : value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);

/** Months of the times among these texts, in any time zone that is named there too. */
export function monthsIn(texts: readonly string[]): string[] {
  const offsets = [0, ...texts.flatMap((text) => (/^[+-]\d\d:\d\d$/.test(text) ? [minutesOf(text)] : []))];
  return texts.flatMap((text) => {
    const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? [] : offsets.map((minutes) => new Date(time + minutes * 60_000).toISOString().slice(0, 7));
  });
}

const minutesOf = (offset: string): number =>
  (offset.startsWith('-') ? -1 : 1) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)));

/** Local dates of an instant: the earth has three at most. @param seconds since the epoch */
export function datesAround(seconds: number): string[] {
  if (seconds <= 0 || seconds > 8e12) return [];
  return [-12, 0, 14].map((hours) => new Date((seconds + hours * 3_600) * 1_000).toISOString().slice(0, 10));
}
