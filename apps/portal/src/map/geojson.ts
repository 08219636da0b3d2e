import type { Position } from './mercator.js';

/** Enough for what a map of the screen can show. */
const MOST_LEVELS = 5;

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  typeof value[0] === 'number' &&
  typeof value[1] === 'number' &&
  Math.abs(value[0]) <= 180 &&
  Math.abs(value[1]) <= 90;

/** The positions of a GeoJSON geometry, in lines: a point is a line of one. Nothing for anything else. */
export function linesOf(geometry: unknown): readonly (readonly Position[])[] {
  if (typeof geometry !== 'object' || geometry === null || !('coordinates' in geometry)) return [];
  return lines(geometry.coordinates, MOST_LEVELS);
}

function lines(value: unknown, levels: number): readonly (readonly Position[])[] {
  if (isPosition(value)) return [[value]];
  if (!Array.isArray(value) || levels === 0) return [];
  const parts = value as readonly unknown[];
  if (parts.length > 0 && parts.every(isPosition)) return [parts];
  return parts.flatMap((part) => lines(part, levels - 1));
}

/** The middle of what a geometry covers. */
export function middleOf(geometry: unknown): Position | null {
  const all = linesOf(geometry).flat();
  if (all.length === 0) return null;
  const [longitudes, latitudes] = [all.map(([longitude]) => longitude), all.map(([, latitude]) => latitude)];
  const middle = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
  return [middle(longitudes), middle(latitudes)];
}
