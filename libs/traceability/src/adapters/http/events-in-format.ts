import { Readable } from 'node:stream';
import { malformedRequest } from '#http';
import type { Actor } from '#kernel';
import { StreamableFile, applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { EventFilter, EventFormats } from '../../contract.js';
import type { FormatQuery } from './events-read.dto.js';
import { EventPageView, EventView } from './events-read.shapes.js';

export interface Asked {
  readonly url: string;
  readonly protocol: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Reply {
  header(name: string, value: string): unknown;
}

interface Exchange {
  readonly actor: Actor;
  readonly filter: EventFilter;
  readonly query: Pick<FormatQuery, 'format' | 'cursor' | 'all'> & Partial<Pick<FormatQuery, 'page' | 'limit'>>;
  readonly request: Asked;
  readonly reply: Reply;
  /** Refuses what cannot be shown, before another format is written: of nothing it would be a document without events. */
  readonly known?: () => Promise<unknown>;
}

/** JSON, or the format that was asked for by name or by `Accept`. Pages of a format follow each other by `Link`. */
export async function inFormat<Json>(
  formats: EventFormats,
  { actor, filter, query, request, reply, known }: Exchange,
  json: () => Promise<Json>,
): Promise<Json | StreamableFile> {
  reply.header('vary', 'Accept');
  const accept = request.headers['accept'];
  const format = formats.asked(query.format, typeof accept === 'string' ? accept : undefined);
  const { page = 1, limit = 1, cursor, all } = query;
  if (!format) {
    if (all) throw refused('/all', 'not_as_json', 'As JSON, events come a page at a time.');
    return json();
  }
  if (page > 1) throw refused('/page', 'not_numbered', 'Pages of this format are not numbered: the Link of each leads to the next.');
  await known?.();
  const origin = `${request.protocol}://${request.host}`;
  const written = await format.write({ actor, filter, limit: all ? null : limit, cursor, origin, path: request.url });
  if (written.next !== null) reply.header('link', `<${nextUrl(origin, request.url, written.next)}>; rel="next"`);
  return new StreamableFile(Readable.from(written.text, { objectMode: false }), { type: written.contentType });
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
    ApiOkResponse({ content: { 'application/json': { schema: { $ref: getSchemaPath(EventView) } }, ...EPCIS_ANSWER } }),
  );

/** The answer of a list of events in the OpenAPI document. */
export const ApiEventsInFormats = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiExtraModels(EventPageView),
    ApiAccept(),
    ApiOkResponse({
      description: 'A page of events; in another format its `Link` header leads to the next',
      content: { 'application/json': { schema: { $ref: getSchemaPath(EventPageView) } }, ...EPCIS_ANSWER },
    }),
  );
