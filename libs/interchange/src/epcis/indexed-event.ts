import { ownDocumentUri, ownLotUri, readOwnDocumentUri, readOwnLotUri } from '#kernel';
import { BIZ_STEP, COMPONENT, DISPOSITION, ERROR_REASON, PARTY_TYPE, TRANSACTION_TYPE, type Vocabulary, fullWord, gs1Word } from './cbv.js';
import { canonicalLink } from './identifiers.js';
import { type Json, isObject, listIn, textAt } from './json.js';

/** How an event names a thing: which list of which kind of event. */
export type ThingRole = (typeof THING_ROLES)[number];
export const THING_ROLES = ['epc', 'parent', 'input', 'output', 'class', 'inputClass', 'outputClass'] as const;
/** Of a document or a party, with its type in full. */
export type ReferenceRole = `${'bizTransaction' | 'source' | 'destination'}_${string}`;
export type NameRole = ThingRole | ReferenceRole;

/** What queries find an event by (SimpleEventQuery, ISO/IEC 19987 §8.2.7): every word, key and time in one spelling. */
export interface IndexedEvent {
  readonly eventID: string;
  readonly type: string;
  readonly action: string | null;
  readonly eventTime: string;
  readonly recordTime: string | null;
  readonly bizStep: string | null;
  readonly disposition: string | null;
  readonly readPoint: string | null;
  readonly bizLocation: string | null;
  readonly names: readonly { readonly role: NameRole; readonly name: string }[];
  /** `<parameter>=<value>`, and `<field>` alone for what exists. */
  readonly terms: readonly string[];
  /** What can be less or greater. */
  readonly values: readonly { readonly field: string; readonly value: number }[];
}

/** In the place of the address of this service, which differs between requests. */
export const SELF = 'https://self-0c7f1c1e.invalid';

/** Keys in their canonical link and own names without the address of the service, whatever their spelling; other URIs as they are. */
export function canonicalName(uri: string): string {
  const link = canonicalLink(uri);
  if (link !== null) return link;
  const lot = readOwnLotUri(uri);
  if (lot) return ownLotUri({ base: SELF, tenant: lot.tenant }, lot.code);
  const document = readOwnDocumentUri(uri);
  return document ? ownDocumentUri({ base: SELF, tenant: document.tenant }, document.type, document.number) : uri;
}

