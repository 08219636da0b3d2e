import { BIZ_STEP, COMPONENT, DISPOSITION, ERROR_REASON, PARTY_TYPE, TRANSACTION_TYPE, type Vocabulary, wordOf } from '../epcis/cbv.js';
import { type Json, eventIdIn, isObject, listIn } from '../epcis/json.js';
import { XmlNames, escapeXml } from './xml-names.js';

/** Versions of EPCIS that are written in XML. */
export type XmlVersion = '1.2' | '2.0';

type Write = (value: unknown, name: string, names: XmlNames) => string;

/** A word that is no URI in its URN, which every version knows. */
const word =
  (vocabulary: Vocabulary): ((text: unknown) => string) =>
  (text) => {
    const bare = wordOf(vocabulary, String(text));
    const isUri = /^(?:urn|https?):/.test(String(text));
    return !isUri && vocabulary.words.has(bare) ? `urn:epcglobal:cbv:${vocabulary.urn}:${bare}` : String(text);
  };
const plainWord = (text: unknown): string => String(text);
/** `Temperature` is a word of GS1's vocabulary. */
const gs1Name = (text: unknown): string => (/[:/]/.test(String(text)) ? String(text) : `gs1:${String(text)}`);

/** As the event hash writes it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return JSON.stringify(value);
}

const leaf = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;
const element = (name: string, inside: string): string => `<${name}>${inside}</${name}>`;
const written =
  (as: (text: unknown) => string = plainWord): Write =>
  (value, name) =>
    leaf(name, as(value));

const epcs: Write = (value, name) =>
  element(
    name,
    listIn(value)
      .map((one) => leaf('epc', String(one)))
      .join(''),
  );

const quantities: Write = (value, name, names) =>
  element(
    name,
    listIn(value)
      .map((one) => element('quantityElement', members(one, ['epcClass', 'quantity', 'uom'], names)))
      .join(''),
  );

const typed =
  (item: string, words: Vocabulary): Write =>
  (value, name, names) => {
    const one = (given: unknown): string => {
      if (!isObject(given)) return '';
      const type = given['type'] === undefined ? {} : { type: word(words)(given['type']) };
      const { type: _, [item]: uri, ...more } = given;
      return `<${item}${attributes({ ...type, ...more }, names)}>${escapeXml(textOf(uri ?? ''))}</${item}>`;
    };
    return element(name, listIn(value).map(one).join(''));
  };

const place: Write = (value, name, names) => element(name, members(value, ['id'], names));

const persistent: Write = (value, name, names) => {
  const given = isObject(value) ? value : {};
  const { set, unset, ...more } = given;
  const all = (each: string, dispositions: unknown): string =>
    listIn(dispositions)
      .map((one) => leaf(each, word(DISPOSITION)(one)))
      .join('');
  return element(name, all('unset', unset) + all('set', set) + extensions(more, names));
};

const sensors: Write = (value, name, names) =>
  element(
    name,
    listIn(value)
      .map((one) => sensorElement(one, names))
      .join(''),
  );

function sensorElement(value: unknown, names: XmlNames): string {
  const { type: _, sensorMetadata, sensorReport, ...more } = isObject(value) ? value : {};
  const metadata = isObject(sensorMetadata) ? facts('sensorMetadata', sensorMetadata, names) : '';
  const reports = listIn(sensorReport).map((one) => facts('sensorReport', isObject(one) ? one : {}, names));
  return element('sensorElement', metadata + reports.join('') + extensions(more, names));
}

/** Attributes; what XML cannot write as one is inside. */
function facts(name: string, given: Json, names: XmlNames): string {
  const { type, exception, component, ...others } = given;
  const words = {
    ...(type !== undefined && { type: gs1Name(type) }),
    ...(exception !== undefined && { exception: gs1Name(exception) }),
    ...(component !== undefined && { component: word(COMPONENT)(component) }),
  };
  const all: Json = { ...words, ...others };
  const isAttribute = ([key, value]: [string, unknown]): boolean => value !== null && typeof value !== 'object' && names.of(key) !== null;
  const entries = Object.entries(all);
  const inside = extensions(Object.fromEntries(entries.filter((one) => !isAttribute(one))), names);
  return `<${name}${attributes(Object.fromEntries(entries.filter(isAttribute)), names)}>${inside}</${name}>`;
}

const declaration: Write = (value, name, names) => {
  const { declarationTime, reason, correctiveEventIDs, ...more } = isObject(value) ? value : {};
  const ids = listIn(correctiveEventIDs).map((one) => leaf('correctiveEventID', String(one)));
  return element(
    name,
    (declarationTime === undefined ? '' : leaf('declarationTime', textOf(declarationTime))) +
      (reason === undefined ? '' : leaf('reason', word(ERROR_REASON)(reason))) +
      (ids.length > 0 ? element('correctiveEventIDs', ids.join('')) : '') +
      extensions(more, names),
  );
};

const many: Write = (value, name) =>
  listIn(value)
    .map((one) => leaf(name, String(one)))
    .join('');
const instanceData: Write = (value, name, names) => element(name, extensions(isObject(value) ? value : {}, names));

