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
/** Nothing in it is written otherwise than as it stands. */
const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * RFC 8785 (JCS), strict: what would hash differently elsewhere is refused instead of being repaired.
 * Integers beyond 2^53 are refused because JSON.parse has already rounded them.
 * @throws NotCanonical with the pointer of the value
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new NotCanonical('', 'too_deep', `nested deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'string':
      return text(value);
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) break;
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw new NotCanonical('', 'unsafe_integer', 'an integer beyond 2^53 - 1 cannot be kept exactly; send it as a string');
      return String(value === 0 ? 0 : value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map((item, i) => inside(item, i, depth)).join(',')}]`;
      return members(value as Record<string, unknown>, depth);
    default:
  }
  throw new NotCanonical('', 'not_json', 'not a JSON value');
}

function members(object: Record<string, unknown>, depth: number): string {
  let written = '';
  // Array.prototype.sort compares UTF-16 code units, as RFC 8785 §3.2.3 asks.
  for (const key of Object.keys(object).sort()) {
    written += `${written === '' ? '' : ','}${text(key)}:`;
    written += inside(object[key], key, depth);
  }
  return `{${written}}`;
}

/** A fault learns on its way out where it is: hardly any value has one, and a pointer for each takes as long as writing it. */
function inside(value: unknown, key: string | number, depth: number): string {
  try {
    return write(value, depth + 1);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    throw new NotCanonical(`/${escapePointer(String(key))}${error.pointer}`, error.code, error.message);
  }
}

function text(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (LONE_SURROGATE.test(value))
    throw new NotCanonical('', 'lone_surrogate', 'contains half of a surrogate pair, which is not Unicode text');
  return JSON.stringify(value);
}

/** RFC 6901 §3. Hardly a key needs it, and each member of what is hashed is asked. */
export const escapePointer = (key: string): string => (/[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key);

/** The names in a pointer: the same few of a process map are asked for with every event. */
const names = new Map<string, readonly string[]>();

function namesIn(pointer: string): readonly string[] {
  const known = names.get(pointer);
  if (known) return known;
  const read = pointer
    .slice(1)
    .split('/')
    .map((raw) => raw.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (names.size >= 1_000) names.clear();
  if (pointer.length <= 256) names.set(pointer, read);
  return read;
}

/** The value at an RFC 6901 pointer, or undefined. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  let here: unknown = value;
  for (const key of namesIn(pointer)) {
    if (here === null || typeof here !== 'object') return undefined;
    here = Object.hasOwn(here, key) ? (here as Record<string, unknown>)[key] : undefined;
  }
  return here;
}