/** Prefixes of extensions in an event, by its contexts. */
export function namespacesOf(...contexts: readonly unknown[]): Readonly<Record<string, string>> {
  const all = contexts.flatMap((one) => (Array.isArray(one) ? (one as unknown[]) : [one]));
  const terms = all.flatMap((one) => (isObject(one) ? Object.entries(one) : []));
  const addresses = terms.map(([prefix, iri]): [string, unknown] => [prefix, isObject(iri) ? iri['@id'] : iri]);
  return Object.fromEntries(addresses.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** A name with a known prefix as `<namespace><local name>`; any other as it is. */
export function fullField(name: string, namespaces: Readonly<Record<string, string>>): string {
  const colon = name.indexOf(':');
  const prefix = name.slice(0, Math.max(colon, 0));
  const namespace = Object.hasOwn(namespaces, prefix) ? namespaces[prefix]! : null;
  // Its own terms begin with the address of this service, which differs between requests.
  if (namespace === null) return name;
  return namespace.endsWith('/ns/trc#') ? `trc:${name.slice(colon + 1)}` : `${namespace}${name.slice(colon + 1)}`;
}

const KNOWN_NAMESPACES: Readonly<Record<string, string>> = { cbvmda: 'urn:epcglobal:cbv:mda:', gs1: 'https://ref.gs1.org/voc/' };

const LISTS: readonly (readonly [list: string, role: NameRole])[] = [
  ['epcList', 'epc'],
  ['childEPCs', 'epc'],
  ['inputEPCList', 'input'],
  ['outputEPCList', 'output'],
];
const CLASSES: readonly (readonly [list: string, role: NameRole])[] = [
  ['quantityList', 'class'],
  ['childQuantityList', 'class'],
  ['inputQuantityList', 'inputClass'],
  ['outputQuantityList', 'outputClass'],
];

const STANDARD: ReadonlySet<string> = new Set(
  `@context type id eventID eventTime eventTimeZoneOffset recordTime errorDeclaration certificationInfo bizStep disposition persistentDisposition
   readPoint bizLocation bizTransactionList sourceList destinationList sensorElementList action epcList quantityList ilmd parentID childEPCs
   childQuantityList inputEPCList inputQuantityList outputEPCList outputQuantityList transformationID`.split(/\s+/),
);
const SENSOR_TEXTS = `deviceID deviceMetadata rawData dataProcessingMethod bizRules microorganism chemicalSubstance stringValue uriValue
  booleanValue hexBinaryValue coordinateReferenceSystem`.split(/\s+/);
const SENSOR_NUMBERS = ['value', 'minValue', 'maxValue', 'meanValue', 'sDev', 'percRank', 'percValue'];
const SENSOR_TIMES = ['time', 'startTime', 'endTime'];
const SENSOR_MEMBERS: ReadonlySet<string> = new Set([
  ...SENSOR_TEXTS,
  ...SENSOR_NUMBERS,
  ...SENSOR_TIMES,
  'type',
  'exception',
  'component',
  'uom',
]);

/** Bytes that an index of the database takes of a text. What is longer stays in the event, and no query finds it by that text. */
const LONGEST = 1_000;
/** Of a role, which one index has with the name and the key of the event. */
const LONGEST_ROLE = 250;
const isShort = (text: string): boolean => text.length <= LONGEST && Buffer.byteLength(text) <= LONGEST;
const shortOrNull = (text: string | null): string | null => (text !== null && isShort(text) ? text : null);

/** Collects what one event is found by. */
class Index {
  readonly names = new Map<string, { readonly role: NameRole; readonly name: string }>();
  readonly terms = new Set<string>();
  readonly values: { readonly field: string; readonly value: number }[] = [];

  constructor(private readonly namespaces: Readonly<Record<string, string>>) {}

  name(role: NameRole, uri: unknown): void {
    if (typeof uri !== 'string') return;
    const name = canonicalName(uri);
    if (isShort(name) && Buffer.byteLength(role) <= LONGEST_ROLE) this.names.set(`${role} ${name}`, { role, name });
  }

  term(field: string, value: unknown): void {
    const text = textOf(value);
    for (const term of [field, ...(text === null ? [] : [`${field}=${text}`])]) if (isShort(term)) this.terms.add(term);
  }

  number(field: string, value: unknown): void {
    if (typeof value === 'number' && Number.isFinite(value) && isShort(field)) this.values.push({ field, value });
  }

  /** A member of an extension, and what is inside it (EQ_INNER_…). */
  extension(kind: string, name: string, value: unknown, inner = false): void {
    const field = `${kind}${inner ? 'INNER_' : ''}${fullField(name, this.namespaces)}`;
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isShort(field)) this.terms.add(field);
      if (isObject(one)) for (const [key, inside] of Object.entries(one)) this.extension(kind, key, inside, true);
      else this.comparable(field, one);
    }
  }

  private comparable(field: string, value: unknown): void {
    this.term(field, value);
    this.number(field, numberOf(value));
  }
}