const MEMBERS: Readonly<Record<string, Write>> = {
  eventTime: written(),
  recordTime: written(),
  eventTimeZoneOffset: written(),
  eventID: written(),
  errorDeclaration: declaration,
  certificationInfo: many,
  parentID: written(),
  epcList: epcs,
  childEPCs: epcs,
  inputEPCList: epcs,
  outputEPCList: epcs,
  quantityList: quantities,
  childQuantityList: quantities,
  inputQuantityList: quantities,
  outputQuantityList: quantities,
  action: written(),
  transformationID: written(),
  bizStep: written(word(BIZ_STEP)),
  disposition: written(word(DISPOSITION)),
  readPoint: place,
  bizLocation: place,
  bizTransactionList: typed('bizTransaction', TRANSACTION_TYPE),
  sourceList: typed('source', PARTY_TYPE),
  destinationList: typed('destination', PARTY_TYPE),
  sensorElementList: sensors,
  persistentDisposition: persistent,
  ilmd: instanceData,
};

const words = (list: string): readonly string[] => list.trim().split(/\s+/);
const WHY = 'bizStep disposition readPoint bizLocation';
const ENDS = 'sourceList destinationList';

interface MemberSequence {
  readonly first: readonly string[];
  /** In an extension of version 1.2. */
  readonly later: readonly string[];
}

/** The order of the members of each type (ISO/IEC 19987 §9.5). */
const ORDER: Readonly<Record<string, MemberSequence>> = {
  ObjectEvent: { first: words(`epcList action ${WHY} bizTransactionList`), later: words(`quantityList ${ENDS} ilmd`) },
  AggregationEvent: { first: words(`parentID childEPCs action ${WHY} bizTransactionList`), later: words(`childQuantityList ${ENDS}`) },
  TransactionEvent: { first: words(`bizTransactionList parentID epcList action ${WHY}`), later: words(`quantityList ${ENDS}`) },
  TransformationEvent: {
    first: words(`inputEPCList inputQuantityList outputEPCList outputQuantityList transformationID ${WHY} bizTransactionList ${ENDS} ilmd`),
    later: [],
  },
  AssociationEvent: {
    first: words(`parentID childEPCs childQuantityList action ${WHY} bizTransactionList ${ENDS}`),
    later: [],
  },
};
const BASE = words('eventID errorDeclaration certificationInfo');
const NEWEST = words('sensorElementList persistentDisposition');
const TIMES = words('eventTime recordTime eventTimeZoneOffset');

/** An event of EPCIS 2.0 as JSON has it, in XML. @param contexts of the document around it */
export function eventXml(event: Json, version: XmlVersion, contexts: unknown): string {
  const type = String(event['type']);
  const order = ORDER[type] ?? ORDER['ObjectEvent']!;
  const names = new XmlNames(contexts, event['@context']);
  const { '@context': _, type: __, id: ___, ...given } = event;
  const all: Json = { ...given, eventID: eventIdIn(event) ?? undefined };
  const write = (wanted: readonly string[]): string => wanted.map((name) => memberOf(all, name, names)).join('');
  const own = extensions(Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(MEMBERS, name))), names);
  const inside = (version === '2.0' ? contentOf2(write, order) : contentOf1(write, order)) + own;
  const text = `<${type}${names.declarations}>${inside}</${type}>`;
  if (version === '2.0' || !ADDED_LATER.has(type)) return text;
  return type === 'AssociationEvent' ? element('extension', element('extension', text)) : element('extension', text);
}

/** Types that version 1.2 has inside of extensions. */
const ADDED_LATER: ReadonlySet<string> = new Set(['TransformationEvent', 'AssociationEvent']);

type WriteMembers = (names: readonly string[]) => string;

/** Instance data are the last of what EPCIS knows. */
function contentOf2(write: WriteMembers, { first, later }: MemberSequence): string {
  const others = [...first, ...later].filter((name) => name !== 'ilmd');
  return write([...TIMES, ...BASE, ...others, ...NEWEST, 'ilmd']);
}

function contentOf1(write: WriteMembers, { first, later }: MemberSequence): string {
  const newest = wrapped('extension', write(NEWEST));
  const added = later.length === 0 ? newest : wrapped('extension', write(later) + newest);
  return write(TIMES) + wrapped('baseExtension', write(BASE)) + write(first) + added;
}

const wrapped = (name: string, inside: string): string => (inside === '' ? '' : element(name, inside));

function memberOf(event: Json, name: string, names: XmlNames): string {
  const value = event[name];
  return value === undefined || value === null ? '' : MEMBERS[name]!(value, name, names);
}

function members(value: unknown, known: readonly string[], names: XmlNames): string {
  const given = isObject(value) ? value : {};
  const first = known.map((name) => (given[name] === undefined ? '' : leaf(name, textOf(given[name])))).join('');
  return first + extensions(Object.fromEntries(Object.entries(given).filter(([name]) => !known.includes(name))), names);
}

function attributes(given: Json, names: XmlNames): string {
  return Object.entries(given)
    .map(([key, value]) => ` ${names.of(key) ?? key}="${escapeXml(String(value))}"`)
    .join('');
}

/** Members of extensions, whatever is in them. A name that XML cannot have is an attribute of `trc:member`. */
function extensions(given: Json, names: XmlNames): string {
  return Object.entries(given)
    .flatMap(([key, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => extension(key, one, names)))
    .join('');
}

function extension(key: string, value: unknown, names: XmlNames): string {
  if (value === undefined) return '';
  const name = names.of(key);
  const [open, close] = name === null ? [`trc:member name="${escapeXml(key)}"`, 'trc:member'] : [name, name];
  if (value === null) return `<${open} xsi:nil="true"/>`;
  return `<${open}>${isObject(value) ? extensions(value, names) : escapeXml(textOf(value))}</${close}>`;
}
