/** Longitude and latitude in degrees. */
export type Position = readonly [longitude: number, latitude: number];

/** A place on the map: the world is 1 wide, from west to east and from north to south. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Nearer to a pole the map would have no end. */
const MOST_LATITUDE = 85;

/** Web Mercator, as map tiles have it. */
export function pointOf([longitude, latitude]: Position): Point {
  const bounded = Math.max(-MOST_LATITUDE, Math.min(MOST_LATITUDE, latitude));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** What is seen: the middle of the map, and how many pixels the world is wide. */
export interface View extends Point {
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const LEAST_SCALE = 300;
const MOST_SCALE = 256 * 2 ** 18;
/** A single place is seen with the country around it: nearer, the coast of so coarse a map says nothing. */
const NEAREST = 6_000;
const MARGIN = 50;

/** The view in which all points are seen. */
export function viewOf(points: readonly Point[], { width, height }: Size): View {
  if (points.length === 0) return { x: 0.5, y: 0.4, scale: Math.max(LEAST_SCALE, width) };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [west, east, north, south] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const fits = Math.min((width - 2 * MARGIN) / Math.max(east - west, 1e-9), (height - 2 * MARGIN) / Math.max(south - north, 1e-9));
  return { x: (west + east) / 2, y: (north + south) / 2, scale: Math.max(LEAST_SCALE, Math.min(NEAREST, fits)) };
}

/** Nearer or farther, with the point under the finger where it was. @param at from the middle of the map, in pixels */
export function zoomed({ x, y, scale }: View, by: number, at: Point = { x: 0, y: 0 }): View {
  const next = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale * by));
  return bounded({ x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next, scale: next });
}

export const moved = ({ x, y, scale }: View, by: Point): View => bounded({ x: x + by.x / scale, y: y + by.y / scale, scale });

/** The middle stays on the earth. */
const bounded = ({ x, y, scale }: View): View => ({ x: Math.max(0, Math.min(1, x)), y: Math.max(0, Math.min(1, y)), scale });

/** Where a point is seen, in pixels. */
export const seenAt = ({ x, y }: Point, view: View, { width, height }: Size): Point => ({
  x: width / 2 + (x - view.x) * view.scale,
  y: height / 2 + (y - view.y) * view.scale,
});

/** Those that would hide each other are one, at the place of the first. O(n). @param apart pixels */
export function clustered<T extends Point>(seen: readonly T[], apart: number): readonly (readonly T[])[] {
  const cells = new Map<string, T[]>();
  for (const one of seen) {
    const [column, row] = [Math.round(one.x / apart), Math.round(one.y / apart)];
    const near = nearIn(cells, column, row).find(([first]) => Math.hypot(first!.x - one.x, first!.y - one.y) < apart);
    if (near) near.push(one);
    else cells.set(`${column} ${row}`, [one]);
  }
  return [...cells.values()];
}

const AROUND = [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((down) => [right, down] as const));
function nearIn<T>(cells: ReadonlyMap<string, T[]>, column: number, row: number): T[][] {
  return AROUND.map(([right, down]) => cells.get(`${column + right} ${row + down}`)).filter((cell) => cell !== undefined);
}
