import { type ContentKeys, KEY_BYTES, WHOLE_CLASSES } from '#envelope';
import { KeyLost, openBytes, sealBytes } from './key-wrapper.js';

/** The first byte of a packed key. A personal text that has no key is no value, or its key was destroyed. */
const [ABSENT, DESTROYED, PRESENT] = [0, 1, 2];
type Key = Uint8Array | null | undefined;

/** The keys of a content, which open in its row only. */
export function packKeys(keys: ContentKeys, tenantKey: Uint8Array, row: string): Buffer {
  const bytes = bytesOfKeys(keys);
  const sealed = sealBytes(bytes, tenantKey, row);
  bytes.fill(0);
  return sealed;
}

/** @throws KeyLost */
export function unpackKeys(wrapped: Uint8Array, tenantKey: Uint8Array, row: string): ContentKeys {
  const keys = keysOfBytes(openBytes(wrapped, tenantKey, row));
  if (keys === null) throw new KeyLost(`the keys of ${row} were cut`);
  return keys;
}

/** One of each whole class, then those of personal values, each after a byte of its own. */
export function bytesOfKeys(keys: ContentKeys): Buffer {
  const packed: readonly Key[] = [...WHOLE_CLASSES.map((name) => keys[name]), ...(keys.personal ?? [])];
  const bytes = Buffer.allocUnsafe(packed.reduce((sum, key) => sum + (key ? 1 + KEY_BYTES : 1), 0));
  let at = 0;
  for (const key of packed) {
    bytes[at++] = key ? PRESENT : key === null ? DESTROYED : ABSENT;
    if (!key) continue;
    bytes.set(key, at);
    at += KEY_BYTES;
  }
  return bytes;
}

/** Null for bytes that were cut. */
export function keysOfBytes(bytes: Uint8Array): ContentKeys | null {
  const packed: Key[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const is = bytes[at];
    if (is === PRESENT && at + KEY_BYTES >= bytes.length) return null;
    packed.push(is === PRESENT ? bytes.subarray(at + 1, at + 1 + KEY_BYTES) : is === DESTROYED ? null : undefined);
    if (is === PRESENT) at += KEY_BYTES;
  }
  const personal = packed.slice(WHOLE_CLASSES.length).map((key) => key ?? null);
  return {
    ...Object.fromEntries(WHOLE_CLASSES.flatMap((name, i) => (packed[i] === undefined ? [] : [[name, packed[i]]]))),
    ...(personal.length > 0 && { personal }),
  };
}
