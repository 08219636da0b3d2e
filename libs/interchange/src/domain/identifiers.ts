import { TRANSACTION_TYPES } from './cbv.js';
import { containerLink, encodeKey, locationLink, lotLink, mayBeContainerLink, mayBeLotLink, partyLink } from './gs1.js';
import { type Json, isObject, textAt } from './json.js';
import type { LotThen } from '../contract.js';
import type { Naming } from './recorded.js';

/** Public identities of lots, places, parties and documents (domain-decisions §1, Identifiers). */

export const namespaceOf = ({ base }: Naming): string => `${base}/ns/trc#`;

type NamedLot = Pick<LotThen, 'tlc' | 'gtin' | 'isContainer'>;

export function lotUri({ tlc, gtin, isContainer }: NamedLot, naming: Naming): string {
  if (isContainer && mayBeContainerLink(tlc)) return containerLink(tlc);
  if (gtin !== null && mayBeLotLink(tlc)) return lotLink(gtin, tlc);
  return `${naming.base}/id/${naming.tenant}/lot/${encodeKey(tlc)}`;
}

/** Containers, and single things, are named one by one; goods by their class, with a quantity. */
export const isInstance = ({ isContainer }: NamedLot): boolean => isContainer;

const glnOf = (place: Json): string | null =>
  textAt(place, 'gln') ?? /^https:\/\/id\.gs1\.org\/414\/(\d{13})/.exec(textAt(place, 'id') ?? '')?.[1] ?? null;

export function placeUri(place: unknown): string | null {
  if (!isObject(place)) return null;
  const gln = glnOf(place);
  if (gln !== null) return locationLink(gln);
  const id = textAt(place, 'id');
  if (id !== null && /^[a-z][a-z0-9+.-]*:\S+$/i.test(id)) return id;
  const { geo } = place;
  const point = isObject(geo) && geo['type'] === 'Point' ? geo['coordinates'] : null;
  // RFC 5870 is latitude first, GeoJSON longitude.
  return Array.isArray(point) && point.length >= 2 ? `geo:${Number(point[1])},${Number(point[0])}` : null;
}

export function partyUri(place: unknown): string | null {
  const gln = isObject(place) ? glnOf(place) : null;
  return gln === null ? null : partyLink(gln);
}

/** Which type of the CBV a document of the field is, by what its name says. */
const DOCUMENT_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(BILL_OF_LADING|BOL|CMR|AIR_?WAYBILL|AWB|WAYBILL|CONSIGNMENT_NOTE)$/, 'bol'],
  [/^(PURCHASE_ORDER|PO)$/, 'po'],
  [/^(PURCHASE_ORDER_CONFIRMATION|POC)$/, 'poc'],
  [/^(INVOICE|COMMERCIAL_INVOICE|INV)$/, 'inv'],
  [/^(DESPATCH_ADVICE|DISPATCH_ADVICE|DELIVERY_NOTE|ASN|DESADV)$/, 'desadv'],
  [/^(RECEIVING_ADVICE|GOODS_RECEIPT|GRN|RECADV)$/, 'recadv'],
  [/^(PRODUCTION_ORDER|WORK_ORDER|BATCH_LOG|BATCH_RECORD|PRODORDER)$/, 'prodorder'],
  [/^(TEST_REPORT|TEST_CERTIFICATE|LAB_REPORT|CERTIFICATE_OF_ANALYSIS|COA|TESTRES)$/, 'testres'],
  [/(^|_)CERT(IFICATE)?(_OF_\w+)?$/, 'cert'],
];

export function documentReference(document: Json, { base, tenant }: Naming): { type: string; bizTransaction: string } | null {
  const type = textAt(document, 'type');
  const number = textAt(document, 'number');
  if (type === null || number === null) return null;
  const known = TRANSACTION_TYPES.has(type) ? type : DOCUMENT_TYPES.find(([names]) => names.test(type.toUpperCase()))?.[1];
  return {
    type: known ?? `${base}/ns/btt#${encodeKey(type)}`,
    bizTransaction: `${base}/id/${tenant}/doc/${encodeKey(type)}/${encodeKey(number)}`,
  };
}
