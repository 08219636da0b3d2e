import { t } from './language.js';

/** Degrees, longitude first as in GeoJSON. */
export type Position = readonly [longitude: number, latitude: number];

const ANSWER_MS = 15_000;
const EARTH_M = 6_371_000;
const rad = (degrees: number): number => (degrees * Math.PI) / 180;

/** Where this device is. @throws Error with what to do about it */
export function currentPosition(): Promise<Position> {
  return new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve([rounded(coords.longitude), rounded(coords.latitude)]),
      ({ code }) =>
        reject(
          new Error(
            code === GeolocationPositionError.PERMISSION_DENIED
              ? t('This browser may not use your position. Allow it for this page, or type the place.')
              : t('The position is not known. Try again outdoors, or type the place.'),
          ),
        ),
      { enableHighAccuracy: true, timeout: ANSWER_MS, maximumAge: 60_000 },
    );
  });
}

/** Eleven centimetres. */
const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;

/** On a sphere, in metres. */
export function metresBetween([lonA, latA]: Position, [lonB, latB]: Position): number {
  const half = Math.sin(rad(latB - latA) / 2) ** 2 + Math.cos(rad(latA)) * Math.cos(rad(latB)) * Math.sin(rad(lonB - lonA) / 2) ** 2;
  return 2 * EARTH_M * Math.asin(Math.sqrt(half));
}

/** The nearest of those that have a position, with its distance in metres. */
export function nearestOf<P extends { readonly at: Position | null }>(
  places: readonly P[],
  here: Position,
): { readonly place: P; readonly metres: number } | null {
  const measured = places.flatMap((place) => (place.at ? [{ place, metres: metresBetween(here, place.at) }] : []));
  return measured.toSorted((a, b) => a.metres - b.metres)[0] ?? null;
}
