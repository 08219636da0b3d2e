/** A JSON value that RFC 8785 can write in exactly one way. */
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
/** Text without any character that needs an escape. */
const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * RFC 8785 (JCS), strict: values that other implementations would hash differently are refused, not repaired. Integers beyond 2^53 are
 * refused because JSON.parse has already rounded them.
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
        throw new NotCanonical('', 'unsafe_integer', 'an integer beyond 2^53 - 1 cannot be stored exactly; send it as a string');
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
  // Array.prototype.sort compares UTF-16 code units, as RFC 8785 §3.2.3 requires.
  for (const key of Object.keys(object).sort()) {
    written += `${written === '' ? '' : ','}${text(key)}:`;
    written += inside(object[key], key, depth);
  }
  return `{${written}}`;
}

/** The pointer is built while the error propagates: errors are rare, and a pointer for every value would take as long as writing it. */
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

/** RFC 6901 §3. The test is a shortcut: few keys need escapes, and this runs for every member of hashed content. */
export const escapePointer = (key: string): string => (/[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key);

/** The names in a pointer, cached: every event uses the same few pointers of its process map. */
const names = new Map<string, readonly string[]>();

/** The names along an RFC 6901 pointer; of the whole value none. */
export function pointerNames(pointer: string): readonly string[] {
  if (pointer === '') return [];
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

/** A JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at an RFC 6901 pointer, or undefined. */
export function atPointer(value: unknown, pointer: string): unknown {
  let here: unknown = value;
  for (const key of pointerNames(pointer)) {
    if (here === null || typeof here !== 'object') return undefined;
    here = Object.hasOwn(here, key) ? (here as Record<string, unknown>)[key] : undefined;
  }
  return here;
}
