import { type Position, middleOfCountry, pointsIn } from '#geography';
import type { OriginStep, PublicPassport } from '../composing/passport.js';

/** A place that the public reads of, with what happened there. */
export interface PublicPlace {
  readonly processes: readonly string[];
  readonly region: string | null;
  readonly country: string | null;
  /** Where its mark is: the point that was recorded, or the middle of its country. */
  readonly at: Position;
  /** Whether the point itself is public. */
  readonly isExact: boolean;
}

/** More marks than a small map can show. */
const MOST_PLACES = 30;

/** Of the steps in their order, as far as they are public; steps at one place are one. Where nothing says the place there is none. */
export function placesOf({ origin, product }: PublicPassport): readonly PublicPlace[] {
  const places = new Map<string, PublicPlace>();
  const add = (place: Omit<PublicPlace, 'processes'>, process: string): void => {
    const key = place.isExact ? JSON.stringify(place.at) : JSON.stringify([place.country, place.region]);
    const known = places.get(key);
    if (!known && places.size >= MOST_PLACES) return;
    places.set(key, { ...(known ?? place), processes: [...new Set([...(known?.processes ?? []), process])] });
  };
  for (const step of origin.steps) for (const place of placesOfStep(step)) add(place, step.process);
  for (const at of pointsIn(product.attributes)) add({ country: null, region: null, at, isExact: true }, product.name);
  return [...places.values()];
}

function placesOfStep({ country, region, attributes }: OriginStep): Omit<PublicPlace, 'processes'>[] {
  const points = Object.values(attributes).flatMap((values) => values.flatMap((value) => pointsIn(value)));
  if (points.length > 0) return points.map((at) => ({ country, region, at, isExact: true }));
  const middle = country === null ? null : middleOfCountry(country);
  return middle === null ? [] : [{ country, region, at: middle, isExact: false }];
}

/** What the map shows is no text. */
export const withoutGeometries = (attributes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => ![value].flat().every(isGeometry)));

const isGeometry = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'coordinates' in value && pointsIn(value).length > 0;
