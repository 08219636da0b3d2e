import { type Naming, digitalLinkOf, encodeGs1, ownDocumentUri, ownLotUri, plainGs1 as unescaped } from '#kernel';
import type { LotThen } from '../contract.js';
import { TRANSACTION_TYPES } from './cbv.js';
import { type Json, isObject, textAt } from './json.js';

/** Public identities of lots, places, parties and documents (docs/spec/domain.md#process-maps, Identifiers). */

export type { Naming } from '#kernel';

/** Where the terms of `terms.ts` are defined. */
export const namespaceOf = ({ base }: Pick<Naming, 'base'>): string => `${base}/ns/trc#`;
/** Types of documents that the CBV has no word for, in the words of the process maps. */
export const documentTypesOf = ({ base }: Pick<Naming, 'base'>): string => `${base}/ns/btt#`;

type NamedLot = Pick<LotThen, 'tlc' | 'key' | 'isContainer' | 'serial'>;

/** The Digital Link of its key; a code of the tenant's own is a name in the tenant's part of this service. */
export const lotUri = ({ tlc, key }: NamedLot, naming: Naming): string => digitalLinkOf(key) ?? ownLotUri(naming, tlc);

/** Containers and single items are named one by one; goods by their class, with a quantity. */
export const isInstance = ({ isContainer, serial }: NamedLot): boolean => isContainer || serial !== null;

const glnOf = (place: Json): string | null =>
  textAt(place, 'gln') ?? /^https:\/\/id\.gs1\.org\/414\/(\d{13})/.exec(textAt(place, 'id') ?? '')?.[1] ?? null;

export function placeUri(place: unknown): string | null {
  if (!isObject(place)) return null;
  const gln = glnOf(place);
  const id = textAt(place, 'id');
  // An extension names a part of the place: a dock, a field, a cold store.
  if (gln !== null) return id !== null && id.startsWith(`${locationLink(gln)}/254/`) ? id : locationLink(gln);
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

/** Which type of the CBV a document is, by its name. */
const DOCUMENT_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(BILL_OF_LADING|BOL|CMR|AIR_?WAYBILL|AWB|WAYBILL|CONSIGNMENT_NOTE)$/, 'bol'],
  [/^(PURCHASE_ORDER|PO)$/, 'po'],
  [/^(PURCHASE_ORDER_CONFIRMATION|POC)$/, 'poc'],
  [/^(INVOICE|COMMERCIAL_INVOICE|INV)$/, 'inv'],
  [/^(DESPATCH_ADVICE|DISPATCH_ADVICE|DELIVERY_NOTE|ASN|DESADV)$/, 'desadv'],
  [/^(RECEIVING_ADVICE|GOODS_RECEIPT|GRN|RECADV)$/, 'recadv'],
  [/^(PRODUCTION_ORDER|PRODUCTION_LOG|WORK_ORDER|BATCH_LOG|BATCH_RECORD|PRODORDER)$/, 'prodorder'],
  [/^(TEST_REPORT|TEST_CERTIFICATE|LAB_REPORT|CERTIFICATE_OF_ANALYSIS|COA|TESTRES)$/, 'testres'],
  [/(^|_)CERT(IFICATE)?(_OF_\w+)?$/, 'cert'],
];

export function documentReference(document: Json, naming: Naming): { type: string; bizTransaction: string } | null {
  const type = textAt(document, 'type');
  const number = textAt(document, 'number');
  if (type === null || number === null) return null;
  const issuer = textAt(document, 'issuer') ?? '';
  const known = TRANSACTION_TYPES.has(type) ? type : DOCUMENT_TYPES.find(([names]) => names.test(type.toUpperCase()))?.[1];
  return {
    type: known ?? `${documentTypesOf(naming)}${encodeGs1(type)}`,
    // A number of a party with a GLN has a name of its own (CBV 2.0 §8.5); 13 digits may also be the tax number of a party.
    bizTransaction:
      known !== undefined && /^\d{13}$/.test(issuer) && hasCheckDigit(issuer)
        ? `urn:epcglobal:cbv:bt:${issuer}:${encodeGs1(number)}`
        : ownDocumentUri(naming, type, number),
  };
}

/** GS1 keys in their two spellings: EPC URIs (`urn:epc:…`) and Digital Link URIs. */

const RESOLVER = 'https://id.gs1.org';

/** The check digit of a GTIN, GLN, SSCC or GSRN without it (modulo 10, weights 3 and 1 from the right). */
function checkDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 3 : 1);
  return (10 - (sum % 10)) % 10;
}

