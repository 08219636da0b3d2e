import { leavesOf } from '#envelope';
import type { Json } from '#kernel';
import { openBytes, sealBytes } from './key-wrapper.js';

/** Longer words are read from the block: the row is in every dump of keys. */
const MOST_BYTES = 4_096;
/** Neither a letter nor a space, so that nothing is found across two values. */
const BETWEEN = '\u0001';
const rowName = (tenantId: string, cid: string): string => `note words ${tenantId} ${cid}`;

/** The texts and numbers of a note under the tenant's key, in the row of its keys: with that row they are gone. Null where they are too long. */
export function sealWords(note: Json, tenantKey: Uint8Array, tenantId: string, cid: string): Buffer | null {
  const said = leavesOf(note).flatMap(({ value }) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []));
  const bytes = Buffer.from(said.join(BETWEEN).normalize('NFC'));
  return bytes.length > MOST_BYTES ? null : sealBytes(bytes, tenantKey, rowName(tenantId, cid));
}

/** @throws KeyLost */
export const openWords = (words: Uint8Array, tenantKey: Uint8Array, tenantId: string, cid: string): string =>
  openBytes(words, tenantKey, rowName(tenantId, cid)).toString();
