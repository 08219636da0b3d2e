import { countries } from './country-borders.js';
import { waterAt } from './waters.js';

/**
 * The geometry of a plot of land against Regulation (EU) 2023/1115, Art. 2(28) and 9(1)(d), for alerts and for exports alike
 * (docs/spec/domain.md#eudr).
 */
export interface PlotLimits {
  /** Above it a plot is a polygon. */
  readonly polygonAboveHa: number;
  readonly decimals: number;
  /** Part of the declared area by which the polygon may be larger or smaller. */
  readonly areaTolerance: number;
}

export const PLOT_LIMITS: PlotLimits = { polygonAboveHa: 4, decimals: 6, areaTolerance: 0.2 };

export interface Plot {
  /** GeoJSON as it was recorded; nothing is known about it. */
  readonly geometry: unknown;
  readonly areaHa: number | null;
  /** ISO 3166-1; null: not judged by it. */
  readonly country: string | null;
  /** Establishments of cattle may be points, however large they are. */
  readonly isCattle?: boolean;
  /** Name of the island that it is on, where the maps may lack it. */
  readonly island?: string | null;
}

export interface PlotFault {
  readonly code:
    | 'no_geometry'
    | 'not_degrees'
    | 'no_polygon'
    | 'few_decimals'
    | 'ring_open'
    | 'ring_crossing'
    | 'area_differs'
    | 'outside_country'
    | 'in_water'
    | 'near_water';
  readonly message: string;
  /** The maps cannot tell: somebody should look, and nothing is refused. */
  readonly isWarning?: true;
}

/** Longitude, latitude (RFC 7946 §3.1.1). */
type Position = readonly [number, number];
type Ring = readonly Position[];

interface Shape {
  readonly type: unknown;
  /** Of all polygons: the first ring of each is its border, the others are holes. */
  readonly polygons: readonly (readonly Ring[])[];
  readonly points: readonly Position[];
}

export function plotFaults(plot: Plot, limits: PlotLimits = PLOT_LIMITS): PlotFault[] {
  const shape = shapeOf(plot.geometry);
  const faults: PlotFault[] = [];
  const add = (code: PlotFault['code'], message: string): void => void faults.push({ code, message });
  if (shape.type !== undefined && shape.points.length === 0 && shape.polygons.length === 0)
    add('no_geometry', 'its geometry is neither a point nor a polygon');
  const { areaHa } = plot;
  if (areaHa !== null && areaHa > limits.polygonAboveHa && shape.polygons.length === 0 && !plot.isCattle)
    add('no_polygon', `it has ${areaHa} ha and no polygon: above ${limits.polygonAboveHa} ha it must be a polygon`);
  const decimals = shape.points.flat().reduce((most, value) => Math.max(most, decimalsOf(value)), 0);
  // Numbers lose their trailing zeros, so the finest coordinate counts for all of them.
  if (shape.points.length > 0 && decimals < limits.decimals)
    add('few_decimals', `its coordinates have ${decimals} decimals, and not ${limits.decimals}`);
  ringFaults(shape, areaHa, limits, add);
  if (!shape.points.every(isOnEarth)) add('not_degrees', 'its geometry is not longitude and latitude in degrees');
  else {
    const outside = plot.country === null ? undefined : sampled(shape.points).find((point) => isInside(plot.country!, point) === false);
    if (outside) add('outside_country', `its point (${written(outside)}) is outside ${plot.country}`);
    const wet = waterFault(shape.points, plot.island ?? null);
    if (wet) faults.push(wet);
  }
  return faults;
}

/** Land of the map that is nearer than this may be under the plot: coasts and shores are simplified. */
const SHORE_KM = 5;

