import { hash } from 'node:crypto';
import { type DomainError, type ProblemBudget, invalidContent, jsonTextFaults } from '#kernel';
import { eventFaults, isEpcisContext } from '../conformance/conformance.js';
import { hasTooManyValues } from '../conformance/sizes.js';
import { eventHashId } from '../epcis/event-hash.js';
import { type Json, eventIdIn, isObject } from '../epcis/json.js';
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
  /** Of its document, the same for all of its events; null where that has only the context of EPCIS. */
  readonly context: DocumentContext | null;
  readonly refusal: DomainError | null;
}

/** Contexts of a document other than that of EPCIS: what the prefixes of its extensions mean. */
export interface DocumentContext {
  /** Of its text, sha2-256, hexadecimal. */
  readonly hash: string;
  /** A JSON list. */
  readonly text: string;
}

/** What keeps an event apart from every other. */
export interface Reservation {
  /** `ni:///sha-256;…` */
  readonly hash: string;
  readonly declaredId: string | null;
  /** JSON of the event as it came. */
  readonly event: string;
  readonly contextHash: string | null;
}

function contextOf(contexts: unknown): DocumentContext | null {
  const all = Array.isArray(contexts) ? (contexts as unknown[]) : [contexts];
  const own = all.filter((one) => isObject(one) || (typeof one === 'string' && !isEpcisContext(one)));
  if (own.length === 0) return null;
  const text = JSON.stringify(own);
  return { hash: hash('sha256', text, 'hex'), text };
}

/** Compares each event of a document with the standard and with those before it. */
export class DocumentReader {
  /** Where in the list a hash came first. */
  private readonly hashes = new Map<string, number>();
  private readonly ids = new Set<string>();

  readonly context: DocumentContext | null;

  /** @param contexts `@context` of the document @param budget of the problems that its answer lists @param pointerOf an event in it */
  constructor(
    private readonly contexts: unknown,
    private readonly budget: ProblemBudget,
    private readonly pointerOf: (index: number) => string,
  ) {
    this.context = contextOf(contexts);
  }

  read(given: unknown, index: number): DocumentEvent {
    const pointer = this.pointerOf(index);
    // Before anything is computed from its texts: a name with half a surrogate pair has no percent-encoding.
    const unreadable = isObject(given) && hasTooManyValues(given) ? [] : jsonTextFaults(given, pointer);
    const faults = unreadable.length > 0 ? unreadable : eventFaults(given, pointer);
    const event = isObject(given) ? given : {};
    const eventID = eventIdIn(event);
    const isDeclaration = isObject(event['errorDeclaration']);
    const hashId = faults.length > 0 ? null : eventHashId(event, this.contexts);
    const refusal = hashId === null ? this.budget.of(invalidContent(faults)) : isDeclaration ? null : this.repeats(hashId, eventID, index);
    return { event, index, pointer, eventID, isDeclaration, hash: hashId, refusal, context: this.context };
  }

  private repeats(hashId: string, eventID: string | null, index: number): DomainError | null {
    const earlier = this.hashes.get(hashId);
    if (earlier !== undefined) return eventRepeated(earlier);
    this.hashes.set(hashId, index);
    if (eventID === null) return null;
    if (this.ids.has(eventID)) return eventIdTaken(eventID);
    this.ids.add(eventID);
    return null;
  }
}
