import { type Actor, Clock, type DomainError } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { eventCaptured } from '../errors.js';
import { CaptureQueries } from './capture.queries.js';
import type { DocumentEvent } from './document-event.js';
import type { EventToPrepare } from './map-events.js';

/** Reserves events by their hash, so that the same event is prepared once, and records what became of them. */
@Injectable()
export class ReserveEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly queries: CaptureQueries,
    private readonly clock: Clock,
  ) {}

  /** @param refuse takes what was captured before @returns the others, in their order */
  async reserve(
    actor: Actor,
    events: readonly EventToPrepare[],
    refuse: (event: DocumentEvent, refusal: DomainError) => void,
    jobId: string | null,
  ): Promise<readonly EventToPrepare[]> {
    const now = this.clock.now();
    const wanted = events.map(({ source }) => ({
      hash: source.hash!,
      declaredId: source.eventID,
      event: JSON.stringify(source.event),
      contextHash: source.context?.hash ?? null,
    }));
    const context = events[0]?.source.context ?? null;
    return this.work.inTransaction(actor, async (tx) => {
      const known = await this.queries.eventsBehind(tx, [...new Set(wanted.flatMap(({ declaredId }) => declaredId ?? []))]);
      if (context) await this.queries.storeContext(tx, context, now);
      const taken = await this.queries.reserve(tx, wanted, { by: actor.id, jobId }, now);
      const free: EventToPrepare[] = [];
      const released: { readonly hash: string; readonly eventId: null }[] = [];
      for (const event of events) {
        const hash = event.source.hash!;
        const earlier = event.source.eventID === null ? undefined : known.get(event.source.eventID);
        if (taken.has(hash)) refuse(event.source, eventCaptured(taken.get(hash) ?? null));
        else if (earlier === undefined) free.push(event);
        else {
          refuse(event.source, eventCaptured(earlier));
          released.push({ hash, eventId: null });
        }
      }
      await this.queries.settle(tx, released);
      return free;
    });
  }

  /** What was prepared; in the transaction that saves it. */
  settle(tx: TenantTx, events: readonly { readonly hash: string; readonly eventId: string }[]): Promise<void> {
    return this.queries.settle(tx, events);
  }

  /** What was not prepared. */
  async release(actor: Actor, hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    const all = hashes.map((hash) => ({ hash, eventId: null }));
    await this.work.inTransaction(actor, (tx) => this.queries.settle(tx, all));
  }
}
