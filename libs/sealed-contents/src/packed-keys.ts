import { type ContentKeys, KEY_BYTES, WHOLE_CLASSES } from '#envelope';
import { KeyLost, openBytes, sealBytes } from './key-wrapper.js';

/** The first byte of a packed key. A personal text that has no key is no value, or its key was destroyed. */
const [ABSENT, DESTROYED, PRESENT] = [0, 1, 2];
type Key = Uint8Array | null | undefined;

/** The keys of a content, which open in its row only: one of each whole class, then those of personal values, each after a byte of its own. */
export function packKeys(keys: ContentKeys, tenantKey: Uint8Array, row: string): Buffer {
  const packed = [...WHOLE_CLASSES.map((name) => keys[name]), ...(keys.personal ?? [])];
  const bytes = Buffer.allocUnsafe(packed.length * (1 + KEY_BYTES));
  let at = 0;
  for (const key of packed) at = packKey(bytes, at, key);
  const sealed = sealBytes(bytes.subarray(0, at), tenantKey, row);
  bytes.fill(0);
  return sealed;
}

function packKey(bytes: Buffer, at: number, key: Key): number {
  bytes[at] = key ? PRESENT : key === null ? DESTROYED : ABSENT;
  if (!key) return at + 1;
  bytes.set(key, at + 1);
  return at + 1 + KEY_BYTES;
}

/** @throws KeyLost */
export function unpackKeys(wrapped: Uint8Array, tenantKey: Uint8Array, row: string): ContentKeys {
  const bytes = openBytes(wrapped, tenantKey, row);
  const packed: Key[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === PRESENT && at + KEY_BYTES >= bytes.length) throw new KeyLost(`the keys of ${row} were cut`);
    packed.push(bytes[at] === PRESENT ? bytes.subarray(at + 1, at + 1 + KEY_BYTES) : bytes[at] === DESTROYED ? null : undefined);
    if (bytes[at] === PRESENT) at += KEY_BYTES;
  }
  const personal = packed.slice(WHOLE_CLASSES.length).map((key) => key ?? null);
  return {
    ...Object.fromEntries(WHOLE_CLASSES.flatMap((name, i) => (packed[i] === undefined ? [] : [[name, packed[i]]]))),
    ...(personal.length > 0 && { personal }),
  };
}
