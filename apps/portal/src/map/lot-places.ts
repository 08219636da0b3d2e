import type { EventView, OrganisationView } from '#client';
import { countryName } from '../record/countries.js';
import { middleOf } from './geojson.js';
import type { Position } from './mercator.js';

/** A place on the way of a lot. */
export interface LotPlace {
  readonly key: string;
  readonly name: string;
  readonly country: string | null;
  /** Null where nothing says where it is. */
  readonly at: Position | null;
  /** Whether that is the place itself, and not the middle of its country. */
  readonly exact: boolean;
  readonly geometry: unknown;
  readonly plots: readonly string[];
  readonly processes: readonly string[];
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** What its company holds now. */
  readonly holds: string | null;
}

/** Goods went from one place to another. */
export interface LotMove {
  readonly from: string;
  readonly to: string;
  readonly firstAt: string | null;
  readonly lots: number;
}

export interface Holder {
  readonly name: string;
  readonly organisation: OrganisationView | null;
  readonly amount: string;
}

/** What is known of places apart from the events. */
export interface Gazetteer {
  readonly organisations: readonly OrganisationView[];
  /** The middle of each country. */
  readonly middles: Readonly<Record<string, Position>>;
}

type Recorded = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Recorded => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const GLN_LINK = /\/414\/(\d{13})$/;
const glnOf = (location: Recorded): string | null => textOf(location['gln']) ?? GLN_LINK.exec(textOf(location['id']) ?? '')?.[1] ?? null;

/** Where the events of a tree happened, in the order of their time, and how the goods went from place to place. */
export function wayOf(
  events: readonly EventView[],
  gazetteer: Gazetteer,
): { readonly places: readonly LotPlace[]; readonly moves: readonly LotMove[] } {
  const places = new Map<string, LotPlace>();
  const moves = new Map<string, OpenMove>();
  const placeOfLot = new Map<number, string>();
  for (const event of events.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))) {
    const key = addPlaces(places, event, gazetteer);
    if (key === null) continue;
    const lots = [...event.inputTokenIds, ...event.outputTokenIds];
    for (const lot of lots) {
      const from = placeOfLot.get(lot);
      if (from !== undefined && from !== key) addMove(moves, { from, to: key, lot, at: timeOf(event) });
    }
    for (const lot of lots) placeOfLot.set(lot, key);
  }
  return {
    places: [...places.values()],
    moves: [...moves.values()].map(({ from, to, firstAt, tokens }) => ({ from, to, firstAt, lots: tokens.size })),
  };
}

const timeOf = ({ eventTime, recordTime }: EventView): string => new Date(eventTime ?? recordTime).toISOString();

interface OpenMove extends Omit<LotMove, 'lots'> {
  readonly tokens: ReadonlySet<number>;
}

function addMove(
  moves: Map<string, OpenMove>,
  { from, to, lot, at }: { readonly from: string; readonly to: string; readonly lot: number; readonly at: string },
): void {
  const known = moves.get(`${from}>${to}`);
  const tokens = new Set([...(known?.tokens ?? []), lot]);
  moves.set(`${from}>${to}`, { from, to, firstAt: known?.firstAt ?? at, tokens });
}

/** @returns the key of the place where the event happened; null where it states none */
function addPlaces(places: Map<string, LotPlace>, event: EventView, gazetteer: Gazetteer): string | null {
  const stated = isRecord(event.location) ? placeOf(event.location, gazetteer) : null;
  let main = stated && joined(places.get(stated.key) ?? stated, event);
  for (const plot of plotsOf(event.metadata)) {
    const at = middleOf(plot['geometry'])!;
    const name = textOf(plot['name']) ?? textOf(plot['id']) ?? '';
    if (main && (!main.exact || isNear(main.at!, at) || main.plots.includes(name)))
      main = {
        ...main,
        at: main.exact ? main.at : at,
        exact: true,
        geometry: plot['geometry'],
        plots: [...new Set([...main.plots, name])],
      };
    else {
      const key = `plot ${name} ${at.join()}`;
      const own = {
        key,
        name,
        country: stated?.country ?? null,
        at,
        exact: true,
        geometry: plot['geometry'],
        plots: [name],
        ...NOTHING_YET,
      };
      places.set(key, joined(places.get(key) ?? own, event));
      main ??= places.get(key)!;
    }
  }
  if (main) places.set(main.key, main);
  return main?.key ?? null;
}

