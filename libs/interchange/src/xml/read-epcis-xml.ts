import { XmlBody, malformedRequest } from '#http';
import { mapYielding } from '#kernel';
import { MAX_VALUES } from '../conformance/sizes.js';
import { isEventType } from '../epcis/event-types.js';
import type { Json } from '../epcis/json.js';
import { XmlEvents } from './event-of-xml.js';
import { ExtensionNames } from './extension-names.js';
import { type XmlElement, attributeOf } from './xml-element.js';
import { readElements } from './xml-elements.client.js';

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const OLD_VERSION = /^1(?:\.[0-2])?$/;

/** The body of a request: JSON as it is, XML as the JSON that says the same. @throws DomainError 400 */
export const documentIn = (body: object): Promise<Json> =>
  body instanceof XmlBody ? readEpcisXml(body.bytes) : Promise.resolve(body as Json);

/**
 * A document, the results of a query or one event of EPCIS 1.0 to 2.0 in XML, as JSON-LD of EPCIS 2.0 with the same event hashes. Pointers
 * into it name the place in XML too. What is no EPCIS is left to the checks of JSON.
 * @throws DomainError 400 for what is not well-formed, and for a member that occurs twice, with the line
 */
export async function readEpcisXml(bytes: Uint8Array): Promise<Json> {
  const { root, prefixes } = await readElements(bytes);
  const names = new ExtensionNames(prefixes);
  const events = new XmlEvents(names, refuseTwice);
  const isEvent = isEventType(root.name);
  const content = isEvent ? events.event(bounded(root)) : await bodyOf(root, events);
  const { context } = names;
  return { '@context': context === null ? [CONTEXT] : [CONTEXT, context], ...content };
}

/** Where the events of a document begin in its text, in their order. @throws DomainError 400 */
export async function placesInXml(bytes: Uint8Array): Promise<readonly number[]> {
  const { root } = await readElements(bytes);
  if (isEventType(root.name)) return [root.start];
  const { list } = listOf(root);
  return list ? eventsIn(list).map(({ start }) => start) : [];
}

interface EventList {
  readonly body: XmlElement | undefined;
  readonly results: XmlElement | undefined;
  readonly list: XmlElement | undefined;
}

function listOf(root: XmlElement): EventList {
  const body = childOf(root, 'EPCISBody');
  const results = childOf(body, 'QueryResults');
  return { body, results, list: childOf(results ? childOf(results, 'resultsBody') : body, 'EventList') };
}

async function bodyOf(root: XmlElement, events: XmlEvents): Promise<Json> {
  const { body, results, list } = listOf(root);
  const version = attributeOf(root, 'schemaVersion') ?? '';
  const creationDate = attributeOf(root, 'creationDate');
  const queryName = childOf(results, 'queryName')?.text;
  const within = list && { eventList: await mapYielding(eventsIn(list), (one) => events.event(bounded(one))) };
  const inner = results ? { queryResults: { ...(queryName !== undefined && { queryName }), resultsBody: within } } : within;
  return {
    type: root.name,
    schemaVersion: OLD_VERSION.test(version) ? '2.0' : version,
    ...(creationDate !== null && isZoned(creationDate) && { creationDate }),
    ...(body && { epcisBody: inner ?? {} }),
  };
}

/** An element is a value at least. Without this, an event of a million elements would be converted at once, only to be refused. */
function bounded(event: XmlElement): XmlElement {
  let left = MAX_VALUES;
  const visit = ({ children }: XmlElement): void => {
    left -= children.length;
    if (left >= 0) for (const child of children) visit(child);
  };
  visit(event);
  if (left >= 0) return event;
  const message = `An event has at most ${MAX_VALUES.toLocaleString('en')} values. Line ${event.line}.`;
  throw malformedRequest([{ pointer: '', code: 'too_large', message }]);
}

/** Version 1 wrote types that came later inside of extensions. */
const eventsIn = (list: XmlElement): XmlElement[] => list.children.flatMap((one) => (one.name === 'extension' ? eventsIn(one) : [one]));

const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((one) => one.name === name);

/** Version 1 allowed dates without an offset. */
const isZoned = (text: string): boolean => /(?:Z|[+-]\d{2}:\d{2})$/.test(text);

function refuseTwice({ name, line }: XmlElement): never {
  throw malformedRequest([
    { pointer: '', code: 'duplicate_name', message: `The element ${name.slice(0, 100)} occurs twice in its event. Line ${line}.` },
  ]);
}
