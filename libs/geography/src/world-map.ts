import { createRequire } from 'node:module';
import { codedCountry } from './country-borders.js';
import { type Position, type Ring, isPosition } from './shapes.js';
import type { Geometry, Topology } from './topology.js';

/** Outlines for a drawing of some hundred pixels, by Natural Earth (public domain), at 1:110 million: islands and small countries are missing. */
interface WorldMap {
  readonly land: readonly Ring[];
  /** By the numeric code of ISO 3166-1. */
  readonly countries: ReadonlyMap<string, readonly Ring[]>;
}

let map: WorldMap | null = null;

/** Read when the first map is drawn: 160 kB of text. */
function worldMap(): WorldMap {
  map ??= { land: allRings('land'), countries: byId('countries') };
  return map;
}

/** All land. Longitudes go on beyond 180 where an outline crosses that meridian. */
export const landOutlines = (): readonly Ring[] => worldMap().land;

/** Of a country by its two letters (ISO 3166-1); nothing where the map does not have it. */
export const countryOutlines = (code: string): readonly Ring[] => worldMap().countries.get(codedCountry(code)?.number ?? '') ?? [];

/** Borders of all countries. */
export const allOutlines = (): readonly Ring[] => [...worldMap().countries.values()].flat();

/** The middle of the largest part of a country; null for a code that is none. */
export function middleOfCountry(code: string): Position | null {
  const [outlines, known] = [countryOutlines(code), codedCountry(code)];
  if (known === null) return null;
  const boxes = (outlines.length > 0 ? outlines : known.borders).map(boxOf).toSorted((a, b) => areaOf(b) - areaOf(a));
  const [largest] = boxes;
  return largest ? [(largest.west + largest.east) / 2, (largest.south + largest.north) / 2] : null;
}

/** A part of the earth between two meridians and two parallels, in degrees. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export function boxOf(places: readonly Position[]): Box {
  const [longitudes, latitudes] = [places.map(([longitude]) => longitude), places.map(([, latitude]) => latitude)];
  return { west: Math.min(...longitudes), south: Math.min(...latitudes), east: Math.max(...longitudes), north: Math.max(...latitudes) };
}

const areaOf = ({ west, south, east, north }: Box): number => (east - west) * (north - south);

/** The part of an outline in a box (Sutherland and Hodgman 1974); empty where it is outside. */
export function clipped(ring: Ring, { west, south, east, north }: Box): Ring {
  const sides: readonly Side[] = [
    { axis: 0, at: west, sign: 1 },
    { axis: 0, at: east, sign: -1 },
    { axis: 1, at: south, sign: 1 },
    { axis: 1, at: north, sign: -1 },
  ];
  return sides.reduce<Ring>(behind, ring);
}

interface Side {
  readonly axis: 0 | 1;
  readonly at: number;
  /** Which way is inside. */
  readonly sign: 1 | -1;
}

function behind(ring: Ring, { axis, at, sign }: Side): Ring {
  const isInside = (place: Position): boolean => (place[axis] - at) * sign >= 0;
  return ring.flatMap((place, i) => {
    const before = ring[(i + ring.length - 1) % ring.length]!;
    if (isInside(before) === isInside(place)) return isInside(place) ? [place] : [];
    const share = (at - before[axis]) / (place[axis] - before[axis]);
    const crossing: Position = [before[0] + share * (place[0] - before[0]), before[1] + share * (place[1] - before[1])];
    return isInside(place) ? [crossing, place] : [crossing];
  });
}

/** Deeper values of a recorded place hold none. */
const MOST_LEVELS = 3;

/** A point for each geometry of GeoJSON in a value of any form: the middle of what it covers. */
export function pointsIn(value: unknown, levels = MOST_LEVELS): readonly Position[] {
  if (typeof value !== 'object' || value === null || levels < 0) return [];
  const { type, coordinates } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || !Array.isArray(coordinates)) return Object.values(value).flatMap((one) => pointsIn(one, levels - 1));
  const found = positionsIn(coordinates as unknown[]).filter(isOnEarth);
  if (found.length === 0) return [];
  const { west, south, east, north } = boxOf(found);
  return [[(west + east) / 2, (south + north) / 2]];
}

/** Enough for the middle of a plot. */
const MOST_POSITIONS = 1_000;

function positionsIn(coordinates: readonly unknown[]): Position[] {
  if (isPosition(coordinates)) return [coordinates];
  return coordinates
    .slice(0, MOST_POSITIONS)
    .flatMap((one) => (Array.isArray(one) ? positionsIn(one as unknown[]) : []))
    .slice(0, MOST_POSITIONS);
}

const isOnEarth = ([longitude, latitude]: Position): boolean => Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;

function allRings(object: 'land'): readonly Ring[] {
  const topology = load('world-atlas/land-110m.json');
  return ringsOf(topology.objects[object]!, topology);
}

function byId(object: 'countries'): ReadonlyMap<string, readonly Ring[]> {
  const topology = load('world-atlas/countries-110m.json');
  return new Map((topology.objects[object]!.geometries ?? []).map((one) => [one.id ?? 'none', ringsOf(one, topology)]));
}

function load(file: string): Topology {
  const require = createRequire(import.meta.url);
  const topology = require(file) as Topology;
  delete require.cache[require.resolve(file)];
  return topology;
}

/** Outer borders and holes alike: an even-odd rule fills them. */
function ringsOf({ geometries = [], arcs = [] }: Geometry, topology: Topology): Ring[] {
  return [
    ...geometries.flatMap((one) => ringsOf(one, topology)),
    ...ringArcs(arcs).map((ring) => unrolled(ring.flatMap((arc) => positionsOf(arc, topology)))),
  ];
}

/** Without a jump where it crosses the 180th meridian: its longitudes go on. What goes around a pole is closed there. */
function unrolled(ring: Ring): Ring {
  let circles = 0;
  const places = ring.map(([longitude, latitude], i): Position => {
    const leap = i === 0 ? 0 : longitude - ring[i - 1]![0];
    if (Math.abs(leap) > 180) circles -= Math.sign(leap);
    return [longitude + 360 * circles, latitude];
  });
  const [first, last] = [places[0]!, places.at(-1)!];
  if (Math.abs(last[0] - first[0]) < 180) return places;
  const pole = Math.sign(first[1]) * 90;
  return [...places, [last[0], pole], [first[0], pole]];
}

const ringArcs = (arcs: readonly unknown[]): (readonly number[])[] =>
  arcs.every((arc) => typeof arc === 'number') ? (arcs.length === 0 ? [] : [arcs]) : arcs.flatMap((part) => ringArcs(part as unknown[]));

/** An arc is named by its number, or by the complement of it where it is followed backwards. */
function positionsOf(arc: number, { transform: { scale, translate }, arcs }: Topology): Position[] {
  let [x, y] = [0, 0];
  const positions = arcs[arc < 0 ? ~arc : arc]!.map(([dx, dy]): Position => {
    [x, y] = [x + dx, y + dy];
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
  return arc < 0 ? positions.toReversed() : positions;
}