const NOTHING_YET = { processes: [], firstAt: null, lastAt: null, holds: null } as const;

function joined(place: LotPlace, event: EventView): LotPlace {
  const at = timeOf(event);
  const process = event.processLabel ?? event.processType;
  return {
    ...place,
    processes: process === null ? place.processes : [...new Set([...place.processes, process])],
    firstAt: place.firstAt ?? at,
    lastAt: at,
  };
}

/** About ten metres. */
const NEAR = 0.0001;
const isNear = (a: Position, b: Position): boolean => Math.abs(a[0] - b[0]) < NEAR && Math.abs(a[1] - b[1]) < NEAR;

function plotsOf(metadata: unknown): readonly Recorded[] {
  const { plot, plots } = isRecord(metadata) ? metadata : {};
  const all: readonly unknown[] = Array.isArray(plots) ? plots : [plot];
  return all.filter(isRecord).filter(({ geometry }) => middleOf(geometry) !== null);
}

function placeOf(location: Recorded, { organisations, middles }: Gazetteer): LotPlace | null {
  const gln = glnOf(location);
  const country = textOf(location['country']);
  const name = textOf(location['name']);
  const key = gln ?? textOf(location['id']) ?? (name === null ? country : `${name} ${country ?? ''}`);
  if (key === null) return null;
  const exact = middleOf(location['geo']) ?? middleOf(location) ?? positionOfGln(gln, organisations);
  const at = exact ?? (country === null ? null : (middles[country] ?? null));
  const called = name ?? key;
  // A code says little to people.
  const shown = called === country ? (countryName(called) ?? called) : called;
  return { key, name: shown, country, at, exact: exact !== null, geometry: undefined, plots: [], ...NOTHING_YET };
}

const positionOfSite = (location: Recorded | null): Position | null => middleOf(location?.['geo']) ?? middleOf(location);

function positionOfGln(gln: string | null, organisations: readonly OrganisationView[]): Position | null {
  if (gln === null) return null;
  const site = organisations.flatMap(({ sites }) => sites).find((one) => one.gln === gln);
  return site ? positionOfSite(site.location) : null;
}

/** Those who hold goods now, at the place of theirs that the events name, else at their first site that says where it is. */
export function withHolders(places: readonly LotPlace[], holders: readonly Holder[], middles: Gazetteer['middles']): readonly LotPlace[] {
  const all = new Map(places.map((place) => [place.key, place]));
  for (const holder of holders) {
    const place = placeOfHolder(holder, [...all.values()], middles);
    all.set(place.key, { ...place, holds: [...(place.holds === null ? [] : [place.holds]), holder.amount].join(', ') });
  }
  return [...all.values()];
}

function placeOfHolder({ name, organisation }: Holder, places: readonly LotPlace[], middles: Gazetteer['middles']): LotPlace {
  const glns = [organisation?.gln, ...(organisation?.sites ?? []).map(({ gln }) => gln)];
  const known = places.findLast(({ key, name: called }) => glns.includes(key) || called === name);
  if (known) return known;
  const site = organisation?.sites.find(({ location }) => positionOfSite(location) !== null);
  const country = textOf(organisation?.sites[0]?.location?.['country']) ?? textOf(organisation?.publicProfile['country']);
  const exact = site ? positionOfSite(site.location) : null;
  const at = exact ?? (country === null ? null : (middles[country] ?? null));
  return { key: `holder ${name}`, name, country, at, exact: exact !== null, geometry: undefined, plots: [], ...NOTHING_YET };
}
