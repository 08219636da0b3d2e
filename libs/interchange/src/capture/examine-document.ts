import { type Actor, Clock, DomainError, invalidContent, mapYielding } from '#kernel';
import { UnitOfWork } from '#persistence';
import { EventPreparation } from '#traceability';
import { Injectable } from '@nestjs/common';
import { eventCaptured } from '../errors.js';
import { pointedProblems, submissionOf } from './capture-document.js';
import { MapEvents, type WholeDocument } from './map-events.js';
import { CaptureQueries } from './capture.queries.js';
import type { DocumentEvent } from './document-event.js';
import { namesIn } from './event-mapping.js';

/** Which event of a document makes a lot, by the text of its key. */
export async function makersIn(events: readonly DocumentEvent[], tenant: string): Promise<ReadonlyMap<string, number>> {
  const made = await mapYielding(events, ({ event, refusal }) => (refusal ? [] : namesIn(event, tenant).makes));
  return new Map(events.flatMap(({ index }, i) => made[i]!.map((key) => [key, index] as const)));
}

interface Examined {
  /** EIP-55 address that would sign. */
  readonly from: string | null;
  readonly document: WholeDocument;
  /** What events before use; what these use is added. */
  readonly reservations: Set<string>;
}

/** What capture would refuse of events; nothing is prepared. */
@Injectable()
export class ExamineDocument {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mapEvents: MapEvents,
    private readonly queries: CaptureQueries,
    private readonly preparation: EventPreparation,
    private readonly clock: Clock,
  ) {}

  /** @returns null for an event that can be prepared */
  async examine(
    actor: Actor,
    events: readonly DocumentEvent[],
    { from, document, reservations }: Examined,
  ): Promise<readonly (DomainError | null)[]> {
    const refusals = new Map(events.flatMap((event) => (event.refusal ? [[event, event.refusal] as const] : [])));
    const readable = events.filter(({ refusal }) => refusal === null);
    const known = await this.known(actor, readable);
    for (const [event, eventId] of known) refusals.set(event, eventCaptured(eventId));
    const unknown = readable.filter((event) => !known.has(event));
    const mapped = await this.mapEvents.map(actor, unknown, (event, refusal) => void refusals.set(event, refusal), document);
    const submissions = mapped.map((one) => submissionOf(one.mapped, from));
    const verdicts = await this.preparation.examineAll(actor, submissions, reservations);
    for (const [i, { source, mapped: of }] of mapped.entries()) {
      const found = verdicts[i]!;
      const problems = found instanceof DomainError ? found.details.errors : found;
      if (problems && problems.length > 0) refusals.set(source, invalidContent(pointedProblems(problems, of)));
      else if (found instanceof DomainError) refusals.set(source, found);
    }
    return events.map((event) => refusals.get(event) ?? null);
  }

  private async known(actor: Actor, events: readonly DocumentEvent[]): Promise<ReadonlyMap<DocumentEvent, string | null>> {
    const ids = [...new Set(events.flatMap(({ eventID }) => eventID ?? []))];
    const hashes = events.map(({ hash }) => hash!);
    return this.work.inSnapshot(actor, async (tx) => {
      const captured = await this.queries.captured(tx, hashes, this.clock.now());
      const behind = await this.queries.eventsBehind(tx, ids);
      return new Map(
        events.flatMap((event): [DocumentEvent, string | null][] => {
          if (captured.has(event.hash!)) return [[event, captured.get(event.hash!)!]];
          const earlier = event.eventID === null ? undefined : behind.get(event.eventID);
          return earlier === undefined ? [] : [[event, earlier]];
        }),
      );
    });
  }
}
