import { atPointer } from '#kernel';
import { type Dossier, type ExportedLot, type LotExporter, type Step } from '../dossier.js';
import { producerUnknown } from '../errors.js';
import { lotUri, placeUri } from '../identifiers.js';
import { textAt } from '../json.js';
import { credentialContext, issuerOf, partyId } from '../untp.js';

/** UNTP digital product passport 0.6.0 of a lot (domain-decisions §7), as far as the reader may see it; the public one is served elsewhere. */
export const exporter: LotExporter = {
  name: 'untp-dpp',
  mediaType: 'application/json; profile="untp-dpp/0.6.0"',
  about: 'Product, footprint, origin and steps of the lot as a UNTP digital product passport 0.6.0 (unsigned)',
  needsFootprint: true,
  write(dossier) {
    const { lot, at, documentId } = dossier;
    const mint = dossier.mints.get(lot.tokenId);
    if (!mint?.party) throw producerUnknown(lot.tlc);
    return `${JSON.stringify({
      type: ['DigitalProductPassport', 'VerifiableCredential'],
      '@context': credentialContext('dpp'),
      id: `urn:uuid:${documentId}`,
      issuer: issuerOf(mint.party),
      validFrom: at.toISOString(),
      ...(lot.expiresAt !== null && lot.expiresAt > at.toISOString() && { validUntil: lot.expiresAt }),
      credentialSubject: {
        type: ['ProductPassport'],
        id: `urn:uuid:${lot.id}`,
        product: productOf(dossier, mint),
        granularityLevel: 'batch',
        ...emissions(dossier),
        traceabilityInformation: traceability(dossier),
        ...provenance(dossier),
      },
    })}\n`;
  },
};

function productOf({ lot, naming }: Dossier, { account: { event, process }, party }: Step): object {
  const { metadata, location } = event;
  const described = atPointer(metadata ?? {}, process?.fields['productDescription'] ?? '/productDescription');
  const place = placeUri(location);
  const country = textAt(location, 'country');
  return {
    type: ['Product'],
    id: lotUri(lot, naming),
    name: lot.name,
    registeredId: lot.gtin === null ? lot.tlc : `${lot.gtin}.${lot.tlc}`,
    ...(lot.gtin !== null && {
      idScheme: { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'Global Trade Item Number (GTIN)' },
    }),
    batchNumber: lot.tlc,
    ...(typeof described === 'string' && { description: described }),
    ...(lot.hsCode !== null && { productCategory: [classification(lot.hsCode, lot.name)] }),
    producedByParty: { id: partyId(party!), name: party!.name },
    ...(place !== null && { producedAtFacility: { id: place, name: textAt(location, 'name') ?? party!.name } }),
    ...(event.eventTime !== null && { productionDate: localDate(event.eventTime, event.eventTimeZoneOffset) }),
    ...(country !== null && { countryOfProduction: country }),
    ...(lot.massKg !== null && { dimensions: { weight: { value: lot.massKg, unit: 'KGM' } } }),
  };
}

const classification = (code: string, name: string) => ({
  type: ['Classification'],
  id: `https://vocabulary.uncefact.org/HS/${encodeURIComponent(code)}`,
  code,
  name,
  schemeID: 'https://vocabulary.uncefact.org/HS/',
  schemeName: 'Harmonized System (HS)',
});

/** The day where it happened. */
function localDate(instant: string, offset: string | null): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset ?? '') ?? ['', '+', '0', '0'];
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Date(new Date(instant).getTime() + shift * 60_000).toISOString().slice(0, 10);
}

/** A scorecard has no way to say that it is a lower bound: it stands where every event declared its part. */
function emissions({ lot, footprint }: Dossier): object {
  const { perKg, perUnit, lowerBound, primaryDataShare } = footprint!.indicators.carbon;
  const value = perKg ?? perUnit;
  if (value === null || lowerBound || primaryDataShare === null || (perKg === null && lot.uom === null)) return {};
  return {
    emissionsScorecard: {
      type: ['EmissionsPerformance'],
      carbonFootprint: value,
      declaredUnit: perKg === null ? lot.uom : 'KGM',
      operationalScope: 'CradleToGate',
      primarySourcedRatio: Math.round(primaryDataShare * 100) / 10_000,
    },
  };
}

/** By step: which part of its events stands on chain with content that the service holds, and where that content is. */
function traceability({ history, naming }: Dossier): object[] {
  const byStep = new Map<string, Step[]>();
  for (const step of history) {
    const same = byStep.get(step.label);
    if (same) same.push(step);
    else byStep.set(step.label, [step]);
  }
  return [...byStep].map(([valueChainProcess, steps]) => ({
    type: ['TraceabilityPerformance'],
    valueChainProcess,
    verifiedRatio: steps.filter(isVerifiable).length / steps.length,
    traceabilityEvent: steps.filter(isVerifiable).map(({ account: { event } }) => ({
      type: ['SecureLink', 'Link'],
      linkURL: `${naming.base}/api/v1/events/${event.id}/content`,
      linkName: valueChainProcess,
      linkType: 'https://test.uncefact.org/vocabulary/linkTypes/dte',
      hashDigest: event.dataHash!.replace(/^0x/, ''),
      hashMethod: 'SHA-256',
      encryptionMethod: 'none',
    })),
  }));
}

const isVerifiable = ({ account: { event } }: Step): boolean => event.txHash !== null && event.dataHash !== null && event.ipfsCid !== null;

/** What grew or was made from nothing else, by name and country, with its part of the mass. */
function provenance(dossier: Dossier): object {
  const { lots, shares } = dossier;
  const origins = [...lots.values()].filter(({ tokenId }) => (dossier.mints.get(tokenId)?.account.event.inputs.length ?? 0) === 0);
  const materials = new Map<string, { lot: ExportedLot; country: string | null; share: number | null }>();
  for (const lot of origins) {
    const country = textAt(dossier.mints.get(lot.tokenId)?.account.event.location, 'country');
    const key = `${lot.name} ${country}`;
    const before = materials.get(key);
    const share = lot.tokenId === dossier.lot.tokenId ? 1 : (shares.get(lot.tokenId) ?? null);
    materials.set(key, { lot, country, share: before ? (before.share === null || share === null ? null : before.share + share) : share });
  }
  if (materials.size === 0) return {};
  return {
    materialsProvenance: [...materials.values()].map(({ lot, country, share }) => ({
      type: ['Material'],
      name: lot.name,
      ...(country !== null && { originCountry: country }),
      ...(lot.hsCode !== null && { materialType: classification(lot.hsCode, lot.name) }),
      ...(share !== null && { massFraction: Math.round(share * 1e6) / 1e6 }),
    })),
  };
}
