import { createHash } from 'node:crypto';
import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, map } from 'rxjs';
import { ANY_STATE, type ExpectedState, refusal } from '#kernel';
import { ANSWER_HEADERS, ApiProblems } from '../problems/api-problems.js';
import { malformedRequest } from '../problems/refusals.js';

/** RFC 9110 §13.1.1. */
export const preconditionFailed = refusal(
  'precondition_failed',
  412,
  () => 'This has changed since you read it: its ETag is not the one in If-Match. Read it again, and apply your change to what it is now.',
);

/** The part of an answer that its tag is made of, where the answer also shows what no request changes. */
const tagged = new WeakMap<object, object>();

/** @param state what changes of the resource change; the tag is made of it instead of the whole answer */
export function taggedBy<Answer extends object>(answer: Answer, state: object): Answer {
  tagged.set(answer, state);
  return answer;
}

export const entityTag = (state: object): string => contentTag(JSON.stringify(state));

/** The tag of an answer as it is sent. */
export const contentTag = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

/** Whether the client has this state by its `If-None-Match` (RFC 9110 §13.1.2: weak comparison). */
export function hasState(header: string | readonly string[] | undefined, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const tags = [header ?? []].flat().join(',').split(',').map(opaque);
  return tags.includes(opaque(etag)) || tags.includes('*');
}

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** @throws DomainError 400 for what is not a list of entity tags */
export function expectedState(header: string | readonly string[] | undefined): ExpectedState {
  if (header === undefined) return ANY_STATE;
  const given = [header].flat().join(',').trim();
  if (given === '*') return ANY_STATE;
  const tags = given.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? [''];
  if (!tags.every((tag) => ENTITY_TAG.test(tag)))
    throw malformedRequest([
      { pointer: '', code: 'if_match_malformed', message: 'If-Match must be * or entity tags in quotes: "abc", "def".' },
    ]);
  return {
    check: (now) => {
      // Strong comparison: a weak tag never matches.
      if (!tags.includes(entityTag(now))) throw preconditionFailed();
    },
  };
}

export interface TaggedReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/** For what never changes under its tag: a private cache may keep it, and asks each time, so that lost rights count at once. */
export function mayKeep(reply: TaggedReply, etag: string): void {
  reply.header('etag', etag);
  reply.header('cache-control', 'private, no-cache');
}

/** Whether the client has what is under this tag, so that the answer is 304 without a body. @param header `If-None-Match` */
export function isUnchanged(header: string | undefined, reply: TaggedReply, etag: string): boolean {
  if (!hasState(header, etag)) return false;
  mayKeep(reply, etag);
  reply.code(304);
  return true;
}

/** A client that has this answer, by its `ETag`, gets no body again. */
export const NotModified = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'If-None-Match', required: false, description: '`ETag` of the answer that you have; 304 while it is the same' }),
    ApiResponse({ status: 304, description: 'Unchanged since the `ETag` of `If-None-Match`' }),
  );

/** What the request's `If-Match` expects. Only on a route with `@Edits()`. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  expectedState(context.switchToHttp().getRequest<FastifyRequest>().headers['if-match']),
);

@Injectable()
class TagAnswer implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((answer: unknown) => {
        if (typeof answer === 'object' && answer !== null)
          void context
            .switchToHttp()
            .getResponse<FastifyReply>()
            .header('etag', entityTag(tagged.get(answer) ?? answer));
        return answer;
      }),
    );
  }
}

const ETAG_HEADER = { ETag: { description: 'State of the resource; send it as `If-Match` with a change', schema: { type: 'string' } } };

/** A route that answers with a resource that can be changed: with the `ETag` of its state. */
export const HasETag = (): MethodDecorator =>
  applyDecorators(UseInterceptors(TagAnswer), ApiExtension(ANSWER_HEADERS, { '200': ETAG_HEADER }));

/** A route that changes a resource: it takes `If-Match`, and refuses a change of another state with 412. Read it with `@IfMatch()`. */
export const Edits = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'If-Match', required: false, description: '`ETag` of the state that you change; any state when absent' }),
    ApiProblems(preconditionFailed),
  );
