import { isTimeOfCursor, listCursor } from '#http';
import { type Actor, Clock, hasRole } from '#kernel';
import { UnitOfWork } from '#persistence';
import { scopePatterns } from '#traceability';
import { Injectable } from '@nestjs/common';
import { epcisEventNotFound, queryTooLarge } from '../errors.js';
import { EpcisEventQueries, type ListedColumn, type Reader } from './epcis-events.queries.js';
import type { SimpleQuery } from './simple-query.js';

/** A page of texts, and where the next one begins. */
export interface FoundPage {
  /** When it was read. */
  readonly at: Date;
  readonly items: readonly string[];
  readonly next: string | null;
}

export interface PageRequest {
  readonly perPage: number;
  readonly token: string | undefined;
}

/** Who reads an event whole is said in libs/traceability/src/process-maps/visibility.ts (`readsAll`). */
export const readerOf = (actor: Actor): Reader => ({
  readsAll: hasRole(actor, 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'),
  orgId: actor.orgId,
  scope: scopePatterns(actor),
});

/** Events of the repository for one reader. */
@Injectable()
export class FindEpcisEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly events: EpcisEventQueries,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 413 `query_too_large`, 400 for a token of another query */
  async page(actor: Actor, query: SimpleQuery, { perPage, token }: PageRequest): Promise<FoundPage> {
    const reader = readerOf(actor);
    const cursors = listCursor(actor.tenantId, 'epcis', JSON.stringify(query));
    const [at, key, count] = token === undefined ? [] : cursors.place(token, isPlace);
    const seen = Number(count ?? 0);
    const left = query.eventCountLimit === null ? perPage : Math.min(perPage, query.eventCountLimit - seen);
    const now = this.clock.now();
    if (left <= 0) return { at: now, items: [], next: null };
    const { events, more } = await this.work.inSnapshot(actor, async (tx) => {
      const most = query.maxEventCount;
      if (most !== null && (await this.events.count(tx, reader, query, most + 1)) > most) throw queryTooLarge(most);
      return this.events.boundedPage(tx, reader, query, at === undefined ? null : { at: new Date(at), key: key! }, left);
    });
    const last = events.at(-1);
    const isEnd = !more || last === undefined || seen + events.length === query.eventCountLimit;
    const next = isEnd ? null : cursors.after(last.at.toISOString(), last.key, String(seen + events.length));
    return { at: now, items: events.map(({ text }) => text), next };
  }

  /** The newest with this eventID: an error declaration has that of the event. @throws DomainError 404 `event_not_found` */
  async one(actor: Actor, eventID: string): Promise<{ readonly at: Date; readonly text: string }> {
    const query = { conditions: [{ kind: 'column', column: 'eventID', any: [eventID] }], orderBy: 'recordTime', descending: true } as const;
    const [found] = await this.work.inSnapshot(actor, (tx) => this.events.page(tx, readerOf(actor), query, null, 1));
    if (!found) throw epcisEventNotFound(eventID);
    return { at: this.clock.now(), text: found.text };
  }

  /** Values that events have, in their order. @param column null: names of things */
  async values(actor: Actor, column: ListedColumn | null, { perPage, token }: PageRequest): Promise<FoundPage> {
    const cursors = listCursor(actor.tenantId, 'epcis', column ?? 'epcs');
    const [after = null] = token === undefined ? [] : cursors.place(token, (parts) => parts.length === 1);
    const found = await this.work.inSnapshot(actor, (tx) =>
      column === null
        ? this.events.listedNames(tx, readerOf(actor), after, perPage + 1)
        : this.events.listed(tx, readerOf(actor), column, after, perPage + 1),
    );
    const items = found.slice(0, perPage);
    return { at: this.clock.now(), items, next: found.length > perPage ? cursors.after(items.at(-1)!) : null };
  }
}

const isPlace = ([at, key, count, ...more]: readonly string[]): boolean =>
  more.length === 0 && isTimeOfCursor(at) && key !== undefined && /^\d{1,15}$/.test(count ?? '');