/** @param namespaces of the document around the event */
export function indexedEvent(event: Json, eventID: string, namespaces: Readonly<Record<string, string>> = {}): IndexedEvent {
  const own = { ...KNOWN_NAMESPACES, ...namespaces, ...namespacesOf(event['@context']) };
  const index = new Index(own);
  for (const [list, role] of LISTS) for (const epc of listIn(event[list])) index.name(role, epc);
  for (const [list, role] of CLASSES) for (const item of listIn(event[list])) quantity(index, role, item);
  index.name('parent', event['parentID']);
  typed(index, event, 'bizTransaction', TRANSACTION_TYPE);
  typed(index, event, 'source', PARTY_TYPE);
  typed(index, event, 'destination', PARTY_TYPE);
  for (const which of ['set', 'unset'])
    for (const word of isObject(event['persistentDisposition']) ? listIn(event['persistentDisposition'][which]) : [])
      index.term(`persistentDisposition_${which}`, wordIn(DISPOSITION, word));
  if (event['transformationID'] !== undefined) index.term('transformationID', event['transformationID']);
  for (const one of listIn(event['certificationInfo'])) index.term('certificationInfo', one);
  declaration(index, event['errorDeclaration']);
  for (const element of listIn(event['sensorElementList'])) if (isObject(element)) sensor(index, element);
  if (isObject(event['ilmd'])) for (const [name, value] of Object.entries(event['ilmd'])) index.extension('ILMD_', name, value);
  for (const [name, value] of Object.entries(event)) if (!STANDARD.has(name)) index.extension('', name, value);
  return {
    eventID,
    type: String(event['type']),
    action: textAt(event, 'action'),
    eventTime: String(event['eventTime']),
    recordTime: textAt(event, 'recordTime'),
    bizStep: shortOrNull(wordIn(BIZ_STEP, event['bizStep'])),
    disposition: shortOrNull(wordIn(DISPOSITION, event['disposition'])),
    readPoint: shortOrNull(placeOf(event['readPoint'])),
    bizLocation: shortOrNull(placeOf(event['bizLocation'])),
    names: [...index.names.values()],
    terms: [...index.terms],
    values: index.values,
  };
}

function quantity(index: Index, role: NameRole, item: unknown): void {
  if (!isObject(item)) return;
  index.name(role, item['epcClass']);
  index.number('quantity', item['quantity']);
}

function typed(index: Index, event: Json, member: 'bizTransaction' | 'source' | 'destination', types: Vocabulary): void {
  for (const one of listIn(event[`${member}List`]))
    index.name(`${member}_${wordIn(types, isObject(one) ? one['type'] : null) ?? ''}`, textAt(one, member));
}

function declaration(index: Index, given: unknown): void {
  if (!isObject(given)) return;
  index.term('errorDeclaration', null);
  const at = Date.parse(textAt(given, 'declarationTime') ?? '');
  index.number('errorDeclarationTime', at);
  if (given['reason'] !== undefined) index.term('errorReason', wordIn(ERROR_REASON, given['reason']));
  for (const id of listIn(given['correctiveEventIDs'])) index.term('correctiveEventID', id);
  for (const [name, value] of Object.entries(given)) if (name.includes(':')) index.extension('ERROR_DECLARATION_', name, value);
}

function sensor(index: Index, element: Json): void {
  index.term('sensorElementList', null);
  const metadata = isObject(element['sensorMetadata']) ? element['sensorMetadata'] : {};
  facts(index, metadata, 'SENSORMETADATA_');
  for (const report of listIn(element['sensorReport'])) {
    if (!isObject(report)) continue;
    facts(index, report, 'SENSORREPORT_');
    const uom = textAt(report, 'uom');
    for (const name of SENSOR_NUMBERS) {
      index.number(name, report[name]);
      if (uom !== null) index.number(`${name}_${uom}`, report[name]);
    }
  }
  for (const [name, value] of Object.entries(element)) if (name.includes(':')) index.extension('SENSORELEMENT_', name, value);
}

function facts(index: Index, given: Json, kind: string): void {
  for (const name of SENSOR_TEXTS) if (given[name] !== undefined) index.term(name, sensorText(given[name]));
  for (const name of SENSOR_TIMES) index.number(name, Date.parse(textAt(given, name) ?? ''));
  if (typeof given['type'] === 'string') index.term('type', gs1Word(given['type']));
  if (typeof given['exception'] === 'string') index.term('exception', gs1Word(given['exception']));
  if (typeof given['component'] === 'string') index.term('component', fullWord(COMPONENT, given['component']));
  for (const [name, value] of Object.entries(given))
    if (!SENSOR_MEMBERS.has(name) && name.includes(':')) index.extension(kind, name, value);
}

const sensorText = (value: unknown): unknown => (typeof value === 'string' ? canonicalName(value) : value);

/** Words of the CBV in full; private ones as they are. */
const wordIn = (vocabulary: Vocabulary, word: unknown): string | null => (typeof word === 'string' ? fullWord(vocabulary, word) : null);

const placeOf = (place: unknown): string | null => {
  const id = textAt(place, 'id');
  return id === null ? null : canonicalName(id);
};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;

/** Of a number or a time: what GT_ and LT_ of an extension compare. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  if (/^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value);
  const at = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
