import type { Problem } from '#kernel';
import { escapePointer } from '#kernel';
import { duplicateName } from './duplicate-name.js';
import { malformedRequest } from '../errors/refusals.js';

const MAX_DEPTH = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The bytes of a request as JSON; an empty body is `undefined`.
 * @throws DomainError 400 for what is not UTF-8, not JSON (with its position), nested deeper than 32 levels, names a member
 * `__proto__`, which plain JavaScript objects cannot carry safely, or names one twice
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  const value = parse(text);
  const fault = structuralFault(value) ?? repeatedName(text);
  if (fault) throw malformedRequest([fault]);
  return value;
}

function repeatedName(text: string): Problem | null {
  const pointer = duplicateName(text);
  return pointer === null ? null : { pointer, code: 'duplicate_name', message: 'An object has this member twice.' };
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

/** Iterative: a body of a million brackets must not meet the stack's end. */
function structuralFault(root: unknown): Problem | null {
  const open: { readonly value: unknown; readonly pointer: string; readonly depth: number }[] = [{ value: root, pointer: '', depth: 0 }];
  for (let here = open.pop(); here; here = open.pop()) {
    const { value, pointer, depth } = here;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH) return { pointer, code: 'too_deep', message: `The body is nested deeper than ${MAX_DEPTH} levels.` };
    for (const [key, child] of Object.entries(value)) {
      const at = `${pointer}/${escapePointer(key)}`;
      if (key === '__proto__') return { pointer: at, code: 'forbidden_name', message: 'A member cannot be named __proto__.' };
      if (typeof child === 'object' && child !== null) open.push({ value: child, pointer: at, depth: depth + 1 });
    }
  }
  return null;
}
