import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type AfterEvent, type EventAccount, EventAccounts, type EventFilter, type LotAtEvent } from '../../contract.js';
import { contentsOfBroken, correctedBy, lotsOfEvents } from '../persistence/event-lots-then.js';
import { type EventRecord, eventsByIds, eventsFrom, processOfEvent } from '../persistence/event-reads.js';
import { loadTellings, processKey } from '../persistence/map-words.js';
import { EventViews } from './event-views.js';

@Injectable()
export class ReadEventAccounts extends EventAccounts {
  constructor(private readonly views: EventViews) {
    super();
  }

  override async page(tx: TenantTx, actor: Actor, filter: EventFilter, after: AfterEvent | null, limit: number): Promise<EventAccount[]> {
    const records = await eventsFrom(tx, filter, after ? { after } : { offset: 0 }, limit);
    if (records.length === 0) return [];
    const acting = await this.acting(tx, records);
    const ids = [...new Set([...acting.values()].map(({ id }) => id))];
    const lots = byEvent(await lotsOfEvents(tx, ids));
    const contents = byEvent(await contentsOfBroken(tx, ids));
    const tellings = await loadTellings(tx, records.map(processOfEvent));
    const views = await this.views.of(tx, actor, records);
    const actingViews = new Map((await this.views.of(tx, actor, [...new Set(acting.values())])).map((view) => [view.id, view]));
    return views.map((view, i) => {
      const { id } = acting.get(view.id)!;
      const { inputs, outputs, kind, containmentMode } = actingViews.get(id)!;
      return {
        event: Object.assign({}, view, { inputs, outputs, kind: kind ?? view.kind, containmentMode }),
        process: tellings.get(processKey(processOfEvent(records[i]!))) ?? null,
        lots: lots.get(id) ?? [],
        contents: contents.get(id) ?? [],
      };
    });
  }

  /** The event that did something to lots: each itself, or what it corrects. */
  private async acting(tx: TenantTx, records: readonly EventRecord[]): Promise<ReadonlyMap<string, EventRecord>> {
    const first = await correctedBy(
      tx,
      records.filter(({ supersedes }) => supersedes !== null).map(({ id }) => id),
    );
    const corrected = new Map((await eventsByIds(tx, [...new Set(first.values())])).map((event) => [event.id, event]));
    return new Map(records.map((record) => [record.id, corrected.get(first.get(record.id) ?? '') ?? record]));
  }
}

function byEvent(rows: readonly (LotAtEvent & { readonly eventId: string })[]): ReadonlyMap<string, readonly LotAtEvent[]> {
  const found = new Map<string, LotAtEvent[]>();
  for (const { eventId, ...lot } of rows) {
    const list = found.get(eventId);
    if (list) list.push(lot);
    else found.set(eventId, [lot]);
  }
  return found;
}
