import { isInCountry } from './country-borders.js';
import { type Position, type Shape, crossesItself, hectaresOf, isClosed, shapeOf } from './shapes.js';
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
    const outside = plot.country === null ? undefined : sampled(shape.points).find((point) => isInCountry(plot.country!, point) === false);
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

/** Differences below it come from the survey. */
const SMALLEST_HA = 0.1;

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

const isOnEarth = ([longitude, latitude]: Position): boolean => Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;

/** Decimals of a coordinate as written. A very small number is written with an exponent and has enough. */
function decimalsOf(value: number): number {
  const text = String(value);
  return text.includes('e') ? 15 : (text.split('.')[1]?.length ?? 0);
}

/** Points of a border that are looked up in the countries of the world. */
const MOST_SAMPLES = 64;
const sampled = (points: readonly Position[]): readonly Position[] => {
  const every = Math.ceil(points.length / MOST_SAMPLES);
  return points.filter((_, i) => i % every === 0);
};
