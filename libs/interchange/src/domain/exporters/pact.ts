import { atPointer } from '#kernel';
import type { LotFootprint } from '../../contract.js';
import { type Dossier, type ExportedLot, type LotExporter, type Party, type Step } from '../dossier.js';
import { noDeclaredUnit, noFootprint, producerUnknown } from '../errors.js';
import { encodeKey } from '../gs1.js';

const STANDARDS = new Set('GHGP-Product ISO14067 ISO14083 ISO14040-44 PEF PACT-1.0 PACT-2.0 PACT-3.0 PAS2050'.split(' '));
const PIECES = new Set(['H87', 'C62', 'EA']);

/** PACT data exchange v3: the carbon footprint of a lot (domain-decisions §8). Decimals are text. */
export const exporter: LotExporter = {
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
  const pcf = carbonFootprint(dossier, footprint);
  const comment = remarks(footprint, pcf);
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
    ...(comment !== '' && { comment }),
    pcf,
  };
}

const companyOf = ({ orgId, name, lei, gln }: Party) => ({
  companyName: name,
  companyIds: [...(lei === null ? [] : [`urn:lei:${lei}`]), ...(gln === null ? [] : [`urn:gln:${gln}`]), `urn:uuid:${orgId}`],
});

const productIds = ({ id, gtin, tlc }: ExportedLot): string[] => [
  ...(gtin === null ? [] : [`urn:gtin:${gtin}`]),
  `urn:pact:product:customcode:vendor-assigned:${encodeKey(tlc)}`,
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
function declaredUnit({ basis, indicators: { carbon }, tlc }: LotFootprint): DeclaredUnit {
  const { massKg, quantity, uom } = basis;
  if (uom !== null && PIECES.has(uom) && quantity && massKg !== null && carbon.perUnit !== null)
    return { unit: 'piece', massKg: massKg / quantity, count: quantity, value: carbon.perUnit };
  if (massKg && carbon.perKg !== null) return { unit: 'kilogram', massKg: 1, count: massKg, value: carbon.perKg };
  throw noDeclaredUnit(tlc);
}

function carbonFootprint({ lot, history, mints }: Dossier, footprint: LotFootprint) {
  const { carbon } = footprint.indicators;
  const { unit, massKg, count, value } = declaredUnit(footprint);
  const { fossil, landUseChange, biogenicUptake } = carbon.breakdown;
  const each = (total: number): string => decimal(total / count);
  const countries = Object.keys(carbon.byCountry);
  const times = history.flatMap(({ account }) => account.event.eventTime ?? []).map((time) => new Date(time).toISOString());
  const rules = [
    ...new Set(history.flatMap(({ label, allocation }) => (allocation?.rationale ? `${label}: ${allocation.rationale}` : []))),
  ];
  const contained = fossilContent(mints.get(lot.tokenId));
  return {
    declaredUnitOfMeasurement: unit,
    declaredUnitAmount: '1',
    productMassPerDeclaredUnit: decimal(massKg),
    referencePeriodStart: times.toSorted()[0] ?? lot.createdAt,
    referencePeriodEnd: times.toSorted().at(-1) ?? lot.createdAt,
    ...(countries.length === 1 && /^[A-Z]{2}$/.test(countries[0]!) && { geographyCountry: countries[0]! }),
    boundaryProcessesDescription: boundary(history, Object.keys(carbon.byProcess)),
    pcfExcludingBiogenicUptake: decimal(value),
    // An uptake that nobody declared is none that is claimed.
    pcfIncludingBiogenicUptake: decimal(value + (biogenicUptake ?? 0) / count),
    ...(fossil !== null && { fossilGhgEmissions: each(fossil) }),
    ...(contained !== null && { fossilCarbonContent: decimal(contained * massKg) }),
    ...(landUseChange !== null && { landUseChangeGhgEmissions: each(landUseChange) }),
    ...(biogenicUptake !== null && { biogenicCO2Uptake: each(biogenicUptake) }),
    ipccCharacterizationFactors: footprint.method.gwp,
    crossSectoralStandards: footprint.method.standards.filter((name) => STANDARDS.has(name)),
    ...(!carbon.lowerBound && { exemptedEmissionsPercent: '0' }),
    allocationRulesDescription: rules.length > 0 ? rules.join(' ') : 'By mass, process by process.',
    ...(carbon.primaryDataShare !== null && { primaryDataShare: decimal(carbon.primaryDataShare) }),
  };
}

/** Kilograms of carbon in a kilogram, where the event that made the lot says it in `fossilCarbonContent`. */
function fossilContent(mint: Step | undefined): number | null {
  const told = atPointer(mint?.account.event.metadata ?? {}, '/fossilCarbonContent');
  return typeof told === 'number' && told >= 0 ? told : null;
}

function boundary(history: Dossier['history'], processes: readonly string[]): string {
  const labels = processes.map((name) => history.find(({ account }) => account.event.processType === name)?.label ?? name);
  return `Cradle to gate: ${labels.join(', ')}.`;
}

/** What PACT asks for and nobody declared is left out and named: zero would say something else. */
const ASKED = ['fossilGhgEmissions', 'fossilCarbonContent', 'exemptedEmissionsPercent'] as const;

function remarks({ indicators: { carbon } }: LotFootprint, pcf: ReturnType<typeof carbonFootprint>): string {
  const missing = ASKED.filter((name) => pcf[name] === undefined);
  const share = carbon.coverage.mass === null ? '' : ` Declarations cover ${decimal(100 * carbon.coverage.mass)} % of the mass.`;
  return [
    carbon.lowerBound ? `A lower bound: ${carbon.missing.length} events declare no carbon.${share}` : '',
    carbon.breakdown.biogenicUptake === null ? 'No biogenic uptake was declared and none is claimed.' : '',
    missing.length > 0 ? `Not known and left out: ${missing.join(', ')}.` : '',
  ]
    .filter((remark) => remark !== '')
    .join(' ');
}

const decimal = (value: number): string => value.toFixed(6).replace(/\.?0+$/, '');
