import { hash } from 'node:crypto';
import { BIZ_STEP, COMPONENT, DISPOSITION, PARTY_TYPE, TRANSACTION_TYPE, type Vocabulary, fullWord, gs1Word } from './cbv.js';
import { canonicalLink } from './identifiers.js';
import { type Json, isObject } from './json.js';

/** CBV 2.0 §8.9: the elements of an event in the order in which they are hashed. */
interface Element {
  readonly name: string;
  /** An item of a list is written as this element. */
  readonly item?: string;
  readonly inside?: readonly Element[];
  /** The names of those inside. */
  readonly known: ReadonlySet<string>;
  /** How a word is written in full. */
  readonly full?: (text: string) => string;
  /** Members that say nothing of what happened. */
  readonly leftOut?: readonly string[];
}

const wordsOf = (vocabulary: Vocabulary): Pick<Element, 'full'> => ({ full: (text) => fullWord(vocabulary, text) });

const element = (name: string, more: Omit<Element, 'name' | 'known'> = {}): Element => ({
  name,
  ...more,
  known: new Set([...(more.inside?.map((one) => one.name) ?? []), ...(more.leftOut ?? [])]),
});
const epcs = (name: string): Element => element(name, { item: 'epc' });
const quantities = (name: string): Element =>
  element(name, { item: 'quantityElement', inside: [element('epcClass'), element('quantity'), element('uom')] });
/** The value first, then its type, as XML wrote it. */
const typed = (name: string, item: string, words: Vocabulary): Element =>
  element(name, { inside: [element(item), element('type', wordsOf(words))] });
const plain = (names: string): Element[] => names.split(' ').map((name) => element(name));

const ORDER: readonly Element[] = [
  element('eventTime'),
  element('eventTimeZoneOffset'),
  epcs('epcList'),
  element('parentID'),
  epcs('inputEPCList'),
  epcs('childEPCs'),
  quantities('quantityList'),
  quantities('childQuantityList'),
  quantities('inputQuantityList'),
  epcs('outputEPCList'),
  quantities('outputQuantityList'),
  element('action'),
  element('transformationID'),
  element('bizStep', wordsOf(BIZ_STEP)),
  element('disposition', wordsOf(DISPOSITION)),
  element('persistentDisposition', { inside: [element('set', wordsOf(DISPOSITION)), element('unset', wordsOf(DISPOSITION))] }),
  element('readPoint', { inside: [element('id')] }),
  element('bizLocation', { inside: [element('id')] }),
  typed('bizTransactionList', 'bizTransaction', TRANSACTION_TYPE),
  typed('sourceList', 'source', PARTY_TYPE),
  typed('destinationList', 'destination', PARTY_TYPE),
  element('sensorElementList', {
    item: 'sensorElement',
    leftOut: ['type'],
    inside: [
      element('sensorMetadata', {
        inside: plain('time startTime endTime deviceID deviceMetadata rawData dataProcessingMethod bizRules'),
      }),
      element('sensorReport', {
        inside: [
          element('type', { full: gs1Word }),
          element('exception', { full: gs1Word }),
          ...plain('deviceID deviceMetadata rawData dataProcessingMethod time microorganism chemicalSubstance value'),
          element('component', wordsOf(COMPONENT)),
          ...plain('stringValue booleanValue hexBinaryValue uriValue minValue maxValue meanValue sDev percRank percValue uom'),
          element('coordinateReferenceSystem'),
        ],
      }),
    ],
  }),
];

/** Members that do not say what happened: they would give the same event another name in each document. */
const LEFT_OUT: ReadonlySet<string> = new Set(['type', '@context', 'id', 'eventID', 'recordTime', 'errorDeclaration', 'certificationInfo']);
const ORDERED: ReadonlySet<string> = new Set(ORDER.map(({ name }) => name));

/** Prefixes that the EPCIS context itself brings. */
const KNOWN_PREFIXES: Readonly<Record<string, string>> = { cbvmda: 'urn:epcglobal:cbv:mda:', gs1: 'https://ref.gs1.org/voc/' };

/**
 * The canonical text of an event and its name: `ni:///sha-256;<hex>?ver=CBV2.0`. The same event from another system, with another
 * order of members, spelling of keys or time zone of the instant, has the same name.
 * @param contexts `@context` of the document, for the namespaces of extensions
 */
