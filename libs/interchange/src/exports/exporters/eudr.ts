import { PLOT_LIMITS, plotFaults } from '#geography';
import { atPointer, localDate } from '#kernel';
import { type Json, isObject, textAt } from '../../epcis/json.js';
import { plotsMissing, plotsUnfit, tooLarge } from '../../errors.js';
import { type Dossier, type ExportedLot, type Exporter, type HistoryEntry } from '../dossier.js';
import { Requirements } from '../requirements.js';

/** What the information system accepts. */
const MAX_BYTES = 25_000_000;
/** Reg. (EU) 2023/1115, Art. 2(13): no forest may have been cleared after it. */
const CUT_OFF = '2020-12-31';

/**
 * Due diligence: the plots that everything in the lot grew on, as GeoJSON for the information system of the EUDR, with what Art. 9(1)
 * asks for about the goods. All plots or none: goods of unknown origin make a whole shipment non-compliant (docs/spec/domain.md#eudr).
 */
export const exporter: Exporter = {
  name: 'eudr',
  mediaType: 'application/geo+json',
  about: 'Plots of origin for a due diligence statement (Regulation (EU) 2023/1115), GeoJSON FeatureCollection',
  needsFootprint: false,
  write(dossier) {
    const origins = originsOf(dossier);
    const without = origins.filter(({ plots }) => plots.length === 0);
    if (without.length > 0) throw plotsMissing(without.map(({ lot: { tlc } }) => tlc));
    const found = origins.flatMap(featuresOf);
    const faults = found.flatMap(({ tlc, plot, faults: all }) => all.map((fault) => ({ tlc, plot, fault })));
    if (faults.length > 0) throw plotsUnfit(faults);
    const warnings = found.flatMap(({ tlc, plot, warnings: all }) => all.map((warning) => `plot ${plot} of ${tlc}: ${warning}`));
    const statement = { ...statementOf(dossier, origins), ...(warnings.length > 0 && { warnings }) };
    // A plot is listed once, however many harvests came from it.
    const features = [...new Set(found.map(({ text }) => text))].toSorted();
    const text = `{"type":"FeatureCollection","statement":${JSON.stringify(statement)},"features":[${features.join(',\n')}]}\n`;
    if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge('25 MB');
    return text;
  },
};

interface Origin {
  readonly lot: ExportedLot;
  readonly mint: HistoryEntry | null;
  readonly plots: readonly Json[];
}

/** Lots that were made from no other, with what the event that made them says about their land. */
function originsOf(dossier: Dossier): Origin[] {
  return [...dossier.lots.values()].flatMap((lot): Origin[] => {
    const mint = dossier.mints.get(lot.tokenId) ?? null;
    if (mint !== null && mint.account.event.inputs.length > 0) return [];
    return [{ lot, mint, plots: plotsOf(mint) }];
  });
}

/** A well-known value of the event that made a lot. */
const recordedAt = (mint: HistoryEntry | null, name: string): unknown =>
  atPointer(mint?.account.event.metadata ?? {}, mint?.account.process?.fields[name] ?? `/${name}`);

function plotsOf(mint: HistoryEntry | null): Json[] {
  const all = recordedAt(mint, 'plots');
  const plots = Array.isArray(all) ? (all as unknown[]) : [recordedAt(mint, 'plot')];
  // Plots whose geometry the caller may not see are left out.
  return plots.filter(isObject).filter(({ geometry }) => isObject(geometry));
}

const countryOf = (mint: HistoryEntry | null): string | null =>
  textAt(mint?.account.event.metadata, 'countryOfProduction') ?? textAt(mint?.account.event.location, 'country');

const isCattle = ({ hsCode }: ExportedLot): boolean => /^(0102|020[12])/.test((hsCode ?? '').replaceAll('.', ''));

function featuresOf({ lot, mint, plots }: Origin) {
  const { metadata, location } = mint!.account.event;
  const producer = atPointer(metadata ?? {}, '/producer');
  const country = countryOf(mint);
  return plots.map((plot, i) => {
    const areaHa = typeof plot['areaHa'] === 'number' ? plot['areaHa'] : null;
    const geometry = plot['geometry'] as Json;
    const properties = {
      ProducerName: typeof producer === 'string' ? producer : (textAt(producer, 'name') ?? mint!.party?.name ?? textAt(location, 'name')),
      ProducerCountry: country,
      ProductionPlace: textAt(plot, 'name') ?? textAt(plot, 'id') ?? textAt(location, 'name'),
      ...(areaHa !== null && { Area: areaHa }),
    };
    const found = plotFaults({ geometry, areaHa, country, isCattle: isCattle(lot), island: textAt(plot, 'island') }, PLOT_LIMITS);
    const [warnings, faults] = [true, false].map((isWarning) =>
      found.filter((fault) => (fault.isWarning ?? false) === isWarning).map(({ message }) => message),
    ) as [string[], string[]];
    if (country === null || !/^[A-Z]{2}$/.test(country)) faults.push('the country of production is not known');
    faults.push(...clearingFaults(clearedBefore(plot, mint)));
    return {
      tlc: lot.tlc,
      plot: textAt(plot, 'id') ?? textAt(plot, 'name') ?? String(i + 1),
      faults,
      warnings,
      // Numbers are written as they were recorded: a decimal that nobody measured is not added.
      text: `{"type":"Feature","properties":${JSON.stringify(properties)},"geometry":${JSON.stringify(flat(geometry))}}`,
    };
  });
}

/** Longitude and latitude alone. */
const flat = ({ type, coordinates }: Json): Json => ({ type, coordinates: withoutHeight(coordinates) });
function withoutHeight(coordinates: unknown): unknown {
  if (!Array.isArray(coordinates)) return coordinates;
  return typeof coordinates[0] === 'number' ? (coordinates as unknown[]).slice(0, 2) : (coordinates as unknown[]).map(withoutHeight);
}

