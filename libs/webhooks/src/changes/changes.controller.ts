import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { Controller, Get, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  ApiProblems,
  CurrentRights,
  malformedRequest,
  negotiate,
  stopSignalOf,
  vary,
  type StoppingRequest,
  type VaryingReply,
} from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor, DomainError } from '#kernel';
import { changesExpired, changesUnknown, consumerNotFound, notAcceptable, tooManyReaders, topicUnknown } from '../errors.js';
import { TopicCatalogue } from '../topics/topic-catalogue.js';
import { ChangeConsumer } from './change-consumer.js';
import type { ChangePage, Place } from './change.js';
import {
  BATCH_TYPE,
  CHANGE_TYPES,
  ChangesQuery,
  ChangesView,
  STREAM_START,
  STREAM_TYPE,
  batchText,
  changesText,
  streamText,
} from './changes.dto.js';
import { type ChangesRequest, ReadChanges, type Waiting, cursorOf, placeIn } from './read-changes.js';

/** A stream ends after this time, and its client connects again. */
const STREAM_MS = 600_000;
/** A connection on which nothing is sent is closed by proxies, often after a minute. */
const BEAT_MS = 15_000;

interface Reply extends VaryingReply {
  readonly raw: ServerResponse;
}

const CLOUD_EVENT = {
  type: 'object',
  required: ['specversion', 'id', 'source', 'type'],
  properties: Object.fromEntries(
    ['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'cursor'].map((name) => [name, { type: 'string' }]),
  ),
  additionalProperties: true,
};

@ApiTags('Changes')
@ApiExtraModels(ChangesView)
@Access('member')
@Controller('api/v1/changes')
export class ChangesController {
  constructor(
    private readonly readChanges: ReadChanges,
    private readonly catalogue: TopicCatalogue,
    private readonly changeConsumer: ChangeConsumer,
    private readonly rights: CurrentRights,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listChanges',
    summary: 'What has become final, in order and each once, as far as you may read it',
    description:
      'The messages that webhooks send, to be fetched. `wait` holds the request until there is one; `Accept: text/event-stream` sends them as they come, and `Last-Event-ID` continues. CloudEvents 1.0: `Accept: application/cloudevents-batch+json`, or `text/event-stream, application/cloudevents+json`.',
  })
  @ApiOkResponse({
    description: 'The next part of the feed. `Link` with `rel="next"` leads on',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ChangesView) } },
      [BATCH_TYPE]: { schema: { type: 'array', items: CLOUD_EVENT } },
      [STREAM_TYPE]: { schema: { type: 'string' } },
    },
  })
  @ApiProblems(changesExpired, changesUnknown, consumerNotFound, notAcceptable, tooManyReaders, topicUnknown)
  async list(
    @CurrentActor() actor: Actor,
    @Query() query: ChangesQuery,
    @Req() request: StoppingRequest,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<StreamableFile | string> {
    vary(reply, 'Accept');
    const accept = request.headers['accept'];
    const type = negotiate(accept, CHANGE_TYPES);
    if (type === null) throw notAcceptable(CHANGE_TYPES);
    const cursor = (place: Place): string => cursorOf(actor.tenantId, place);
    const asked = await this.requestOf(actor, query, type === STREAM_TYPE ? request.headers['last-event-id'] : undefined);
    const waiting = { ms: query.wait * 1_000, signal: endOf(request, reply.raw), rights: () => this.rights.of(request) };
    if (type === STREAM_TYPE) {
      reply.header('x-accel-buffering', 'no');
      const asEvents = accept?.includes('application/cloudevents+json') ? actor.tenantId : null;
      return this.stream(actor, asked, waiting, (page) => streamText(page, asEvents, cursor));
    }
    const page = query.wait === 0 ? await this.readChanges.page(actor, asked) : await this.readChanges.next(actor, asked, waiting);
    reply.header('link', `<${nextUrl(request.url, cursor(page.next))}>; rel="next"`);
    reply.header('content-type', `${type}; charset=utf-8`);
    return type === BATCH_TYPE ? batchText(page, actor.tenantId, cursor) : changesText(page, cursor);
  }

  /** The first part is read before the answer begins: what refuses it still has its status. */
  private async stream(
    actor: Actor,
    asked: ChangesRequest,
    waiting: Waiting,
    textOf: (page: ChangePage) => string,
  ): Promise<StreamableFile> {
    const first = await this.readChanges.page(actor, asked);
    const pages = this.readChanges.stream(actor, { ...asked, after: first.next }, { ...waiting, ms: STREAM_MS }, BEAT_MS);
    return new StreamableFile(Readable.from(texts(first, pages, textOf), { objectMode: false }), { type: STREAM_TYPE });
  }

  /** @param lastId where a stream of the same client broke off: it comes before what its address says */
  private async requestOf(
    actor: Actor,
    { after, topics, limit, consumer }: ChangesQuery,
    lastId: string | undefined,
  ): Promise<ChangesRequest> {
    const names = topics?.flatMap((some) => some.split(','));
    const place = lastId ?? after;
    const asked: ChangesRequest = {
      after: place === undefined || place === '' ? null : place === 'latest' ? place : placeIn(actor.tenantId, place, '/after'),
      topics: names ? this.catalogue.checked(names, 'topics') : null,
      limit,
    };
    if (consumer === undefined) return asked;
    if (after !== undefined || topics !== undefined) throw refusedWithConsumer(after === undefined ? '/topics' : '/after');
    const stored = await this.changeConsumer.use(actor, consumer);
    return { after: asked.after ?? stored.place, topics: stored.topics, limit };
  }
}

const refusedWithConsumer = (pointer: string): DomainError =>
  malformedRequest([{ pointer, code: 'not_with_consumer', message: 'A consumer has its own place and topics: leave this out.' }]);

/** Aborts when the client is gone, or the process stops. */
function endOf(request: StoppingRequest, answer: ServerResponse): AbortSignal {
  const ended = new AbortController();
  const stop = stopSignalOf(request);
  const end = (): void => {
    stop.removeEventListener('abort', end);
    ended.abort();
  };
  stop.addEventListener('abort', end, { once: true });
  answer.once('close', end);
  if (stop.aborted || answer.destroyed) end();
  return ended.signal;
}

async function* texts(first: ChangePage, pages: AsyncIterable<ChangePage>, textOf: (page: ChangePage) => string): AsyncGenerator<string> {
  yield STREAM_START + textOf(first);
  for await (const page of pages) yield textOf(page);
}

/** The address of this request behind a place; a consumer's place moves when it acknowledges. */
function nextUrl(url: string, cursor: string): string {
  const [path = '', search = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(search);
  if (!parameters.has('consumer')) parameters.set('after', cursor);
  return `${path}?${parameters}`;
}
