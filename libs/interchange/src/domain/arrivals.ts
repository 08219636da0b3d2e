import { type DomainError, invalidContent } from '#kernel';
import { EVENT_LIST, eventFaults } from './conformance.js';
import { eventIdTaken, eventRepeated } from './errors.js';
import { eventHashId } from './event-hash.js';
import { type Json, isObject, textAt } from './json.js';

/** An event of a document before anything is asked about it. */
export interface Arrived {
  readonly event: Json;
  /** Its place in the list, and the pointer to it. */
  readonly index: number;
  readonly pointer: string;
  /** Null for what is no event. */
  readonly hash: string | null;
  readonly eventID: string | null;
  /** An error declaration: it repeats what it declares wrong, so its hash is that event's. */
  readonly isDeclaration: boolean;
  readonly refusal: DomainError | null;
}

/** Holds each event of a document against the standard and against those before it. */
export class Arrivals {
  /** Where in the list a hash came first. */
  private readonly hashes = new Map<string, number>();
  private readonly ids = new Set<string>();

  constructor(private readonly contexts: unknown) {}

  take(given: unknown, index: number): Arrived {
    const pointer = `${EVENT_LIST}/${index}`;
    const faults = eventFaults(given, pointer);
    const event = isObject(given) ? given : {};
    const eventID = textAt(event, 'eventID');
    const isDeclaration = isObject(event['errorDeclaration']);
    const hash = faults.length > 0 ? null : eventHashId(event, this.contexts);
    const refusal = hash === null ? invalidContent(faults) : isDeclaration ? null : this.repeats(hash, eventID, index);
    return { event, index, pointer, eventID, isDeclaration, hash, refusal };
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
