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

/** Each event held against the standard and against those before it. */
export function arrivals(events: readonly unknown[], contexts: unknown): readonly Arrived[] {
  const hashes = new Map<string, number>();
  const ids = new Map<string, string>();
  return events.map((given, index): Arrived => {
    const pointer = `${EVENT_LIST}/${index}`;
    const faults = eventFaults(given, pointer);
    const event = isObject(given) ? given : {};
    const eventID = textAt(event, 'eventID');
    const isDeclaration = isObject(event['errorDeclaration']);
    const arrived = { event, index, pointer, eventID, isDeclaration };
    if (faults.length > 0) return { ...arrived, hash: null, refusal: invalidContent(faults) };
    const hash = eventHashId(event, contexts);
    if (isDeclaration) return { ...arrived, hash, refusal: null };
    const earlier = hashes.get(hash);
    if (earlier !== undefined) return { ...arrived, hash, refusal: eventRepeated(earlier) };
    hashes.set(hash, index);
    if (eventID !== null && ids.has(eventID)) return { ...arrived, hash, refusal: eventIdTaken(eventID) };
    if (eventID !== null) ids.set(eventID, hash);
    return { ...arrived, hash, refusal: null };
  });
}