export const hasCheckDigit = (digits: string): boolean =>
  /^\d{8,18}$/.test(digits) && checkDigit(digits.slice(0, -1)) === Number(digits.at(-1));

const locationLink = (gln: string): string => `${RESOLVER}/414/${gln}`;
export const partyLink = (gln: string): string => `${RESOLVER}/417/${gln}`;

type Key = (prefix: string, reference: string, serial: string) => string;

const checked = (digits: string): string => `${digits}${checkDigit(digits)}`;
const gtinOf = (prefix: string, item: string): string => checked(`${item.slice(0, 1)}${prefix}${item.slice(1)}`);
/** EPC URIs escape what they must; a Digital Link escapes some more. */
const plain = (text: string): string => encodeGs1(unescaped(text));

/** By scheme, from company prefix, reference and serial (EPC Tag Data Standard 2.0, §6 and §7). */
const EPC_KEYS: Readonly<Record<string, Key>> = {
  'id:sgtin': (prefix, item, serial) => `/01/${gtinOf(prefix, item)}/21/${plain(serial)}`,
  'id:sscc': (prefix, serial) => `/00/${gtinOf(prefix, serial)}`,
  'id:sgln': (prefix, place, extension) =>
    `/414/${checked(prefix + place)}${extension === '' || extension === '0' ? '' : `/254/${plain(extension)}`}`,
  'id:pgln': (prefix, party) => `/417/${checked(prefix + party)}`,
  'id:grai': (prefix, type, serial) => `/8003/0${checked(prefix + type)}${plain(serial)}`,
  'id:giai': (prefix, reference, rest) => `/8004/${prefix}${plain(joined(reference, rest))}`,
  'id:gsrn': (prefix, reference) => `/8018/${checked(prefix + reference)}`,
  'id:gsrnp': (prefix, reference) => `/8017/${checked(prefix + reference)}`,
  'id:gdti': (prefix, type, serial) => `/253/${checked(prefix + type)}${plain(serial)}`,
  'id:cpi': (prefix, part, serial) => `/8010/${prefix}${plain(part)}/8011/${serial}`,
  'id:sgcn': (prefix, coupon, serial) => `/255/${checked(prefix + coupon)}${serial}`,
  'id:ginc': (prefix, reference, rest) => `/401/${prefix}${plain(joined(reference, rest))}`,
  'id:gsin': (prefix, reference) => `/402/${checked(prefix + reference)}`,
  'id:itip': (prefix, item, rest) => {
    const [piece, total, ...serial] = rest.split('.');
    return `/8006/${gtinOf(prefix, item)}${piece}${total}/21/${plain(serial.join('.'))}`;
  },
  'id:upui': (prefix, item, serial) => `/01/${gtinOf(prefix, item)}/235/${plain(serial)}`,
  'class:lgtin': (prefix, item, lot) => `/01/${gtinOf(prefix, item)}/10/${plain(lot)}`,
  'idpat:sgtin': (prefix, item) => `/01/${gtinOf(prefix, item)}`,
  'idpat:grai': (prefix, type) => `/8003/0${checked(prefix + type)}`,
  'idpat:gdti': (prefix, type) => `/253/${checked(prefix + type)}`,
  'idpat:sgcn': (prefix, coupon) => `/255/${checked(prefix + coupon)}`,
  'idpat:cpi': (prefix, part) => `/8010/${prefix}${plain(part)}`,
  'idpat:itip': (prefix, item, rest) => `/8006/${gtinOf(prefix, item)}${rest.split('.').slice(0, 2).join('')}`,
};

/** Digits of company prefix and reference together; with others the digits would name something else. */
const DIGITS: Readonly<Record<string, number>> = {
  ...{ 'id:sgtin': 13, 'id:itip': 13, 'id:upui': 13, 'class:lgtin': 13, 'idpat:sgtin': 13, 'idpat:itip': 13 },
  ...{ 'id:sgln': 12, 'id:pgln': 12, 'id:grai': 12, 'id:gdti': 12, 'id:sgcn': 12, 'idpat:grai': 12, 'idpat:gdti': 12, 'idpat:sgcn': 12 },
  ...{ 'id:sscc': 17, 'id:gsrn': 17, 'id:gsrnp': 17, 'id:gsin': 16 },
};

const joined = (reference: string, rest: string): string => (rest === '' ? reference : `${reference}.${rest}`);

