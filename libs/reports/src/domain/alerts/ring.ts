/** Longitude, latitude (RFC 7946 §3.1.1). */
export type Position = readonly [number, number];

const MOST_POINTS = 1_000;

export const isClosed = (ring: readonly Position[]): boolean => ring.length >= 4 && same(ring[0]!, ring.at(-1)!);

/**
 * Whether two sides that are no neighbours meet. Rings of more than a thousand points are not looked at: the work grows with the square
 * of their number.
 */
export function crossesItself(ring: readonly Position[]): boolean {
  const sides = ring.length - 1;
  if (ring.length > MOST_POINTS) return false;
  for (let i = 0; i < sides; i++)
    for (let j = i + 2; j < sides; j++) {
      if (i === 0 && j === sides - 1 && isClosed(ring)) continue;
      if (meet(ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!)) return true;
    }
  return false;
}

/** Middle of the box around the points, which is enough to tell the country. */
export function centre(points: readonly Position[]): Position | null {
  if (points.length === 0) return null;
  const [x, y] = [points.map(([longitude]) => longitude), points.map(([, latitude]) => latitude)];
  return [(least(x) + most(x)) / 2, (least(y) + most(y)) / 2];
}

const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));
const same = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1];

/** Sign of the area of a triangle: on which side of a → b the point c lies. */
const side = (a: Position, b: Position, c: Position): number => Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));

function meet(a: Position, b: Position, c: Position, d: Position): boolean {
  const [ofC, ofD, ofA, ofB] = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
  if (ofC !== ofD && ofA !== ofB) return true;
  return (
    (ofC === 0 && within(a, b, c)) || (ofD === 0 && within(a, b, d)) || (ofA === 0 && within(c, d, a)) || (ofB === 0 && within(c, d, b))
  );
}

const within = (a: Position, b: Position, p: Position): boolean =>
  Math.min(a[0], b[0]) <= p[0] && p[0] <= Math.max(a[0], b[0]) && Math.min(a[1], b[1]) <= p[1] && p[1] <= Math.max(a[1], b[1]);
