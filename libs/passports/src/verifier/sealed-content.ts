import { type Hex, type Json, type Members, bytesOf, canonical, sha256, utf8 } from './encoding.js';

/** One value of a sealed content, with the hashes that lead from it to the root of its block. */
export interface Disclosure {
  readonly bytes: string;
  readonly index: number;
  readonly path: readonly Hex[];
}

export interface DisclosedValue {
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

const SALT = /^[A-Za-z0-9_-]{21}[AQgw]$/;

const hashOf = (first: number, ...parts: readonly Uint8Array[]): Hex => {
  const bytes = new Uint8Array(1 + parts.reduce((sum, { length }) => sum + length, 0));
  bytes[0] = first;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return sha256(bytes);
};

/** Whether a block is one of version 2, whose values may be sealed. */
export const isSealed = (envelope: Members): boolean => envelope['v'] === 2;

/** The value that a disclosure proves; null where it does not lead to the root. */
export function provenValue(envelope: Members, { bytes, index, path }: Disclosure): DisclosedValue | null {
  const { root = null, leaves = 0 } = envelope;
  const isPlace = typeof leaves === 'number' && leaves > 0 && index < leaves && 2 ** path.length === leaves;
  if (!isPlace || typeof root !== 'string') return null;
  const leaf = JSON.parse(bytes) as Json;
  if (!Array.isArray(leaf) || leaf.length !== 3 || canonical(leaf) !== bytes) return null;
  const [salt, names, value] = leaf as [Json, Json, Json];
  if (typeof salt !== 'string' || !SALT.test(salt) || !isPath(names)) return null;
  let here = hashOf(0, utf8(bytes));
  let at = index;
  for (const sibling of path) {
    const [left, right] = at % 2 === 0 ? [here, sibling] : [sibling, here];
    here = hashOf(1, bytesOf(left), bytesOf(right));
    at = Math.floor(at / 2);
  }
  return here === root ? { path: names, value } : null;
}

const isPath = (names: Json): names is readonly (string | number)[] =>
  Array.isArray(names) &&
  names.length > 0 &&
  names.every((name: Json) => typeof name === 'string' || (Number.isSafeInteger(name) && (name as number) >= 0));

/** An element of a list that is further away than this is of no content. */
const MOST_ELEMENTS = 262_144;

/** What of a block can be read: its public words, and the values that are disclosed with it. Of version 1 all of it. */
export function readablePart(text: string, disclosures: readonly Disclosure[]): Members {
  const envelope = JSON.parse(text) as Members;
  if (!isSealed(envelope)) return envelope;
  const content = (envelope['public'] ?? {}) as Record<string, Json>;
  for (const disclosure of disclosures) {
    const proven = provenValue(envelope, disclosure);
    if (proven !== null) put(content, proven);
  }
  return content;
}

function put(content: object, { path, value }: DisclosedValue): void {
  let here = content as Record<string | number, unknown>;
  for (const [i, name] of path.entries()) {
    if (typeof name === 'number' && name >= MOST_ELEMENTS) return;
    const isLast = i === path.length - 1;
    const known: unknown = Object.hasOwn(here, name) ? here[name] : null;
    const inner: unknown = isLast ? value : (known ?? (typeof path[i + 1] === 'number' ? [] : {}));
    Object.defineProperty(here, name, { value: inner, enumerable: true, configurable: true, writable: true });
    if (isLast || typeof inner !== 'object' || inner === null) return;
    here = inner as Record<string | number, unknown>;
  }
}

/** RFC 6901. */
export const pointerOf = (path: DisclosedValue['path']): string =>
  path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