/** Primary keys of Digital Link with the pattern of their values, and their qualifiers, the finest first. */
const LINK_KEYS: Readonly<Record<string, { readonly value: RegExp; readonly finer: readonly string[] }>> = {
  '00': { value: /^\d{18}$/, finer: [] },
  '01': { value: /^(\d{8}|\d{12,14})$/, finer: ['235', '21', '10'] },
  '253': { value: /^\d{13}/, finer: [] },
  '255': { value: /^\d{13}/, finer: [] },
  '401': { value: /^\d{4}/, finer: [] },
  '402': { value: /^\d{17}$/, finer: [] },
  '414': { value: /^\d{13}$/, finer: ['254'] },
  '417': { value: /^\d{13}$/, finer: [] },
  '8003': { value: /^\d{14}/, finer: [] },
  '8004': { value: /^\d{4}/, finer: [] },
  '8006': { value: /^\d{18}$/, finer: ['21', '10'] },
  '8010': { value: /^\d{4}/, finer: ['8011'] },
  '8017': { value: /^\d{18}$/, finer: [] },
  '8018': { value: /^\d{18}$/, finer: [] },
};

/** Names that Digital Link had for its numbers until 2021 (§5.5 of version 1.1). */
const NAMES: Readonly<Record<string, string>> = {
  ...{ sscc: '00', gtin: '01', gdti: '253', gcn: '255', ginc: '401', gsin: '402', gln: '414', party: '417', grai: '8003', giai: '8004' },
  ...{ itip: '8006', cpid: '8010', gsrnp: '8017', gsrn: '8018', lot: '10', ser: '21', cpv: '22', tpx: '235', glnx: '254', cpsn: '8011' },
};
const numbered = (name: string): string => (Object.hasOwn(NAMES, name) ? NAMES[name]! : name);

interface Gs1Key {
  /** Application identifier of the primary key, `01` for a GTIN. */
  readonly key: string;
  /** A GTIN has 14 digits. */
  readonly value: string;
  /** The finest qualifier that was named, `10` for a lot, and its plain text. */
  readonly finer: string | null;
  readonly part: string | null;
  /** The lot number next to a GTIN, also where a serial number is finer; null where there is none. */
  readonly lot: string | null;
}

/** What a URI in either spelling names, at its finest level; null for a URI without a GS1 key. */
export function readKey(uri: string): Gs1Key | null {
  const path = uri.startsWith('urn:epc:') ? epcPath(uri) : /^https?:\/\/[^/?#]+(\/[^?#]*)/.exec(uri)?.[1];
  if (path === undefined || path === null) return null;
  const parts = path.split('/').slice(1);
  for (let at = parts.length - 2; at >= 0; at--) {
    const found = keyAt(parts, at);
    if (found) return found;
  }
  return null;
}

function keyAt(parts: readonly string[], at: number): Gs1Key | null {
  const [name, value, ...qualifiers] = parts.slice(at) as [string, string, ...string[]];
  const key = numbered(name);
  const known = Object.hasOwn(LINK_KEYS, key) ? LINK_KEYS[key]! : null;
  if (!known || !known.value.test(value) || qualifiers.length % 2 !== 0) return null;
  const named = new Map<string, string>();
  for (let i = 0; i < qualifiers.length; i += 2) named.set(numbered(qualifiers[i]!), qualifiers[i + 1]!);
  if ([...named.keys()].some((number) => !/^\d{2,4}$/.test(number))) return null;
  const finer = known.finer.find((number) => named.has(number)) ?? null;
  return {
    key,
    value: key === '01' ? value.padStart(14, '0') : unescaped(value),
    finer,
    part: finer === null ? null : unescaped(named.get(finer)!),
    lot: key === '01' && named.has('10') ? unescaped(named.get('10')!) : null,
  };
}

function epcPath(uri: string): string | null {
  const [, scheme, body] = /^urn:epc:((?:id|class|idpat):[a-z]+):(.+)$/.exec(uri) ?? [];
  if (scheme === undefined || !Object.hasOwn(EPC_KEYS, scheme)) return null;
  const [prefix, reference, ...rest] = body!.split('.');
  if (!/^\d{6,12}$/.test(prefix!) || reference === undefined) return null;
  const digits = Object.hasOwn(DIGITS, scheme) ? DIGITS[scheme]! : null;
  if (digits !== null && (!/^\d*$/.test(reference) || prefix!.length + reference.length !== digits)) return null;
  return EPC_KEYS[scheme]!(prefix!, reference, rest.join('.'));
}

/** The canonical Digital Link of the GS1 key in a URI; null for a URI without one. */
export function canonicalLink(uri: string): string | null {
  const found = readKey(uri);
  if (!found) return null;
  const { key, value, finer, part } = found;
  return `${RESOLVER}/${key}/${encodeGs1(value)}${finer === null ? '' : `/${finer}/${encodeGs1(part!)}`}`;
}
