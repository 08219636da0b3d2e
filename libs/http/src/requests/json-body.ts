import { type Problem, escapePointer, nextTurn } from '#kernel';
import { duplicateName } from './duplicate-name.js';
import { malformedRequest } from '../errors/refusals.js';

const MAX_DEPTH = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Longer bodies are read in steps, between which others have their turn. */
const LONG = 256 * 1024;

/**
 * The bytes of a request as JSON; an empty body is `undefined`.
 * @throws DomainError 400 for what is not UTF-8, not JSON (with its position), nested deeper than 32 levels, names a member
 * `__proto__`, which plain JavaScript objects cannot carry safely, or names one twice
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  const value = parse(text);
  check(text, value);
  return value;
}

/** The same, with a turn for others between the steps of a long one. */
export async function readJsonBody(bytes: Buffer): Promise<unknown> {
  if (bytes.length < LONG) return parseJsonBody(bytes);
  const text = decode(bytes);
  await nextTurn();
  const value = parse(text);
  await nextTurn();
  check(text, value);
  return value;
}

function check(text: string, value: unknown): void {
  const { members, fault } = shapeOf(value);
  if (fault) throw malformedRequest([fault]);
  // JSON.parse keeps one of two with the same name, so it is short of some; only then they are looked for.
  const pointer = members === membersIn(text) ? null : duplicateName(text);
  if (pointer !== null) throw malformedRequest([{ pointer, code: 'duplicate_name', message: 'An object has this member twice.' }]);
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
    // V8 quotes the text around the fault; the position is enough, and a body may hold a password.
    const position = /position (\d+)/.exec((error as Error).message)?.[1] ?? String(text.length);
    throw malformedRequest([{ pointer: '', code: 'not_json', message: `The body is not JSON: see position ${position}.` }]);
  }
}

/** How many members all objects in it have, or the first thing that is wrong with its shape. */
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
    // Not deeper than this: a body of a million brackets must not meet the stack's end.
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

/** Of well-formed JSON: each has one colon outside of texts. */
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
