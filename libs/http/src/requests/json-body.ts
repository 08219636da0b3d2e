import { yieldToEventLoop } from '#kernel';
import { RouteConfig } from '@nestjs/platform-fastify';
import { malformedRequest } from '../problems/refusals.js';
import { parseInParts } from './json-parts.js';
import { BACKSLASH, BRACE, BRACKET, COMMA, QUOTE, WHOLE, checkedJson } from './json-text.js';

export const LINKED_JSON = 'application/ld+json';
/** RFC 7396. */
export const MERGE_PATCH = 'application/merge-patch+json';

/** Body rules of a route that differ from the default, one megabyte of `application/json`. */
export interface BodyRules {
  /** Bytes. */
  readonly bodyLimit: number;
  /** Also accepts JSON-LD, and reads it as JSON. */
  readonly linkedJson?: boolean;
  /** Also accepts JSON Merge Patch, and reads it as JSON. */
  readonly mergePatch?: boolean;
  /** Also accepts XML, as an `XmlBody`. */
  readonly xml?: boolean;
  /** Takes `multipart/form-data`: its parts are the members of the body. */
  readonly multipart?: boolean;
  /** Also accepts a form, as mail programs send one (RFC 8058), and reads nothing of it. */
  readonly form?: boolean;
}

export const ReadsBody = (rules: BodyRules): MethodDecorator => RouteConfig(rules);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** From this size on, the event loop gets control between the parts of reading a body. */
const LARGE_BODY = 64 * 1024;

/**
 * Parses the bytes of a request as JSON; an empty body is `undefined`.
 * @throws DomainError 400 for a body that is not UTF-8 or not JSON (with the position), is nested deeper than 32 levels, has a member
 * `__proto__`, which is not safe in JavaScript objects, or has a member twice
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  return checkedJson(decode(bytes), WHOLE);
}

/** Like `parseJsonBody`, but reads a large body in parts, and lets other tasks run between them. */
export async function readJsonBody(bytes: Buffer): Promise<unknown> {
  if (bytes.length < LARGE_BODY) return parseJsonBody(bytes);
  await refuseManyValues(bytes);
  const text = decode(bytes);
  await yieldToEventLoop();
  return parseInParts(text);
}

/** Ten thousand events have about 400,000. Millions of empty lists would take the parser seconds, which nothing can interrupt. */
const MOST_VALUES = 1_000_000;
const COUNTED_AT_ONCE = 1024 * 1024;

async function refuseManyValues(bytes: Buffer): Promise<void> {
  const count: Count = { at: 0, values: 0, isText: false };
  while (count.at < bytes.length) {
    countValues(bytes, count);
    await yieldToEventLoop();
  }
  if (count.values > MOST_VALUES)
    throw malformedRequest([{ pointer: '', code: 'too_many_values', message: 'The body has more than a million values.' }]);
}

interface Count {
  at: number;
  values: number;
  isText: boolean;
}

/** Counts in the next megabyte. */
function countValues(bytes: Buffer, count: Count): void {
  let { at, values, isText } = count;
  const until = Math.min(bytes.length, at + COUNTED_AT_ONCE);
  for (; at < until; at++) {
    const code = bytes[at];
    if (code === QUOTE) isText = !isText;
    else if (isText) at += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA || code === BRACKET || code === BRACE) values++;
  }
  Object.assign(count, { at, values, isText });
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformedRequest([{ pointer: '', code: 'not_utf8', message: 'The body is not UTF-8 text.' }]);
  }
}
