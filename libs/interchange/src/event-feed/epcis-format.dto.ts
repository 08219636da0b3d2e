import { type ListCursor, listCursor } from '#http';
import { Clock } from '#kernel';
import { type ListFormat, ListFormats, type FormatRequest, type FormattedList } from '#traceability';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EpcisEvent, documentAround, documentText } from '../epcis/epcis-event.js';
import type { FeedEntry, FeedPlace, FeedRequest } from './event-feed.js';
import { ReadEventFeed } from './read-event-feed.js';

/** Entries of a response without a limit that are in memory at once; fewer would ask the database more often. */
const STREAM_PAGE = 250;

/** `format=epcis`: an EPCISDocument of events, custody and recalls. */
@Injectable()
export class EpcisFormat implements ListFormat, OnModuleInit {
  readonly name = 'epcis';
  readonly mediaType = 'application/ld+json';

  constructor(
    private readonly formats: ListFormats,
    private readonly feed: ReadEventFeed,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.formats.add(this);
  }

  async write({ actor, filter, limit, cursor, origin, path }: FormatRequest): Promise<FormattedList> {
    const naming = { base: origin, tenant: actor.tenantSlug };
    const request: FeedRequest = { actor, filter, naming };
    const cursors = cursorsOf(request);
    const start = cursor === undefined ? null : placeAt(cursors, cursor);
    const around = documentAround(new URL(path, origin).href, this.clock.now(), naming);
    const first = await this.feed.page(request, start, limit ?? STREAM_PAGE);
    const last = first.at(-1);
    const more = filter.id === undefined && limit !== null && last !== undefined && first.length === limit;
    const pages = limit === null ? this.following(request, first) : [first];
    return {
      contentType: `${this.mediaType}; charset=utf-8`,
      next: more ? cursors.after(last.at?.toISOString() ?? '', String(last.source), last.key) : null,
      text: documentText(around, eventsOf(pages)),
    };
  }

  private async *following(request: FeedRequest, first: readonly FeedEntry[]): AsyncGenerator<readonly FeedEntry[]> {
    for (let page = first; page.length > 0;) {
      yield page;
      page = page.length < STREAM_PAGE ? [] : await this.feed.page(request, page.at(-1)!, STREAM_PAGE);
    }
  }
}

async function* eventsOf(
  pages: AsyncIterable<readonly FeedEntry[]> | Iterable<readonly FeedEntry[]>,
): AsyncGenerator<readonly EpcisEvent[]> {
  for await (const page of pages) yield page.map(({ event }) => event());
}

const cursorsOf = ({ actor, filter }: FeedRequest): ListCursor => {
  const { status, id, processType, kind, tokenIds, tlc, orgId, from, to } = filter;
  return listCursor(actor.tenantId, 'epcis', status, id, processType, kind, tokenIds?.join(), tlc, orgId, from, to);
};

function placeAt(cursors: ListCursor, cursor: string): FeedPlace {
  const [at, source, key] = cursors.place(
    cursor,
    ([time, number, , ...rest]) => rest.length === 0 && (time === '' || !Number.isNaN(Date.parse(time!))) && /^\d$/.test(number ?? ''),
  );
  return { at: at === '' ? null : new Date(at!), source: Number(source), key: key! };
}
