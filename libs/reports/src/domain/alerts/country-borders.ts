import { feature, featuresContaining } from '@rapideditor/country-coder';
import type { Position } from './ring.js';

/** Borders are simplified, and a plot may lie on one: so far around the point the country may begin, in degrees (about 1 km). */
const TOLERANCE = 0.01;

/** Whether a point lies in a country or territory, its waters included; null where nothing is known of the country. */
export function liesIn(country: string, [longitude, latitude]: Position): boolean | null {
  const known = /^[A-Z]{2}$/.test(country) ? feature(country) : null;
  if (known === null) return null;
  const around = featuresContaining([longitude - TOLERANCE, latitude - TOLERANCE, longitude + TOLERANCE, latitude + TOLERANCE]);
  return around.some(({ properties }) => properties.id === known.properties.id);
}
