import { type DomainError, invalidContent, jsonTextFaults } from '#kernel';
import { EVENT_LIST, eventFaults, isEpcisContext } from '../conformance/conformance.js';
import { eventHashId } from '../epcis/event-hash.js';
import { type Json, isObject, textAt } from '../epcis/json.js';
import { eventIdTaken, eventRepeated } from '../errors.js';

/** An event of a document before anything is looked up about it. */
export interface DocumentEvent {
  readonly event: Json;
  /** Its place in the list, and the pointer to it. */
  readonly index: number;
  readonly pointer: string;
  /** Null for what is not an event. */
  readonly hash: string | null;
  readonly eventID: string | null;
  /** An error declaration: it repeats what it declares wrong, so its hash is that event's. */
  readonly isDeclaration: boolean;
  /** Contexts of its document other than that of EPCIS: what the prefixes of its extensions mean. */
  readonly namespaces: readonly unknown[];
  readonly refusal: DomainError | null;
}

/** What keeps an event apart from every other. */
export interface Reservation {
  /** `ni:///sha-256;…` */
  readonly hash: string;
  readonly declaredId: string | null;
  /** JSON of the event as it came. */
  readonly event: string;
}

/** What is kept of an event: all of it, readable without its document. */
export function keptText({ event, namespaces }: DocumentEvent): string {
  const own = event['@context'];
  const contexts = own === undefined ? namespaces : [...namespaces, ...(Array.isArray(own) ? (own as unknown[]) : [own])];
  return JSON.stringify(contexts.length === 0 ? event : { ...event, '@context': contexts });
}

/** Compares each event of a document with the standard and with those before it. */
export class DocumentReader {
  /** Where in the list a hash came first. */
  private readonly hashes = new Map<string, number>();
  private readonly ids = new Set<string>();

  private readonly namespaces: readonly unknown[];

  constructor(private readonly contexts: unknown) {
    const all = Array.isArray(contexts) ? (contexts as unknown[]) : [contexts];
    this.namespaces = all.filter((one) => isObject(one) || (typeof one === 'string' && !isEpcisContext(one)));
  }

  read(given: unknown, index: number): DocumentEvent {
    const pointer = `${EVENT_LIST}/${index}`;
    // Before anything is computed from its texts: a name with half a surrogate pair has no percent-encoding.
    const unreadable = jsonTextFaults(given, pointer);
    const faults = unreadable.length > 0 ? unreadable : eventFaults(given, pointer);
    const event = isObject(given) ? given : {};
    const eventID = textAt(event, 'eventID');
    const isDeclaration = isObject(event['errorDeclaration']);
    const hash = faults.length > 0 ? null : eventHashId(event, this.contexts);
    const refusal = hash === null ? invalidContent(faults) : isDeclaration ? null : this.repeats(hash, eventID, index);
    return { event, index, pointer, eventID, isDeclaration, hash, refusal, namespaces: this.namespaces };
  }

  private repeats(hash: string, eventID: string | null, index: number): DomainError | null {
    const earlier = this.hashes.get(hash);
    if (earlier !== undefined) return eventRepeated(earlier);
    this.hashes.set(hash, index);
    if (eventID === null) return null;
    if (this.ids.has(eventID)) return eventIdTaken(eventID);
    this.ids.add(eventID);
    return null;
  }
}