export function eventHashId(event: Json, contexts: unknown): string {
  return `ni:///sha-256;${hash('sha256', preHash(event, contexts), 'hex')}?ver=CBV2.0`;
}

export function preHash(event: Json, contexts: unknown): string {
  const prefixes = { ...KNOWN_PREFIXES, ...prefixesIn(contexts), ...prefixesIn(event['@context']) };
  let ordered = '';
  for (const one of ORDER) ordered += written(one, event[one.name], prefixes);
  return `eventType=${String(event['type'])}${ordered}${generic(event, isOutside, prefixes)}`;
}

const isOutside = (name: string): boolean => !ORDERED.has(name) && !LEFT_OUT.has(name);

type Prefixes = Readonly<Record<string, string>>;

function prefixesIn(contexts: unknown): Record<string, string> {
  const all = Array.isArray(contexts) ? (contexts as unknown[]) : [contexts];
  const terms = all.flatMap((context) => (isObject(context) ? Object.entries(context) : []));
  return Object.fromEntries(
    terms.flatMap(([prefix, iri]) => {
      const text = isObject(iri) ? iri['@id'] : iri;
      return typeof text === 'string' ? [[prefix, text]] : [];
    }),
  );
}

function written(of: Element, value: unknown, prefixes: Prefixes): string {
  if (value === undefined || value === null) return '';
  const items = (Array.isArray(value) ? (value as unknown[]) : [value]).map((item) => content(of, item, prefixes));
  const filled = items.filter((item) => item !== '').toSorted(byCodeUnits);
  if (filled.length === 0) return '';
  if (of.item !== undefined) return of.name + filled.map((item) => of.item + item).join('');
  // A list of typed values is named once; a member with several plain values is named with each.
  return of.inside && of.name.endsWith('List') ? of.name + filled.join('') : filled.map((item) => of.name + item).join('');
}

function content({ name, inside, known, full }: Element, value: unknown, prefixes: Prefixes): string {
  if (!isObject(value)) return `=${canonical(name, value, full)}`;
  let ordered = '';
  for (const one of inside ?? []) ordered += written(one, value[one.name], prefixes);
  return ordered + generic(value, (key) => !known.has(key), prefixes);
}

/** Extensions and instance data: by their full names, sorted with everything in them. */
function generic(value: Json, includes: (name: string) => boolean, prefixes: Prefixes): string {
  const all: string[] = [];
  for (const name of Object.keys(value)) {
    if (!includes(name)) continue;
    const full = fullName(name, prefixes);
    const given = value[name];
    for (const item of Array.isArray(given) ? (given as unknown[]) : [given])
      all.push(isObject(item) ? full + generic(item, always, prefixes) : `${full}=${canonical(name, item)}`);
  }
  return all.toSorted(byCodeUnits).join('');
}

const always = (): boolean => true;

function fullName(name: string, prefixes: Prefixes): string {
  const colon = name.indexOf(':');
  const prefix = name.slice(0, Math.max(colon, 0));
  return Object.hasOwn(prefixes, prefix) ? `{${prefixes[prefix]}}${name.slice(colon + 1)}` : name;
}

const TIME = /time$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT/;
/** Only such a URI can hold a GS1 key: most texts need no further check. */
const MAY_BE_KEY = /^(?:urn:epc:|https?:)/;

function canonical(name: string, value: unknown, full?: (text: string) => string): string {
  if (typeof value !== 'string') return String(value);
  const text = value.trim();
  if (full) return full(text);
  if (TIME.test(name) && INSTANT.test(text)) return rounded(text);
  if (text.length <= 15 && /^[+-]?\d+(\.\d+)?$/.test(text)) return String(Number(text));
  return MAY_BE_KEY.test(text) ? (canonicalLink(text) ?? text) : text;
}

/** In UTC, to the nearest millisecond: a half is rounded up. */
function rounded(text: string): string {
  const [, fourth = '0'] = /\.\d{3}(\d)/.exec(text) ?? [];
  const at = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(at) ? text : new Date(at + (fourth >= '5' ? 1 : 0)).toISOString();
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
