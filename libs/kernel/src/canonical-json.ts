/** A value that JSON can carry and RFC 8785 can write in exactly one way. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export class NotCanonical extends Error {
  constructor(
    readonly pointer: string,
    readonly code: 'lone_surrogate' | 'unsafe_integer' | 'not_json' | 'too_deep',
    message: string,
  ) {
    super(message);
  }
}

const MAX_DEPTH = 32;
/** Hardly a text has any, and looking around each character takes time. */
const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * RFC 8785 (JCS), strict: what would hash differently elsewhere is refused instead of being repaired.
 * Integers beyond 2^53 are refused because JSON.parse has already rounded them.
 * @throws NotCanonical with the pointer of the value
 */
export function canonicalJson(value: unknown): string {
  return write(value, '', 0);
}

function write(value: unknown, pointer: string, depth: number): string {
  if (depth > MAX_DEPTH) throw new NotCanonical(pointer, 'too_deep', `nested deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'string':
      return text(value, pointer);
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) break;
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw new NotCanonical(pointer, 'unsafe_integer', 'an integer beyond 2^53 - 1 cannot be kept exactly; send it as a string');
      return String(value === 0 ? 0 : value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map((item, i) => write(item, `${pointer}/${i}`, depth + 1)).join(',')}]`;
      return members(value as Record<string, unknown>, pointer, depth);
    default:
  }
  throw new NotCanonical(pointer, 'not_json', 'not a JSON value');
}

function members(object: Record<string, unknown>, pointer: string, depth: number): string {
  // Array.prototype.sort compares UTF-16 code units, as RFC 8785 §3.2.3 asks.
  const keys = Object.keys(object).toSorted();
  return `{${keys.map((key) => `${text(key, pointer)}:${write(object[key], `${pointer}/${escapePointer(key)}`, depth + 1)}`).join(',')}}`;
}

function text(value: string, pointer: string): string {
  if (SURROGATE.test(value) && LONE_SURROGATE.test(value))
    throw new NotCanonical(pointer, 'lone_surrogate', 'contains half of a surrogate pair, which is not Unicode text');
  return JSON.stringify(value);
}

/** RFC 6901 §3. Hardly a key needs it, and each member of what is hashed is asked. */
export const escapePointer = (key: string): string => (/[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key);

/** The value at an RFC 6901 pointer, or undefined. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  let here: unknown = value;
  for (const raw of pointer.slice(1).split('/')) {
    if (here === null || typeof here !== 'object') return undefined;
    const key = raw.includes('~') ? raw.replaceAll('~1', '/').replaceAll('~0', '~') : raw;
    here = Object.hasOwn(here, key) ? (here as Record<string, unknown>)[key] : undefined;
  }
  return here;
}