function waterFault(points: readonly Position[], island: string | null): PlotFault | null {
  const wet = sampled(points).flatMap((point) => {
    const water = waterAt(point);
    return water ? [{ point, ...water }] : [];
  });
  const [farthest] = wet.toSorted((a, b) => b.km - a.km);
  if (!farthest) return null;
  const place = `its point (${written(farthest.point)}) is in ${farthest.kind === 'sea' ? 'the sea' : 'a lake'} on the map`;
  if (farthest.km <= SHORE_KM)
    return {
      code: 'near_water',
      message: `${place}, ${farthest.km.toFixed(1)} km from land, which the map cannot tell from the shore`,
      isWarning: true,
    };
  if (island !== null) return { code: 'near_water', message: `${place}, which lacks the island ${island}`, isWarning: true };
  return {
    code: 'in_water',
    message: `${place}, more than ${SHORE_KM} km from land; if it is on an island that the map lacks, name it in island`,
  };
}

const written = (point: Position): string => point.map((value) => value.toFixed(4)).join(', ');

function ringFaults(
  { polygons }: Shape,
  areaHa: number | null,
  limits: PlotLimits,
  add: (code: PlotFault['code'], message: string) => void,
): void {
  const rings = polygons.flat();
  if (rings.length === 0) return;
  if (!rings.every(isClosed)) return add('ring_open', 'a ring of its polygon is not closed');
  const crossings = polygons.map(crossesItself);
  if (crossings.includes(true)) return add('ring_crossing', 'its border crosses itself');
  if (crossings.includes(null)) return add('ring_crossing', 'its border has too many sides above each other to be checked');
  const measured = polygons.reduce((sum, polygon) => sum + hectaresOf(polygon), 0);
  if (measured === 0) return add('ring_crossing', 'its border encloses nothing');
  if (areaHa !== null && Math.abs(measured - areaHa) > Math.max(limits.areaTolerance * areaHa, SMALLEST_HA))
    add('area_differs', `its polygon has ${measured.toPrecision(3)} ha, and ${areaHa} ha were declared`);
}

/** Area of a GeoJSON polygon in hectares; null for another geometry. */
export function plotHectares(geometry: unknown): number | null {
  const { polygons } = shapeOf(geometry);
  return polygons.length === 0 ? null : polygons.reduce((sum, polygon) => sum + hectaresOf(polygon), 0);
}

function shapeOf(geometry: unknown): Shape {
  const { type, coordinates } = (typeof geometry === 'object' && geometry !== null ? geometry : {}) as Readonly<Record<string, unknown>>;
  const polygons = (
    type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' && Array.isArray(coordinates) ? (coordinates as unknown[]) : []
  )
    .filter((polygon): polygon is unknown[] => Array.isArray(polygon) && polygon.length > 0)
    .map((polygon) => polygon.map(positions));
  return { type, polygons, points: type === 'Point' ? positions([coordinates]) : polygons.flat(2) };
}

const positions = (list: unknown): Position[] => (Array.isArray(list) ? (list as unknown[]).filter(isPosition) : []);
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && value.length >= 2 && Number.isFinite(value[0]) && Number.isFinite(value[1]);
const isOnEarth = ([longitude, latitude]: Position): boolean => Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
const isSame = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1];
const isClosed = (ring: Ring): boolean => ring.length >= 4 && isSame(ring[0]!, ring.at(-1)!);

/** Decimals of a coordinate as written. A very small number is written with an exponent and has enough. */
function decimalsOf(value: number): number {
  const text = String(value);
  return text.includes('e') ? 15 : (text.split('.')[1]?.length ?? 0);
}

/** Differences below it come from the survey. */
const SMALLEST_HA = 0.1;
/** Of a sphere with the surface of the earth, in metres. */
const EARTH_RADIUS = 6_371_007.2;
const SQUARE_METRES = 10_000;

/** On a sphere, which is right to half a per cent (Chamberlain and Duquette 2007). Holes do not count. */
const hectaresOf = ([border, ...holes]: readonly Ring[]): number =>
  Math.max(0, ringHectares(border!) - holes.reduce((sum, hole) => sum + ringHectares(hole), 0));

