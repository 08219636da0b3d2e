import { type ListCursor, listCursor } from '#http';
import { Clock } from '#kernel';
import { type EventFormat, EventFormats, type EventsInFormat, type FormattedEvents } from '#traceability';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type JournalRequest, ReadJournal } from '../application/read-journal.js';
import { documentAround, documentText } from '../domain/export-document.js';
import type { EpcisEvent } from '../domain/export-event.js';
import type { JournalEntry, JournalPlace } from '../ports.js';

/** Of an answer without end: more would hold more in memory, fewer would ask the database more often. */
const STREAM_PAGE = 250;

/** `format=epcis`: an EPCISDocument of events, custody and recalls. */
@Injectable()
export class EpcisFormat implements EventFormat, OnModuleInit {
  readonly name = 'epcis';
  readonly mediaType = 'application/ld+json';

  constructor(
    private readonly formats: EventFormats,
    private readonly journal: ReadJournal,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.formats.add(this);
  }

  async write({ actor, filter, limit, cursor, origin, path }: EventsInFormat): Promise<FormattedEvents> {
    const naming = { base: origin, tenant: actor.tenantSlug };
    const asked: JournalRequest = { actor, filter, naming };
    const cursors = cursorsOf(asked);
    const start = cursor === undefined ? null : placeIn(cursors, cursor);
    const around = documentAround(new URL(path, origin).href, this.clock.now(), naming);
    const first = await this.journal.page(asked, start, limit ?? STREAM_PAGE);
    const last = first.at(-1);
    const more = filter.id === undefined && limit !== null && last !== undefined && first.length === limit;
    const pages = limit === null ? this.following(asked, first) : [first];
    return {
      contentType: `${this.mediaType}; charset=utf-8`,
      next: more ? cursors.after(last.at?.toISOString() ?? '', String(last.source), last.key) : null,
      text: documentText(around, told(pages)),
    };
  }

  private async *following(asked: JournalRequest, first: readonly JournalEntry[]): AsyncGenerator<readonly JournalEntry[]> {
    for (let page = first; page.length > 0; ) {
      yield page;
      page = page.length < STREAM_PAGE ? [] : await this.journal.page(asked, page.at(-1)!, STREAM_PAGE);
    }
  }
}

async function* told(
  pages: AsyncIterable<readonly JournalEntry[]> | Iterable<readonly JournalEntry[]>,
): AsyncGenerator<readonly EpcisEvent[]> {
  for await (const page of pages) yield page.map((entry) => entry.told);
}

const cursorsOf = ({ actor, filter }: JournalRequest): ListCursor => {
  const { status, id, processType, kind, tokenIds, tlc, orgId, from, to } = filter;
  return listCursor(actor.tenantId, 'epcis', status, id, processType, kind, tokenIds?.join(), tlc, orgId, from, to);
};

function placeIn(cursors: ListCursor, cursor: string): JournalPlace {
  const [at, source, key] = cursors.place(
    cursor,
    ([time, number, , ...rest]) => rest.length === 0 && (time === '' || !Number.isNaN(Date.parse(time!))) && /^\d$/.test(number ?? ''),
  );
  return { at: at === '' ? null : new Date(at!), source: Number(source), key: key! };
}
