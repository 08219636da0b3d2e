import { atPointer } from '#kernel';
import { type Dossier, type LotExporter, type Step } from '../dossier.js';
import { plotsMissing, plotsUnfit, tooLarge } from '../errors.js';
import { type Json, isObject, textAt } from '../json.js';

/** Reg. (EU) 2023/1115, Art. 2(28): above it a plot is a polygon, unless cattle is kept there. */
const POINT_HECTARES = 4;
/** What the information system takes. */
const MAX_BYTES = 25_000_000;

/**
 * Due diligence: the plots that everything in the lot grew on, as GeoJSON for the information system of the EUDR. All of them or none:
 * goods of unknown origin make a whole shipment non-compliant (domain-decisions §1).
 */
export const exporter: LotExporter = {
  name: 'eudr',
  mediaType: 'application/geo+json',
  about: 'Plots of origin for a due diligence statement (Regulation (EU) 2023/1115), GeoJSON FeatureCollection',
  needsFootprint: false,
  write(dossier) {
    const origins = originsOf(dossier);
    const without = origins.filter(({ plots }) => plots.length === 0);
    if (without.length > 0) throw plotsMissing(without.map(({ tlc }) => tlc));
    const found = origins.flatMap(({ step, plots, tlc, isCattle }) => plots.map((plot) => featureOf(step!, plot, tlc, isCattle)));
    const faults = found.filter(({ fault }) => fault !== null);
    if (faults.length > 0) throw plotsUnfit(faults.map(({ tlc, fault }) => ({ tlc, fault: fault! })));
    // The same plot stands for every harvest from it.
    const text = `{"type":"FeatureCollection","features":[${[...new Set(found.map((one) => one.text))].toSorted().join(',\n')}]}\n`;
    if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge('25 MB');
    return text;
  },
};

interface Origin {
  readonly tlc: string;
  readonly isCattle: boolean;
  readonly step: Step | null;
  readonly plots: readonly Json[];
}

/** Lots that were made from no other, with what the event that made them says about their land. */
function originsOf(dossier: Dossier): Origin[] {
  return [...dossier.lots.values()].flatMap((lot): Origin[] => {
    const step = dossier.mints.get(lot.tokenId) ?? null;
    if (step !== null && step.account.event.inputs.length > 0) return [];
    return [{ tlc: lot.tlc, isCattle: /^(0102|020[12])/.test((lot.hsCode ?? '').replaceAll('.', '')), step, plots: plotsOf(step) }];
  });
}

function plotsOf(step: Step | null): Json[] {
  const metadata = step?.account.event.metadata ?? {};
  const at = (name: string): unknown => atPointer(metadata, step?.account.process?.fields[name] ?? `/${name}`);
  const all = at('plots');
  const plots = Array.isArray(all) ? (all as unknown[]) : [at('plot')];
  // A plot whose geometry the reader may not see is none to him.
  return plots.filter(isObject).filter(({ geometry }) => isObject(geometry));
}

function featureOf({ account: { event }, party }: Step, plot: Json, tlc: string, isCattle: boolean) {
  const { metadata, location } = event;
  const producer = atPointer(metadata ?? {}, '/producer');
  const country = textAt(metadata, 'countryOfProduction') ?? textAt(location, 'country');
  const area = typeof plot['areaHa'] === 'number' ? plot['areaHa'] : null;
  const geometry = plot['geometry'] as Json;
  const properties = {
    ProducerName: typeof producer === 'string' ? producer : (textAt(producer, 'name') ?? party?.name ?? textAt(location, 'name')),
    ProducerCountry: country,
    ProductionPlace: textAt(plot, 'name') ?? textAt(plot, 'id') ?? textAt(location, 'name'),
    ...(area !== null && { Area: area }),
  };
  return { tlc, fault: faultOf(geometry, area, country, isCattle), text: featureText(properties, geometry) };
}

const featureText = (properties: object, { type, coordinates }: Json): string =>
  `{"type":"Feature","properties":${JSON.stringify(properties)},"geometry":{"type":${JSON.stringify(type)},"coordinates":${written(coordinates)}}}`;

function faultOf({ type, coordinates }: Json, area: number | null, country: string | null, isCattle: boolean): string | null {
  if (country === null || !/^[A-Z]{2}$/.test(country)) return 'the country of production is not known';
  if (type !== 'Point' && type !== 'Polygon' && type !== 'MultiPolygon') return 'its geometry is no point and no polygon';
  if (!positionsOf(coordinates).every(isOnEarth)) return 'its geometry is not longitude and latitude in degrees';
  if (type !== 'Point') return ringsOf(type, coordinates).every(isClosed) ? null : 'a ring of its polygon is not closed';
  return area !== null && area > POINT_HECTARES && !isCattle ? `above ${POINT_HECTARES} ha it must be a polygon` : null;
}

const isPosition = (value: unknown): value is readonly number[] => Array.isArray(value) && typeof value[0] === 'number';
const isOnEarth = ([longitude, latitude]: readonly number[]): boolean => Math.abs(longitude!) <= 180 && Math.abs(latitude ?? NaN) <= 90;

function positionsOf(coordinates: unknown): (readonly number[])[] {
  if (isPosition(coordinates)) return [coordinates];
  return Array.isArray(coordinates) && coordinates.length > 0 ? (coordinates as unknown[]).flatMap(positionsOf) : [[NaN]];
}

const ringsOf = (type: string, coordinates: unknown): unknown[] =>
  type === 'Polygon' ? (coordinates as unknown[]) : (coordinates as unknown[][]).flat();

function isClosed(ring: unknown): boolean {
  if (!Array.isArray(ring) || ring.length < 4 || !(ring as unknown[]).every(isPosition)) return false;
  const [first, last] = [ring[0] as readonly number[], ring.at(-1) as readonly number[]];
  return first[0] === last[0] && first[1] === last[1];
}

/** Longitude, latitude, with the six decimals that the regulation asks for. */
function written(coordinates: unknown): string {
  if (isPosition(coordinates)) return `[${coordinates.slice(0, 2).map(decimals).join(',')}]`;
  return `[${(coordinates as unknown[]).map(written).join(',')}]`;
}

function decimals(value: number): string {
  const given = String(value);
  return given.includes('e') || (given.split('.')[1]?.length ?? 0) < 6 ? value.toFixed(6) : given;
}
