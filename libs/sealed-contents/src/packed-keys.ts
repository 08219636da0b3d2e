import { type ContentKeys, KEY_BYTES, type SealedClass, WHOLE_CLASSES } from '#envelope';
import { KeyLost, openBytes, sealBytes } from './key-wrapper.js';

const HASH_BYTES = 32;
const text = (key: Uint8Array | null | undefined): string | null => (key ? Buffer.from(key).toString('base64url') : null);

/** The keys of a content in one text, which opens in its row only. */
export function packKeys(keys: ContentKeys, tenantKey: Uint8Array, row: string): Buffer {
  const whole = WHOLE_CLASSES.flatMap((name) => (keys[name] === undefined ? [] : [[name, text(keys[name])] as const]));
  const packed = { ...Object.fromEntries(whole), ...(keys.personal && { personal: keys.personal.map(text) }) };
  return sealBytes(Buffer.from(JSON.stringify(packed)), tenantKey, row);
}

/** @throws KeyLost */
export function unpackKeys(wrapped: Uint8Array, tenantKey: Uint8Array, row: string): ContentKeys {
  const packed = JSON.parse(openBytes(wrapped, tenantKey, row).toString()) as Readonly<Record<SealedClass, unknown>>;
  const { personal, ...whole } = packed;
  return {
    ...Object.fromEntries(Object.entries(whole).map(([name, key]) => [name, keyOf(key, row)])),
    ...(Array.isArray(personal) && { personal: personal.map((key) => keyOf(key, row)) }),
  };
}

function keyOf(key: unknown, row: string): Buffer | null {
  if (key === null) return null;
  const bytes = Buffer.from(typeof key === 'string' ? key : '', 'base64url');
  if (bytes.length !== KEY_BYTES) throw new KeyLost(`a key of ${row} has another length`);
  return bytes;
}

export const packTree = (tree: readonly Uint8Array[]): Buffer => Buffer.concat(tree);

export const unpackTree = (bytes: Uint8Array): readonly Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => Buffer.from(bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)));
