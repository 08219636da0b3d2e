import { type Problem, escapePointer } from '#kernel';
import { malformedRequest } from '../problems/refusals.js';

export const MAX_DEPTH = 32;

/** Where a text is in the whole one. */
export interface Place {
  /** Names and indexes of the values around it. */
  readonly path: readonly (string | number)[];
  /** Of a part of a list: the index of its first item. */
  readonly firstItem: number;
  /** Position of its first character in the whole text; a bracket that was put before it is not counted. */
  readonly offset: number;
}

export const WHOLE: Place = { path: [], firstItem: 0, offset: 0 };

/**
 * The value of a JSON text.
 * @throws DomainError 400 where it is not JSON (with the position), is nested deeper than 32 levels, has a member `__proto__`, or has a
 * member twice
 */
export function checkedJson(text: string, place: Place): unknown {
  const value = parse(text, place);
  const { members, fault } = shapeOf(value, place);
  if (fault) throw malformedRequest([fault]);
  // For members with the same name JSON.parse keeps one. If the counts differ, the duplicate is searched for.
  const path = members === membersIn(text) ? null : duplicateName(text, place);
  if (path !== null) throw nameTwice(path);
  return value;
}

export const nameTwice = (path: readonly (string | number)[]): Error =>
  malformedRequest([{ pointer: pointerTo(path), code: 'duplicate_name', message: 'This member occurs twice in its object.' }]);

export const tooDeep = (path: readonly (string | number)[]): Problem => ({
  pointer: pointerTo(path),
  code: 'too_deep',
  message: `The body is nested deeper than ${MAX_DEPTH} levels.`,
});

/** The text around an error may contain a password. Only the position is said. */
export const notJson = (position: number): Error =>
  malformedRequest([{ pointer: '', code: 'not_json', message: `The body is not valid JSON: error at position ${position}.` }]);

const pointerTo = (path: readonly (string | number)[]): string => path.map((key) => `/${escapePointer(`${key}`)}`).join('');

function parse(text: string, { offset }: Place): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw notJson(offset + (position === undefined ? text.length : Number(position)));
  }
}

/** Number of members of all objects in a value, or its first error. */
function shapeOf(root: unknown, { path: around, firstItem }: Place): { readonly members: number; readonly fault: Problem | null } {
  let members = 0;
  const path = [...around];
  const within = (key: string | number, value: unknown): Problem | null => {
    if (typeof value !== 'object' || value === null) return null;
    path.push(key);
    const found = visit(value);
    path.pop();
    return found;
  };
  const visit = (value: object): Problem | null => {
    // The limit keeps a body of a million brackets from overflowing the stack.
    if (path.length >= MAX_DEPTH) return tooDeep(path);
    if (Array.isArray(value)) {
      const first = value === root ? firstItem : 0;
      for (let i = 0; i < value.length; i++) {
        const found = within(first + i, value[i]);
        if (found) return found;
      }
      return null;
    }
    for (const key of Object.keys(value)) {
      members++;
      if (key === '__proto__') {
        path.push(key);
        return { pointer: pointerTo(path), code: 'forbidden_name', message: 'A member cannot be named __proto__.' };
      }
      const found = within(key, (value as Record<string, unknown>)[key]);
      if (found) return found;
    }
    return null;
  };
  const found = typeof root === 'object' && root !== null ? visit(root) : null;
  return { members, fault: found };
}

export const QUOTE = 34;
export const BACKSLASH = 92;
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

export const COMMA = 44;
export const BRACKET = 91;
export const BRACKET_END = 93;
export const BRACE = 123;
export const BRACE_END = 125;

/** An open object with the names seen in it, or an open array (`names` null). */
interface Open {
  readonly names: Set<string> | null;
  place: string | number;
  expectsName: boolean;
}

/**
 * The path to the first member whose name occurs twice in its object, or null. JSON.parse keeps the last one, other parsers the first;
 * but content that is hashed and signed must have one meaning (RFC 8785 requires I-JSON, RFC 7493 §2.3).
 * @param text valid JSON, so that only its structure has to be scanned
 */
export function duplicateName(text: string, { path, firstItem }: Place = WHOLE): (string | number)[] | null {
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
          if (here.names!.has(name)) return [...path, ...open.map(({ place }) => place)];
          here.names!.add(name);
        }
        i = end;
        break;
      }
      case BRACE:
        open.push((here = { names: new Set(), place: '', expectsName: true }));
        break;
      case BRACKET:
        open.push((here = { names: null, place: open.length === 0 ? firstItem : 0, expectsName: false }));
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