/** Since when no forest was cleared there: of the plot, or of the event for all its plots. */
const clearedBefore = (plot: Json, mint: HistoryEntry | null): unknown =>
  plot['deforestationFreeSince'] ?? recordedAt(mint, 'deforestationFreeSince');

function clearingFaults(since: unknown): string[] {
  if (since === undefined || since === null) return [];
  if (!isDay(since)) return ['deforestationFreeSince is not a date'];
  return since > CUT_OFF ? [`free of deforestation only since ${since}, after the cut-off date ${CUT_OFF}`] : [];
}

const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().startsWith(value);

/** What Art. 9(1) and Annex II ask for about the goods. What nobody has to declare here and nobody did is named. */
function statementOf(dossier: Dossier, origins: readonly Origin[]): object {
  const { lot, history } = dossier;
  const required = new Requirements();
  const ofType = `hsCode of the asset type ${lot.assetType ?? lot.name} in the process map`;
  const ofLot = `the mass of lot ${lot.tlc}: its quantity, or massPerUnitKg of its asset type`;
  const hsCode = required.recorded(lot.hsCode, '/statement/hsCode', ofType);
  const netMassKg = required.recorded(lot.massKg, '/statement/netMassKg', ofLot);
  const produced = origins.map(({ mint, lot: { tlc } }, i) => periodOf(mint, tlc, `/statement/origins/${i}`, required));
  const references = referencesIn(history, required);
  required.settle();
  return {
    regulation: 'Regulation (EU) 2023/1115',
    lot: lot.tlc,
    description: lot.name,
    hsCode,
    netMassKg,
    ...(lot.quantity !== null && { quantity: Number(lot.quantity), uom: lot.uom }),
    ...originWords(origins),
    producedFrom: produced.map(({ from }) => from).toSorted()[0],
    producedTo: produced
      .map(({ to }) => to)
      .toSorted()
      .at(-1),
    cutOff: CUT_OFF,
    ...(references.length > 0 && { dueDiligenceStatements: references }),
    origins: origins.map(({ lot: { tlc, hsCode: code, massKg }, plots }, i) => ({
      lot: tlc,
      ...(code !== null && { hsCode: code }),
      ...(massKg !== null && { netMassKg: massKg }),
      ...produced[i],
      plots: plots.length,
    })),
    notRecorded: [...(areFree(origins) ? [] : ['deforestationFreeSince']), ...(references.length > 0 ? [] : ['dds'])],
  };
}

function originWords(origins: readonly Origin[]): object {
  const countries = new Set(origins.flatMap(({ mint }) => countryOf(mint) ?? []));
  const names = new Set(origins.flatMap(({ mint }) => textAt({ name: recordedAt(mint, 'scientificName') }, 'name') ?? []));
  return { countriesOfProduction: [...countries].toSorted(), ...(names.size > 0 && { scientificNames: [...names].toSorted() }) };
}

const areFree = (origins: readonly Origin[]): boolean =>
  origins.every(({ plots, mint }) => plots.every((plot) => isDay(clearedBefore(plot, mint))));

interface Period {
  readonly from: string;
  readonly to: string;
}

/** Art. 9(1)(d): the date or time range of production; without one, the day of the event. */
function periodOf(mint: HistoryEntry | null, tlc: string, at: string, required: Requirements): Period {
  const { eventTime = null, eventTimeZoneOffset = null } = mint?.account.event ?? {};
  const day = eventTime === null ? null : localDate(new Date(eventTime), eventTimeZoneOffset);
  const range = recordedAt(mint, 'productionPeriod');
  const date = recordedAt(mint, 'productionDate') ?? recordedAt(mint, 'harvestedOn') ?? day;
  const [from, to] = isObject(range) ? [range['from'], range['to']] : [date, date];
  if (isDay(from) && isDay(to) && from <= to && (day === null || to <= day)) return { from, to };
  if (required.recorded(from, `${at}/from`, `the date of production of ${tlc} (productionDate, or productionPeriod)`) !== null) {
    const stated = `${JSON.stringify(from)} to ${JSON.stringify(to ?? null)}`;
    const until = day === null ? '' : `, and not after the event of ${day}`;
    required.holds(false, `${at}/from`, `the production of ${tlc}, ${stated}: days in their order${until}`);
  }
  return { from: '', to: '' };
}

/** Statements that were filed before: `dds` of an event of the lot's history, one or several. */
function referencesIn(history: Dossier['history'], required: Requirements): object[] {
  const all = history.flatMap((entry) => [recordedAt(entry, 'dds')].flat()).filter((one) => one !== undefined && one !== null);
  const byNumber = new Map<string, object>();
  for (const one of all) {
    const [referenceNumber, verificationNumber] = [textAt(one, 'referenceNumber'), textAt(one, 'verificationNumber')];
    const at = `/statement/dueDiligenceStatements/${byNumber.size}`;
    required.holds(
      isNumber(referenceNumber),
      `${at}/referenceNumber`,
      `${JSON.stringify(referenceNumber)} as referenceNumber of a due diligence statement (capital letters and digits)`,
    );
    if (verificationNumber !== null)
      required.holds(
        isNumber(verificationNumber),
        `${at}/verificationNumber`,
        `${JSON.stringify(verificationNumber)} as verificationNumber of ${referenceNumber} (capital letters and digits)`,
      );
    byNumber.set(String(referenceNumber), { referenceNumber, ...(verificationNumber !== null && { verificationNumber }) });
  }
  return [...byNumber.values()];
}

const isNumber = (text: string | null): boolean => text !== null && /^[A-Z0-9]{4,40}$/.test(text);
