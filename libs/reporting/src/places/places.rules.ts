import { type Position, middleOfCountry, pointsIn } from '#geography';
import type { Figure } from '../reports/report.js';

export const PLACE_KINDS = ['site', 'plot', 'place'] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

type Recorded = Readonly<Record<string, unknown>>;

/** A site, or what events state of a place, summed by the database. */
export interface FoundPlace {
  readonly kind: PlaceKind;
  readonly key: string;
  /** As it was recorded. */
  readonly what: Recorded | null;
  readonly orgIds: readonly (string | null)[];
  readonly processTypes: readonly (string | null)[];
  readonly events: Figure;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
}

interface Place {
  readonly placeKey: string;
  readonly kind: PlaceKind;
  readonly name: string | null;
  readonly country: string | null;
  readonly position: Position | null;
  /** Whether the position was recorded; false for the middle of a country. */
  readonly exact: boolean;
  readonly geometry: Recorded | null;
  readonly areaHa: number | null;
  readonly organisations: readonly string[];
  readonly processTypes: readonly string[];
  readonly events: number;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
}

interface Summary extends Readonly<Record<'sites' | 'plots' | 'others' | 'withoutPosition' | 'eventsRead', number>> {
  readonly incomplete: boolean;
}

/** Sites first, then plots, then other places, by name. A place that events state by the GLN of a site is that site. */
export function placeRows(found: readonly FoundPlace[], nameOf: (orgId: string) => string | null): readonly Place[] {
  const byKey = new Map<string, FoundPlace>();
  for (const one of found.toSorted((a, b) => PLACE_KINDS.indexOf(a.kind) - PLACE_KINDS.indexOf(b.kind))) {
    const key = one.kind === 'plot' ? `plot ${one.key}` : one.key;
    const known = byKey.get(key);
    byKey.set(key, known ? joined(known, one) : one);
  }
  return [...byKey.values()].map((one) => viewOf(one, nameOf)).toSorted(byKindAndName);
}

export function placesSummary(rows: readonly Place[], eventsRead: number, incomplete: boolean): Summary {
  const count = (kind: PlaceKind): number => rows.filter((row) => row.kind === kind).length;
  const withoutPosition = rows.filter(({ position }) => position === null).length;
  return { sites: count('site'), plots: count('plot'), others: count('place'), withoutPosition, eventsRead, incomplete };
}

/** What the site says of itself goes before what events say of it. */
const joined = (a: FoundPlace, b: FoundPlace): FoundPlace => ({
  ...a,
  what: { ...b.what, ...a.what },
  orgIds: [...new Set([...a.orgIds, ...b.orgIds])],
  processTypes: [...new Set([...a.processTypes, ...b.processTypes])],
  events: Number(a.events) + Number(b.events),
  firstAt: earliest(a.firstAt, b.firstAt),
  lastAt: a.lastAt !== null && b.lastAt !== null && a.lastAt > b.lastAt ? a.lastAt : (b.lastAt ?? a.lastAt),
});

const earliest = (a: string | null, b: string | null): string | null => (a !== null && b !== null && a < b ? a : (b ?? a));

function viewOf(
  { kind, key, what, orgIds, processTypes, events, firstAt, lastAt }: FoundPlace,
  nameOf: (orgId: string) => string | null,
): Place {
  const country = textOf(what?.['country']);
  const [exact] = pointsIn(what);
  const position: Position | null = exact ?? (country === null ? null : middleOfCountry(country));
  return {
    placeKey: key,
    kind,
    name: textOf(what?.['name']) ?? (kind === 'plot' ? textOf(what?.['id']) : null),
    country,
    position,
    exact: exact !== undefined,
    geometry: kind === 'plot' ? drawable(what?.['geometry']) : null,
    areaHa: typeof what?.['areaHa'] === 'number' ? what['areaHa'] : null,
    organisations: known(orgIds.map((orgId) => (orgId === null ? null : nameOf(orgId)))),
    processTypes: known(processTypes),
    events: Number(events),
    firstAt: asTime(firstAt),
    lastAt: asTime(lastAt),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const asTime = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString());
const known = (values: readonly (string | null)[]): string[] => [...new Set(values.filter((value) => value !== null))].toSorted();

const MOST_POSITIONS = 1_000;

function drawable(geometry: unknown): Recorded | null {
  if (pointsIn(geometry).length === 0) return null;
  const positions = JSON.stringify(geometry).split('[').length;
  return positions > MOST_POSITIONS ? null : (geometry as Recorded);
}

function byKindAndName(a: Place, b: Place): number {
  const [first, second] = [a, b].map(({ kind, name, placeKey }) => `${PLACE_KINDS.indexOf(kind)} ${name ?? '~'} ${placeKey}`) as [
    string,
    string,
  ];
  return first < second ? -1 : first > second ? 1 : 0;
}
