import { atPointer, localDate } from '#kernel';
import { lotUri, placeUri } from '../../epcis/identifiers.js';
import { textAt } from '../../epcis/json.js';
import { producerUnknown } from '../../errors.js';
import { type Dossier, type Exporter, type HistoryEntry, type Party } from '../dossier.js';
import { Requirements } from '../requirements.js';
import { UNTP_VERSION, countryOf, credentialOf, facilityOf, measureOf, multibaseOf, partyOf, tariffClass } from '../untp.js';

/** UNTP digital product passport of a lot (docs/spec/domain.md#untp), as far as the caller may see it; the public one belongs to the passports context. */
export const exporter: Exporter = {
  name: 'untp-dpp',
  mediaType: `application/json; profile="untp-dpp/${UNTP_VERSION}"`,
  about: `Product, footprint, origin and evidence of the lot as a UNTP digital product passport ${UNTP_VERSION} (unsigned)`,
  needsFootprint: true,
  write(dossier) {
    const { lot, at } = dossier;
    const mint = dossier.mints.get(lot.tokenId);
    if (!mint?.party) throw producerUnknown(lot.tlc);
    const required = new Requirements();
    const credentialSubject = productOf(dossier, mint, mint.party, required);
    required.settle();
    return `${JSON.stringify({
      ...credentialOf('DigitalProductPassport', `Passport of ${lot.name}, lot ${lot.tlc}`, dossier, mint.party),
      ...(lot.expiresAt !== null && lot.expiresAt > at.toISOString() && { validUntil: lot.expiresAt }),
      credentialSubject,
    })}\n`;
  },
};

function productOf(dossier: Dossier, { account: { event, process } }: HistoryEntry, producer: Party, required: Requirements): object {
  const { lot, naming } = dossier;
  const { metadata, location } = event;
  const described = atPointer(metadata ?? {}, process?.fields['productDescription'] ?? '/productDescription');
  const of = `the event that made ${lot.tlc}`;
  const at = (name: string): string => `/credentialSubject/${name}`;
  const hsCode = required.recorded(
    lot.hsCode,
    at('productCategory'),
    `hsCode of the asset type ${lot.assetType ?? lot.name} in the process map`,
  );
  const facility = facilityOf(placeUri(location), textAt(location, 'name') ?? producer.name);
  const country = textAt(location, 'country');
  return {
    type: ['Product'],
    id: lotUri(lot, naming),
    name: lot.name,
    ...(typeof described === 'string' && { description: described }),
    idScheme: schemeOf(dossier, producer),
    idGranularity: 'batch',
    batchNumber: lot.tlc,
    productCategory: hsCode === null ? [] : [tariffClass(hsCode, lot.name)],
    relatedParty: [{ type: ['PartyRole'], role: 'producer', party: partyOf(producer, naming) }],
    producedAtFacility: required.recorded(
      facility,
      at('producedAtFacility'),
      `the place of ${of}: a GLN, an id or coordinates in location`,
    ),
    countryOfProduction: countryOf(required.recorded(country, at('countryOfProduction'), `the country of ${of} (location.country)`) ?? ''),
    ...(event.eventTime !== null && { productionDate: localDate(new Date(event.eventTime), event.eventTimeZoneOffset) }),
    ...(lot.massKg !== null && { dimensions: { type: ['Dimension'], weight: measureOf(lot.massKg, 'KGM') } }),
    ...materials(dossier),
    ...emissions(dossier),
    ...evidence(dossier),
  };
}

/** Of GTINs, or of the producer's own codes. */
const schemeOf = ({ lot, naming }: Dossier, producer: Party): object =>
  lot.gtin === null
    ? { type: ['IdentifierScheme'], id: partyOf(producer, naming).id, name: `Codes of ${producer.name}` }
    : { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'Global Trade Item Number (GTIN)' };

/** It cannot say that it is a lower bound: it is there only where every event declared its part. */
function emissions(dossier: Dossier): object {
  const { perKg, perUnit, lowerBound, primaryDataShare } = dossier.footprint!.indicators.carbon;
  const value = perKg ?? perUnit;
  if (value === null || lowerBound) return {};
  const per = perKg === null ? `one ${dossier.lot.uom ?? 'unit'}` : 'one kilogram';
  const share = primaryDataShare === null ? '' : ` ${primaryDataShare} % of it is from primary data.`;
  return { performanceClaim: [carbonStatement(dossier, value, per, share)] };
}

const METRIC = 'https://vocabulary.uncefact.org/untp/metric/carbon-footprint';
const TOPIC = {
  type: ['ConformityTopic'],
  id: 'https://vocabulary.uncefact.org/ConformityTopic#environment.emissions',
  name: 'environment.emissions',
};

const carbonStatement = ({ footprint, at, documentId }: Dossier, value: number, per: string, share: string): object => ({
  type: ['Claim'],
  id: `urn:uuid:${documentId}#carbon`,
  name: 'Carbon footprint, cradle to gate',
  description: `Kilograms of CO2e for ${per}, cradle to gate.${share}`,
  referenceCriteria: footprint!.method.standards.map((name) => ({
    type: ['Criterion'],
    id: `urn:standard:${encodeURIComponent(name.toLowerCase())}`,
    name,
  })),
  claimDate: at.toISOString().slice(0, 10),
  claimedPerformance: [
    {
      type: ['Performance'],
      metric: { type: ['PerformanceMetric'], id: METRIC, name: `Carbon footprint of ${per}` },
      measure: measureOf(value, 'KGM'),
    },
  ],
  conformityTopic: [TOPIC],
});

/** The stored content of the events that made the lot, with its digest: what a verifier compares. The content is not encrypted. */
function evidence({ history, naming }: Dossier): object {
  const verifiable = history.filter(({ account: { event } }) => event.txHash !== null && event.dataHash !== null && event.ipfsCid !== null);
  if (verifiable.length === 0) return {};
  return {
    relatedDocument: verifiable.map(({ account: { event }, label }) => ({
      type: ['Link'],
      linkURL: `${naming.base}/api/v1/events/${event.id}/content`,
      linkName: label,
      linkType: 'https://vocabulary.uncefact.org/linkTypes/dte',
      mediaType: 'application/json',
      digestMultibase: multibaseOf(event.dataHash!),
    })),
  };
}

/** What was made from nothing else, by name and country, with its part of the mass; left out unless all of it is known. */
function materials(dossier: Dossier): object {
  const { lots, shares, mints } = dossier;
  const origins = [...lots.values()].filter(({ tokenId }) => (mints.get(tokenId)?.account.event.inputs.length ?? 0) === 0);
  const found = new Map<string, { name: string; country: string; hsCode: string; share: number }>();
  for (const lot of origins) {
    const country = textAt(mints.get(lot.tokenId)?.account.event.location, 'country');
    const share = lot.tokenId === dossier.lot.tokenId ? 1 : (shares.get(lot.tokenId) ?? null);
    if (country === null || share === null || lot.hsCode === null) return {};
    const key = `${lot.name} ${country}`;
    found.set(key, { name: lot.name, country, hsCode: lot.hsCode, share: (found.get(key)?.share ?? 0) + share });
  }
  if (found.size === 0) return {};
  return {
    materialProvenance: [...found.values()].map(({ name, country, hsCode, share }) => ({
      type: ['Material'],
      name,
      originCountry: countryOf(country),
      materialType: tariffClass(hsCode, name),
      massFraction: Math.min(1, Math.round(share * 1e6) / 1e6),
    })),
  };
}
