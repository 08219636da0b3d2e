import { type TenantTx, UnitOfWork } from '#persistence';
import { type ListPosition, EventAccounts, type EventFilter, readsAll } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type EpcisEvent, capturedEvent, epcisEvent } from '../epcis/epcis-event.js';
import { CapturedQueries } from './captured.queries.js';
import {
  FIRST,
  type FeedEntry,
  type FeedPlace,
  type FeedRequest,
  LAST,
  type SourceEntry,
  type SourcePlace,
  byPlace,
  placeIn,
} from './event-feed.js';
import { CustodyFeedQueries, RecallFeedQueries } from './transitions.queries.js';

/** The next entries of one kind behind a place; null = from the beginning. The same few statements however many there are. */
type Source = (tx: TenantTx, request: FeedRequest, after: SourcePlace | null, limit: number) => Promise<readonly SourceEntry[]>;

/** What happened to lots, from all sources, newest first. Each page is a transaction of its own: a slow reader holds none open. */
@Injectable()
export class ReadEventFeed {
  constructor(
    private readonly work: UnitOfWork,
    private readonly accounts: EventAccounts,
    private readonly captured: CapturedQueries,
    private readonly custody: CustodyFeedQueries,
    private readonly recalls: RecallFeedQueries,
  ) {}

  page(request: FeedRequest, after: FeedPlace | null, limit: number): Promise<readonly FeedEntry[]> {
    return this.work.inSnapshot(request.actor, async (tx) => {
      const found = await Promise.all(
        this.sources(request.filter).map(async (read, source): Promise<FeedEntry[]> => {
          const entries = read ? await read(tx, request, after && placeIn(source, after), limit) : [];
          return entries.map((entry) => ({ ...entry, source }));
        }),
      );
      return found.flat().toSorted(byPlace).slice(0, limit);
    });
  }

  /** In the order in which they come at one time. A source that a filter excludes is null, so that the others keep their numbers. */
  private sources({ id, processType, kind, orgId, status }: EventFilter): readonly (Source | null)[] {
    const isOfProcesses =
      id !== undefined || processType !== undefined || orgId !== undefined || !['landed', 'all', 'recorded'].includes(status);
    const hasCustody = !isOfProcesses && (kind === undefined || kind === 'transfer');
    const hasRecalls = !isOfProcesses && kind === undefined;
    return [
      (...page) => this.recordedEvents(...page),
      hasCustody ? (...page) => this.custody.page('custody.offer_change_v1', ...page) : null,
      hasCustody ? (...page) => this.custody.page('custody.closing_change_v1', ...page) : null,
      hasRecalls ? (...page) => this.recalls.page(...page) : null,
    ];
  }

  private async recordedEvents(...[tx, { actor, filter, naming }, after, limit]: Parameters<Source>): Promise<readonly SourceEntry[]> {
    const place: ListPosition | null = after && { eventTime: after.at, id: idAt(after.key) };
    const accounts = await this.accounts.page(tx, actor, filter, place, limit);
    // As it came, an event has everything that was recorded of it.
    const readable = accounts.filter(({ event }) => readsAll(actor, event.actor.orgId));
    const captured = await this.captured.events(
      tx,
      readable.map(({ event }) => event.id),
    );
    return accounts.map((account) => {
      const { eventTime, id } = account.event;
      const given = captured.get(id);
      const event = (): EpcisEvent => (given ? capturedEvent(given, account) : epcisEvent(account, naming));
      return { at: eventTime === null ? null : new Date(eventTime), key: id, event };
    });
  }
}

/** Events are sorted by UUID: the ends of the feed's keys are the ends of UUIDs. */
function idAt(key: string): string {
  if (key === FIRST) return '00000000-0000-0000-0000-000000000000';
  return key === LAST ? 'ffffffff-ffff-ffff-ffff-ffffffffffff' : key;
}
