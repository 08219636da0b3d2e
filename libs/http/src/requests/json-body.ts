import { type Problem, escapePointer, yieldToEventLoop } from '#kernel';
import { RouteConfig } from '@nestjs/platform-fastify';
import { malformedRequest } from '../problems/refusals.js';

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

const MAX_DEPTH = 32;
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
  const text = decode(bytes);
  const value = parse(text);
  check(text, value);
  return value;
}

/** Like `parseJsonBody`, but yields to the event loop between the parts of a large body. */
export async function readJsonBody(bytes: Buffer): Promise<unknown> {
  if (bytes.length < LARGE_BODY) return parseJsonBody(bytes);
  await refuseManyValues(bytes);
  const text = decode(bytes);
  await yieldToEventLoop();
  const value = parse(text);
  await yieldToEventLoop();
  check(text, value);
  return value;
}

/** Ten thousand events have about 400,000. Millions of empty lists would take the parser seconds, which nothing can interrupt. */
const MOST_VALUES = 1_000_000;
const COUNTED_AT_ONCE = 1024 * 1024;

async function refuseManyValues(bytes: Buffer): Promise<void> {
  let [values, isText] = [0, false];
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i];
    if (code === QUOTE) isText = !isText;
    else if (isText) i += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA || code === BRACKET || code === BRACE) values++;
    if (i % COUNTED_AT_ONCE === 0) await yieldToEventLoop();
  }
  if (values > MOST_VALUES)
    throw malformedRequest([{ pointer: '', code: 'too_many_values', message: 'The body has more than a million values.' }]);
}

function check(text: string, value: unknown): void {
  const { members, fault } = shapeOf(value);
  if (fault) throw malformedRequest([fault]);
  // For members with the same name JSON.parse keeps one. If the counts differ, the duplicate is searched for.
  const pointer = members === membersIn(text) ? null : duplicateName(text);
  if (pointer !== null) throw malformedRequest([{ pointer, code: 'duplicate_name', message: 'This member occurs twice in its object.' }]);
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformedRequest([{ pointer: '', code: 'not_utf8', message: 'The body is not UTF-8 text.' }]);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // V8's message quotes the text around the error, which may contain a password. Only the position is used.
    const position = /position (\d+)/.exec((error as Error).message)?.[1] ?? String(text.length);
    throw malformedRequest([{ pointer: '', code: 'not_json', message: `The body is not valid JSON: error at position ${position}.` }]);
  }
}

/** Number of members of all objects in a value, or its first error. */
function shapeOf(root: unknown): { readonly members: number; readonly fault: Problem | null } {
  let members = 0;
  const path: (string | number)[] = [];
  const fault = (code: string, message: string): Problem => ({
    pointer: path.map((key) => `/${escapePointer(`${key}`)}`).join(''),
    code,
    message,
  });
  const within = (key: string | number, value: unknown): Problem | null => {
    if (typeof value !== 'object' || value === null) return null;
    path.push(key);
    const found = visit(value);
    path.pop();
    return found;
  };
  const visit = (value: object): Problem | null => {
    // The limit keeps a body of a million brackets from overflowing the stack.
    if (path.length >= MAX_DEPTH) return fault('too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`);
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        const found = within(i, value[i]);
        if (found) return found;
      }
      return null;
    }
    for (const key of Object.keys(value)) {
      members++;
      if (key === '__proto__') {
        path.push(key);
        return fault('forbidden_name', 'A member cannot be named __proto__.');
      }
      const found = within(key, (value as Record<string, unknown>)[key]);
      if (found) return found;
    }
    return null;
  };
  const found = typeof root === 'object' && root !== null ? visit(root) : null;
  return { members, fault: found };
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** Number of members in valid JSON: each has one colon outside of strings. */
function membersIn(text: string): number {
  let [members, isText] = [0, false];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isText = !isText;
    else if (isText) i += code === BACKSLASH ? 1 : 0;
    else if (code === COLON) members++;
  }
  return members;
}

const COMMA = 44;
const BRACKET = 91;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;

/** An open object with the names seen in it, or an open array (`names` null). */
interface Open {
  readonly names: Set<string> | null;
  place: string | number;
  expectsName: boolean;
}

/**
 * The pointer of the first member whose name occurs twice in its object, or null. JSON.parse keeps the last one, other parsers the first;
 * but content that is hashed and signed must have one meaning (RFC 8785 requires I-JSON, RFC 7493 §2.3).
 * @param text valid JSON, so that only its structure has to be scanned
 */
export function duplicateName(text: string): string | null {
  const open: Open[] = [];
  let here: Open | undefined;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfText(text, i);
        if (here?.expectsName) {
          const name = nameIn(text.slice(i + 1, end));
          here.place = name;
          here.expectsName = false;
          if (here.names!.has(name)) return open.map(({ place }) => `/${escapePointer(String(place))}`).join('');
          here.names!.add(name);
        }
        i = end;
        break;
      }
      case BRACE:
        open.push((here = { names: new Set(), place: '', expectsName: true }));
        break;
      case BRACKET:
        open.push((here = { names: null, place: 0, expectsName: false }));
        break;
      case BRACE_END:
      case BRACKET_END:
        open.pop();
        here = open.at(-1);
        break;
      case COMMA:
        if (here!.names) here!.expectsName = true;
        else here!.place = Number(here!.place) + 1;
        break;
      default:
    }
  }
  return null;
}

/** Position of the closing quote: the next one that is not escaped. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/** Decodes escapes, so that two spellings of one name are equal. */
const nameIn = (raw: string): string => (raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw);
