import type { TreeFootprint } from '../../contract.js';
import { atPointer, encodeGs1 } from '#kernel';
import { noDeclaredUnit, noFootprint, producerUnknown } from '../../errors.js';
import type { Dossier, ExportedLot, HistoryEntry, Exporter, Party } from '../dossier.js';
import { Requirements } from '../requirements.js';

const STANDARDS = new Set('GHGP-Product ISO14067 ISO14083 ISO14040-44 PEF PACT-1.0 PACT-2.0 PACT-3.0 PAS2050'.split(' '));
const PIECES = new Set(['H87', 'C62', 'EA']);

/**
 * PACT data exchange v3: the carbon footprint of a lot (docs/spec/domain.md#pact). Decimals are text. What its schema requires and
 * nobody declared is refused by name, and so is a footprint that is only a lower bound: `Active` would say that it is complete.
 */
export const exporter: Exporter = {
  name: 'pact',
  mediaType: 'application/json',
  about: 'Carbon footprint as a ProductFootprint of PACT data exchange v3.0',
  needsFootprint: true,
  write: (dossier) => `${JSON.stringify(productFootprint(dossier))}\n`,
};

function productFootprint(dossier: Dossier): object {
  const { lot, at, documentId } = dossier;
  const footprint = dossier.footprint!;
  const mint = dossier.mints.get(lot.tokenId);
  if (!mint?.party) throw producerUnknown(lot.tlc);
  if (footprint.indicators.carbon.total === null) throw noFootprint(lot.tlc);
  const metadata = mint.account.event.metadata ?? {};
  const described = atPointer(metadata, mint.account.process?.fields['productDescription'] ?? '/productDescription');
  const required = new Requirements();
  const pcf = carbonFootprint(dossier, footprint, required);
  required.settle();
  return {
    id: documentId,
    specVersion: '3.0.0',
    created: at.toISOString(),
    status: 'Active',
    ...companyOf(mint.party),
    productDescription: typeof described === 'string' ? described : `${lot.name}, lot ${lot.tlc}`,
    productIds: productIds(lot),
    ...(lot.hsCode !== null && { productClassifications: [`urn:pact:productclassification:hs:${lot.hsCode}`] }),
    productNameCompany: lot.name,
    ...(footprint.indicators.carbon.breakdown.biogenicUptake === null && { comment: NO_UPTAKE }),
    pcf,
  };
}

/** `pcfIncludingBiogenicUptake` then equals the other figure. */
const NO_UPTAKE = 'No biogenic uptake was declared and none is claimed.';

const companyOf = ({ orgId, name, lei, gln }: Party) => ({
  companyName: name,
  companyIds: [...(lei === null ? [] : [`urn:lei:${lei}`]), ...(gln === null ? [] : [`urn:gln:${gln}`]), `urn:uuid:${orgId}`],
});

const productIds = ({ id, gtin, tlc }: ExportedLot): string[] => [
  ...(gtin === null ? [] : [`urn:gtin:${gtin}`]),
  `urn:pact:product:customcode:vendor-assigned:${encodeGs1(tlc)}`,
  `urn:uuid:${id}`,
];

interface DeclaredUnit {
  readonly unit: 'kilogram' | 'piece';
  readonly massKg: number;
  /** Declared units in the lot. */
  readonly count: number;
  readonly value: number;
}

/** Pieces where the lot is counted and their mass is known, else kilograms. */
function declaredUnit({ basis, indicators: { carbon }, tlc }: TreeFootprint): DeclaredUnit {
  const { massKg, quantity, uom } = basis;
  if (uom !== null && PIECES.has(uom) && quantity && massKg !== null && carbon.perUnit !== null)
    return { unit: 'piece', massKg: massKg / quantity, count: quantity, value: carbon.perUnit };
  if (massKg && carbon.perKg !== null) return { unit: 'kilogram', massKg: 1, count: massKg, value: carbon.perKg };
  throw noDeclaredUnit(tlc);
}

