/** Longitude, latitude (RFC 7946 §3.1.1). */
export type Position = readonly [number, number];
export type Ring = readonly Position[];

export interface Shape {
  readonly type: unknown;
  /** Of all polygons: the first ring of each is its border, the others are holes. */
  readonly polygons: readonly (readonly Ring[])[];
  readonly points: readonly Position[];
}

export function shapeOf(geometry: unknown): Shape {
  const { type, coordinates } = (typeof geometry === 'object' && geometry !== null ? geometry : {}) as Readonly<Record<string, unknown>>;
  const polygons = (
    type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' && Array.isArray(coordinates) ? (coordinates as unknown[]) : []
  )
    .filter((polygon): polygon is unknown[] => Array.isArray(polygon) && polygon.length > 0)
    .map((polygon) => polygon.map(positions));
  return { type, polygons, points: type === 'Point' ? positions([coordinates]) : polygons.flat(2) };
}

const positions = (list: unknown): Position[] => (Array.isArray(list) ? (list as unknown[]).filter(isPosition) : []);
export const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && value.length >= 2 && Number.isFinite(value[0]) && Number.isFinite(value[1]);
const isSame = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1];
/** @param value a point or plots of land as GeoJSON, in degrees; lines and collections are no place */
export function isPlace(value: Readonly<Record<string, unknown>>): boolean {
  const { type, coordinates } = value;
  if (type === 'Point') return isInDegrees(coordinates);
  if (type === 'Polygon') return isPolygon(coordinates);
  return type === 'MultiPolygon' && isListOf(coordinates, isPolygon);
}

const isListOf = (value: unknown, is: (one: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every(is);
const isPolygon = (value: unknown): boolean => isListOf(value, (ring) => isListOf(ring, isInDegrees) && isClosed(ring as unknown as Ring));
const isInDegrees = (value: unknown): boolean => isPosition(value) && Math.abs(value[0]) <= 180 && Math.abs(value[1]) <= 90;
export const isClosed = (ring: Ring): boolean => ring.length >= 4 && isSame(ring[0]!, ring.at(-1)!);

/** Of a sphere with the surface of the earth, in metres. */
const EARTH_RADIUS = 6_371_007.2;
const SQUARE_METRES = 10_000;

/** On a sphere, which is right to half a per cent (Chamberlain and Duquette 2007). Holes do not count. */
export const hectaresOf = ([border, ...holes]: readonly Ring[]): number =>
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
export function crossesItself(rings: readonly Ring[]): boolean | null {
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
