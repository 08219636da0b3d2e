import type { Circumstances } from './circumstances.js';
import { liesIn } from './country-borders.js';
import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts } from './facts.js';
import { type Position, centre, crossesItself, isClosed } from './ring.js';
import type { Rule } from './rule.js';
import { counted } from './words.js';

const MOST_PLOTS = 1_000;

/** The plots of an event (`metadata.plot` or `plots`), as Reg. (EU) 2023/1115 Art. 2(28) wants them. One alert for each plot. */
export const geoQuality: Rule<EventFacts> = {
  type: 'GEO_QUALITY',
  recommendation: 'Survey the plot again: a closed polygon above 4 ha, six decimals, longitude before latitude (RFC 7946).',
  reference: 'Reg. (EU) 2023/1115 Art. 2(28)',
  headline: (count, group) => `The geometry of ${counted(count, 'plot')}${group && ` of ${group}`} is not good enough`,
  judge: (event, at) =>
    plotsOf(event).flatMap((plot, index) => {
      const faults = faultsOf(plot, event.country, at);
      if (faults.length === 0) return [];
      const name = typeof plot['id'] === 'string' ? plot['id'] : String(index + 1);
      return [
        aboutEvent('GEO_QUALITY', 'medium', event, {
          key: name,
          title: `Plot ${name} of ${calling(event)} is not well surveyed`,
          detail: `${faults.map(({ says }) => says).join('; ')}.`,
          evidence: { plot: name, faults: faults.map(({ code }) => code), areaHa: plot['areaHa'] ?? null, country: event.country },
          threshold: { plotAreaHa: at.thresholds.plotAreaHa, coordinateDecimals: at.thresholds.coordinateDecimals },
        }),
      ];
    }),
};

type Plot = Readonly<Record<string, unknown>>;
interface Fault {
  readonly code: 'no_polygon' | 'few_decimals' | 'ring_open' | 'ring_crossing' | 'outside_country';
  readonly says: string;
}

function plotsOf({ metadata }: EventFacts): Plot[] {
  const plots = Array.isArray(metadata['plots']) ? (metadata['plots'] as unknown[]) : [metadata['plot']];
  return plots.slice(0, MOST_PLOTS).filter(isObject);
}

function faultsOf(plot: Plot, country: string | null, { thresholds }: Circumstances): Fault[] {
  const geometry = isObject(plot['geometry']) ? plot['geometry'] : {};
  const rings = geometry['type'] === 'Polygon' && Array.isArray(geometry['coordinates']) ? geometry['coordinates'].map(positions) : [];
  const points = geometry['type'] === 'Point' ? positions([geometry['coordinates']]) : rings.flat();
  const faults: Fault[] = [];
  const area = plot['areaHa'];
  if (typeof area === 'number' && area > thresholds.plotAreaHa && rings.length === 0)
    faults.push({ code: 'no_polygon', says: `it has ${area} ha and no polygon` });
  const decimals = points.flat().reduce((most, value) => Math.max(most, decimalsOf(value)), 0);
  // Numbers lose their trailing zeros, so the finest coordinate speaks for all.
  if (points.length > 0 && decimals < thresholds.coordinateDecimals)
    faults.push({ code: 'few_decimals', says: `its coordinates have ${counted(decimals, 'decimal')}` });
  if (rings.some((ring) => !isClosed(ring))) faults.push({ code: 'ring_open', says: 'its ring does not end where it began' });
  if (rings.some(crossesItself)) faults.push({ code: 'ring_crossing', says: 'its ring crosses itself' });
  const middle = centre(rings[0] ?? points);
  if (middle && country !== null && liesIn(country, middle) === false)
    faults.push({
      code: 'outside_country',
      says: `its centre (${middle.map((value) => value.toFixed(4)).join(', ')}) lies outside ${country}`,
    });
  return faults;
}

function positions(list: unknown): Position[] {
  return Array.isArray(list) ? list.filter(isPosition) : [];
}

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && value.length >= 2 && Number.isFinite(value[0]) && Number.isFinite(value[1]);
const isObject = (value: unknown): value is Plot => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a coordinate as it is written; a very small one is written with an exponent and has plenty. */
function decimalsOf(value: number): number {
  const text = String(value);
  return text.includes('e') ? 15 : (text.split('.')[1]?.length ?? 0);
}