function carbonFootprint({ lot, history, mints }: Dossier, footprint: TreeFootprint, required: Requirements) {
  const { carbon } = footprint.indicators;
  const { unit, massKg, count, value } = declaredUnit(footprint);
  const { landUseChange, biogenicUptake } = carbon.breakdown;
  const each = (total: number): string => decimal(total / count);
  const countries = Object.keys(carbon.byCountry);
  const times = history.flatMap(({ account }) => account.event.eventTime ?? []).map((time) => new Date(time).toISOString());
  const rules = [
    ...new Set(history.flatMap(({ label, allocation }) => (allocation?.rationale ? `${label}: ${allocation.rationale}` : []))),
  ];
  const fossil = required.recorded(fossilOf(carbon), '/pcf/fossilGhgEmissions', FOSSIL);
  const contained = required.recorded(fossilContent(mints.get(lot.tokenId)), '/pcf/fossilCarbonContent', CONTENT);
  return {
    declaredUnitOfMeasurement: unit,
    declaredUnitAmount: '1',
    productMassPerDeclaredUnit: decimal(massKg),
    referencePeriodStart: times.toSorted()[0] ?? lot.createdAt,
    referencePeriodEnd: times.toSorted().at(-1) ?? lot.createdAt,
    ...(countries.length === 1 && /^[A-Z]{2}$/.test(countries[0]!) && { geographyCountry: countries[0]! }),
    boundaryProcessesDescription: boundary(history, Object.keys(carbon.byProcess)),
    pcfExcludingBiogenicUptake: decimal(value),
    // An uptake that was not declared is not reported.
    pcfIncludingBiogenicUptake: decimal(value + (biogenicUptake ?? 0) / count),
    fossilGhgEmissions: each(fossil ?? 0),
    fossilCarbonContent: decimal((contained ?? 0) * massKg),
    ...(landUseChange !== null && { landUseChangeGhgEmissions: each(landUseChange) }),
    ...(biogenicUptake !== null && { biogenicCO2Uptake: each(biogenicUptake) }),
    ...methodOf(footprint, required),
    allocationRulesDescription: rules.length > 0 ? rules.join(' ') : 'By mass, process by process.',
    ...(carbon.primaryDataShare !== null && { primaryDataShare: decimal(carbon.primaryDataShare) }),
  };
}

type Carbon = TreeFootprint['indicators']['carbon'];

const FOSSIL = 'the fossil part of every event (footprint.carbon.fossil; with biogenic and landUseChange it is the whole value)';
const CONTENT = 'fossilCarbonContent (kg of carbon in a kg) of the event that made the lot';

/** Null unless the parts are those of the whole: a fossil part that only some events declared is less than the fossil emissions. */
function fossilOf({ total, breakdown: { fossil, biogenic, landUseChange } }: Carbon): number | null {
  const parts = (fossil ?? 0) + (biogenic ?? 0) + (landUseChange ?? 0);
  return fossil !== null && Math.abs(parts - total!) <= 1e-3 * Math.max(1, total!) ? fossil : null;
}

/** How it was computed, and that nothing was left out. */
function methodOf({ method, indicators: { carbon } }: TreeFootprint, required: Requirements) {
  const standards = method.standards.filter((name) => STANDARDS.has(name));
  required.recorded(method.gwp[0], '/pcf/ipccCharacterizationFactors', 'the assessment report of the IPCC (footprint.gwp: AR5 or AR6)');
  required.recorded(
    standards[0],
    '/pcf/crossSectoralStandards',
    `a standard that PACT knows (footprint.standard: ${[...STANDARDS].join(', ')})`,
  );
  required.recorded(carbon.lowerBound ? null : true, '/pcf/exemptedEmissionsPercent', missingOf(carbon));
  return { ipccCharacterizationFactors: method.gwp, crossSectoralStandards: standards, exemptedEmissionsPercent: '0' };
}

function missingOf({ missing, coverage }: Carbon): string {
  const events = missing.length === 1 ? '1 event' : `${missing.length} events`;
  const covered = coverage.mass === null ? '' : `; declarations cover ${decimal(100 * coverage.mass)} % of the mass`;
  return `the carbon of ${events}, without which the footprint is a lower bound${covered}`;
}

/** Kilograms of carbon in a kilogram, where the event that made the lot says it in `fossilCarbonContent`. */
function fossilContent(mint: HistoryEntry | undefined): number | null {
  const content = atPointer(mint?.account.event.metadata ?? {}, '/fossilCarbonContent');
  return typeof content === 'number' && content >= 0 ? content : null;
}

function boundary(history: Dossier['history'], processes: readonly string[]): string {
  const labels = processes.map((name) => history.find(({ account }) => account.event.processType === name)?.label ?? name);
  return `Cradle to gate: ${labels.join(', ')}.`;
}

const decimal = (value: number): string =>
  value
    .toFixed(6)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0');
