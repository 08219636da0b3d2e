import type { Problem } from '#kernel';
import { type Json, isObject } from '../epcis/json.js';
import { isEventType } from '../epcis/event-types.js';
import { documentFaults } from './conformance.js';

/** The events of a body, wherever its form keeps them. */
export interface BodyEvents {
  readonly events: readonly unknown[];
  /** `@context` of the document around them; a single event has its own. */
  readonly contexts: unknown;
  /** Pointer of an event in the body. */
  readonly pointer: (index: number) => string;
  /** Pointer of their list. */
  readonly list: string;
  readonly faults: readonly Problem[];
}

const DOCUMENT_LIST = '/epcisBody/eventList';
const RESULTS = '/epcisBody/queryResults/resultsBody';

/** Reads what EPCIS 2.0 sends: a document, the results of a query, or one event (ISO/IEC 19987 §10 and §12). */
export function eventsOfBody(body: Json): BodyEvents {
  if (isEventType(body['type'])) return { events: [body], contexts: undefined, pointer: () => '', list: '', faults: [] };
  const isQuery = body['type'] === 'EPCISQueryDocument';
  const within = isQuery ? at(body['epcisBody'], 'queryResults', 'resultsBody') : at(body['epcisBody']);
  const parent = isQuery ? RESULTS : '/epcisBody';
  const around = { contexts: body['@context'], faults: documentFaults(body) };
  if (within['event'] !== undefined && within['eventList'] === undefined)
    return { ...around, events: [within['event']], list: `${parent}/event`, pointer: () => `${parent}/event` };
  const list = isQuery ? `${RESULTS}/eventList` : DOCUMENT_LIST;
  const events = Array.isArray(within['eventList']) ? (within['eventList'] as unknown[]) : [];
  return { ...around, events, list, pointer: (index) => `${list}/${index}` };
}

function at(value: unknown, ...names: readonly string[]): Json {
  let found = value;
  for (const name of names) found = isObject(found) ? found[name] : undefined;
  return isObject(found) ? found : {};
}
