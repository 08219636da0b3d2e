import type { EventRecord } from './event-record.js';
import type { Actor } from '#kernel';
import { AnswerCache, type TenantTx } from '#persistence';
import { Injectable, StreamableFile, applyDecorators } from '@nestjs/common';
import {
  type ListPosition,
  type EventAccount,
  EventAccounts,
  type EventFilter,
  type FormattedList,
  type StateAfter,
  type ListFormat,
  ListFormats,
} from '../contract/events.js';
import { contentsOfBroken, correctedBy, lotsOfEvents } from './event-facts.queries.js';
import { eventsByIds, eventsFrom, processOfEvent } from './events.queries.js';
import { loadTellings, processKey } from '../process-maps/process-maps.queries.js';
import { EventResponses } from './event-responses.dto.js';
import { TABLE_CONTENT, malformedRequest, vary, type VaryingReply } from '#http';
import { Readable } from 'node:stream';
import { ApiExtraModels, ApiHeader, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { type FormatQuery, EventPageView, EventView } from './events.dto.js';

@Injectable()
export class AccountReader extends EventAccounts {
  constructor(private readonly views: EventResponses) {
    super();
  }

  override async page(tx: TenantTx, actor: Actor, filter: EventFilter, after: ListPosition | null, limit: number): Promise<EventAccount[]> {
    const records = await eventsFrom(tx, filter, after ? { after } : { offset: 0 }, { limit, columns: 'account' });
    if (records.length === 0) return [];
    const acting = await this.acting(tx, records);
    const ids = [...new Set([...acting.values()].map(({ id }) => id))];
    // Mostly none: an event acts by itself, unless it corrects another.
    const others = [...new Map([...acting.values()].map((one) => [one.id, one])).values()].filter(({ id }) => !acting.has(id));
    const [named, broken, tellings, views] = await Promise.all([
      lotsOfEvents(tx, ids),
      contentsOfBroken(tx, ids),
      loadTellings(tx, records.map(processOfEvent)),
      this.views.within(tx, actor, [...records, ...others]),
    ]);
    const [lots, contents] = [byEvent(named), byEvent(broken)];
    const viewsById = new Map(views.map((view) => [view.id, view]));
    return records.map((record, i) => {
      const view = views[i]!;
      const { id } = acting.get(view.id)!;
      const { inputs, outputs, kind, containmentMode } = viewsById.get(id)!;
      return {
        deedOrgId: record.deedOrgId,
        event: id === view.id ? view : Object.assign({}, view, { inputs, outputs, kind: kind ?? view.kind, containmentMode }),
        process: tellings.get(processKey(processOfEvent(record))) ?? null,
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

function byEvent(rows: readonly (StateAfter & { readonly eventId: string })[]): ReadonlyMap<string, readonly StateAfter[]> {
  const found = new Map<string, StateAfter[]>();
  for (const { eventId, ...lot } of rows) {
    const list = found.get(eventId);
    if (list) list.push(lot);
    else found.set(eventId, [lot]);
  }
  return found;
}

@Injectable()
export class KnownFormats extends ListFormats {
  private readonly formats: ListFormat[] = [];

  override add(format: ListFormat): void {
    this.formats.push(format);
  }

  override requested(format: string | undefined, accept: string | undefined): ListFormat | null {
    if (format === undefined) return this.acceptedBy(accept ?? '');
    if (format === 'json') return null;
    const found = this.formats.find(({ name }) => name === format);
    if (found) return found;
    const names = ['json', ...this.formats.map(({ name }) => name)].join(', ');
    throw malformedRequest([{ pointer: '/format', code: 'unknown_format', message: `Formats are ${names}.` }]);
  }

  /** The first type in the header that is served; JSON for a browser's long list. */
  private acceptedBy(accept: string): ListFormat | null {
    for (const range of accept.split(',')) {
      const type = range.split(';', 1)[0]!.trim().toLowerCase();
      const found = this.formats.find(({ mediaType }) => mediaType === type);
      if (found) return found;
      if (type === 'application/json' || type === '*/*' || type === 'application/*') return null;
    }
    return null;
  }
}

export interface HttpRequest {
  readonly url: string;
  readonly publicOrigin: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export type Reply = VaryingReply;

interface Exchange {
  readonly actor: Actor;
  readonly filter: EventFilter;
  readonly query: Pick<FormatQuery, 'format' | 'cursor' | 'all'> & Partial<Pick<FormatQuery, 'page' | 'limit'>>;
  readonly request: HttpRequest;
  readonly reply: Reply;
  /** Refuses what cannot be shown, before another format is written: of nothing it would be a document without events. */
  readonly known?: () => Promise<unknown>;
}

/** The formats of lists of events, and what was written in them. */
@Injectable()
export class EventFormats {
  constructor(
    readonly formats: ListFormats,
    readonly answers: AnswerCache,
  ) {}
}

/** JSON, or the format that was requested by name or by `Accept`. Pages of a format follow each other by `Link`. */
export async function inFormat<Json>(
  { formats, answers }: EventFormats,
  { actor, filter, query, request, reply, known }: Exchange,
  json: () => Promise<Json>,
): Promise<Json | Buffer | StreamableFile> {
  vary(reply, 'Accept');
  const accept = request.headers['accept'];
  const format = formats.requested(query.format, typeof accept === 'string' ? accept : undefined);
  const { page = 1, limit = 1, cursor, all } = query;
  if (!format) {
    if (all) throw refused('/all', 'not_as_json', 'As JSON, events come a page at a time.');
    return json();
  }
  if (page > 1) throw refused('/page', 'not_numbered', 'Pages of this format are not numbered: the Link of each leads to the next.');
  await known?.();
  const origin = request.publicOrigin;
  const write = async () => {
    const written = await format.write({ actor, filter, limit: all ? null : limit, cursor, origin, path: request.url });
    const body = await bodyOf(written.text);
    return Buffer.isBuffer(body) ? { ...written, body } : { ...written, body, uncached: true as const };
  };
  const { answer } = isCached(filter, all)
    ? await answers.get(actor, ['events', format.name, origin, request.url, limit, filter.tokenIds?.join()], write)
    : { answer: await write() };
  if (answer.next !== null) reply.header('link', `<${nextUrl(origin, request.url, answer.next)}>; rel="next"`);
  if (answer.fileName !== undefined) reply.header('content-disposition', `attachment; filename="${answer.fileName}"`);
  if (!Buffer.isBuffer(answer.body)) return new StreamableFile(answer.body, { type: answer.contentType });
  reply.header('content-type', answer.contentType);
  return answer.body;
}

/** A tree of more lots would be asked for by a longer text than the answer has. */
const MOST_CACHED_LOTS = 100;

/** Events that have not landed change without a revision. */
const isCached = ({ status, tokenIds = [] }: EventFilter, all: boolean | undefined): boolean =>
  !all && ['landed', 'recorded', 'voided', 'superseded'].includes(status) && tokenIds.length <= MOST_CACHED_LOTS;

/** Longer answers are sent as fast as they are read. */
const MAX_WHOLE = 512 * 1024;

/** A page of usual size in one piece: a stream for it costs more than its text. */
async function bodyOf(text: FormattedList['text']): Promise<Buffer | Readable> {
  const pieces = text[Symbol.asyncIterator]();
  const whole: Uint8Array[] = [];
  let size = 0;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const piece = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    whole.push(piece);
    size += piece.length;
    if (size > MAX_WHOLE) return Readable.from(withRest(whole, pieces), { objectMode: false });
  }
  return Buffer.concat(whole);
}

async function* withRest(begun: readonly Uint8Array[], pieces: AsyncIterator<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield* begun;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

function nextUrl(origin: string, path: string, cursor: string): string {
  const url = new URL(path, origin);
  url.searchParams.set('cursor', cursor);
  return url.href;
}

const refused = (pointer: string, code: string, message: string) => malformedRequest([{ pointer, code, message }]);

const EPCIS_ANSWER = {
  'application/ld+json': { schema: { type: 'object', description: 'An EPCISDocument (ISO/IEC 19987)', additionalProperties: true } },
} as const;
const ApiAccept = (): MethodDecorator & ClassDecorator =>
  ApiHeader({ name: 'Accept', required: false, description: '`application/ld+json` for an EPCIS 2.0 document' });

/** The answer of one event in the OpenAPI document. */
export const ApiEventInFormats = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiExtraModels(EventView),
    ApiAccept(),
    ApiOkResponse({ content: { 'application/json': { schema: { $ref: getSchemaPath(EventView) } }, ...EPCIS_ANSWER, ...TABLE_CONTENT } }),
  );

/** The answer of a list of events in the OpenAPI document. */
export const ApiEventsInFormats = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiExtraModels(EventPageView),
    ApiAccept(),
    ApiOkResponse({
      description: 'A page of events; in another format its `Link` header leads to the next',
      content: { 'application/json': { schema: { $ref: getSchemaPath(EventPageView) } }, ...EPCIS_ANSWER, ...TABLE_CONTENT },
    }),
  );