function ringHectares(ring: Ring): number {
  let sum = 0;
  for (let i = 0; i + 1 < ring.length; i++) {
    const [[west, south], [east, north]] = [ring[i]!, ring[i + 1]!];
    sum += radians(east - west) * (2 + Math.sin(radians(south)) + Math.sin(radians(north)));
  }
  return Math.abs((sum * EARTH_RADIUS ** 2) / 2) / SQUARE_METRES;
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

interface Side {
  readonly from: Position;
  readonly to: Position;
  readonly ring: number;
  readonly place: number;
  /** How many sides the ring has. */
  readonly of: number;
}

/** Pairs of sides that are compared; borders of real plots need a small part of it. */
const MOST_PAIRS = 5_000_000;

/** Whether two sides that are not neighbours meet; null: too costly to find out. Sides are compared where they overlap from west to east. */
function crossesItself(rings: readonly Ring[]): boolean | null {
  const sides = rings.flatMap(sidesOf).toSorted((a, b) => westOf(a) - westOf(b));
  let pairs = 0;
  for (const [i, side] of sides.entries()) {
    const end = Math.max(side.from[0], side.to[0]);
    for (let j = i + 1; j < sides.length && westOf(sides[j]!) <= end; j++) {
      if (++pairs > MOST_PAIRS) return null;
      if (!areNeighbours(side, sides[j]!) && meet(side.from, side.to, sides[j]!.from, sides[j]!.to)) return true;
    }
  }
  return false;
}

function sidesOf(ring: Ring, number: number): Side[] {
  const corners = ring.filter((point, i) => i === 0 || !isSame(point, ring[i - 1]!));
  const of = corners.length - 1;
  return corners.slice(1).map((to, place) => ({ from: corners[place]!, to, ring: number, place, of }));
}

const westOf = ({ from, to }: Side): number => Math.min(from[0], to[0]);
const areNeighbours = (a: Side, b: Side): boolean => {
  const apart = Math.abs(a.place - b.place);
  return a.ring === b.ring && (apart === 1 || apart === a.of - 1);
};

/** Sign of the area of a triangle: on which side of a → b the point c is. */
const side = (a: Position, b: Position, c: Position): number => Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));

function meet(a: Position, b: Position, c: Position, d: Position): boolean {
  const [sideC, sideD, sideA, sideB] = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
  if (sideC !== sideD && sideA !== sideB) return true;
  return (
    (sideC === 0 && within(a, b, c)) ||
    (sideD === 0 && within(a, b, d)) ||
    (sideA === 0 && within(c, d, a)) ||
    (sideB === 0 && within(c, d, b))
  );
}

const within = (a: Position, b: Position, p: Position): boolean =>
  Math.min(a[0], b[0]) <= p[0] && p[0] <= Math.max(a[0], b[0]) && Math.min(a[1], b[1]) <= p[1] && p[1] <= Math.max(a[1], b[1]);

/** Points of a border that are looked up in the countries of the world. */
const MOST_SAMPLES = 64;
const sampled = (points: readonly Position[]): readonly Position[] => {
  const every = Math.ceil(points.length / MOST_SAMPLES);
  return points.filter((_, i) => i % every === 0);
};

/** Borders are simplified and a plot may touch one, so the country may begin this far from the point, in degrees (about 1 km). */
const TOLERANCE = 0.01;

/** Whether a point is in a country or territory, its waters included; null for a country without known borders. */
function isInside(country: string, [longitude, latitude]: Position): boolean | null {
  const { feature, featuresContaining } = countries();
  const known = /^[A-Z]{2}$/.test(country) ? feature(country) : null;
  if (known === null) return null;
  const around = featuresContaining([longitude - TOLERANCE, latitude - TOLERANCE, longitude + TOLERANCE, latitude + TOLERANCE]);
  return around.some(({ properties }) => properties.id === known.properties.id);
}
