import { createRequire } from 'node:module';
import type * as CountryCoder from '@rapideditor/country-coder';
import type { Ring } from './shapes.js';

const require = createRequire(import.meta.url);

/** Loaded by the first question about a country: it takes 0.1 s, and most processes and threads ask none. */
const countries = (): typeof CountryCoder => require('@rapideditor/country-coder') as typeof CountryCoder;

/** Whether a code is a country or territory of ISO 3166-1 alpha-2, as assigned today. */
export const isCountryCode = (code: string): boolean => countries().feature(code)?.properties.iso1A2 === code;

/** A country or territory by its two letters: its numeric code, and its borders, waters included; null for another text. */
export function codedCountry(code: string): { readonly number: string | undefined; readonly borders: readonly Ring[] } | null {
  const known = /^[A-Z]{2}$/.test(code) ? countries().feature(code) : null;
  if (known?.properties.iso1A2 !== code) return null;
  const polygons = (known.geometry?.coordinates ?? []) as readonly (readonly Ring[])[];
  const borders = polygons.flatMap((polygon) => polygon.slice(0, 1));
  return { number: known.properties.iso1N3, borders };
}

/** Borders are simplified and a plot may touch one, so the country may begin this far from the point, in degrees (about 1 km). */
const TOLERANCE = 0.01;

/** Whether a point is in a country or territory, its waters included; null for a country without known borders. */
export function isInCountry(country: string, [longitude, latitude]: readonly [number, number]): boolean | null {
  const { feature, featuresContaining } = countries();
  const known = /^[A-Z]{2}$/.test(country) ? feature(country) : null;
  if (known === null) return null;
  const around = featuresContaining([longitude - TOLERANCE, latitude - TOLERANCE, longitude + TOLERANCE, latitude + TOLERANCE]);
  return around.some(({ properties }) => properties.id === known.properties.id);
}
