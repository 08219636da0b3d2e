import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { canonicalJson as json } from '#kernel';
import type { SealedClass } from './classes.js';
import { ENVELOPE_VERSION, type SealingSubject } from './envelope.js';
import { ContentFault } from './fault.js';

/** Draws so many random bytes. */
export type Random = (count: number) => Uint8Array;
export const drawRandom: Random = (count) => {
  if (count > POOL_BYTES) return randomBytes(count);
  if (drawn + count > pool.length) {
    pool = randomBytes(POOL_BYTES);
    drawn = 0;
  }
  const own = Uint8Array.prototype.slice.call(pool, drawn, drawn + count);
  pool.fill(0, drawn, drawn + count);
  drawn += count;
  return own;
};

/** A block needs about a hundred draws of 16 bytes, and a call of the system for each would be two fifths of its time. */
const POOL_BYTES = 4_096;
/** Bytes that were drawn are used once, and cleared. */
let pool = Buffer.alloc(0);
let drawn = 0;

export const KEY_BYTES = 32;
export const TAG_BYTES = 16;
/** Each key seals exactly one text, so the nonce need not differ. */
const NONCE = Buffer.alloc(12);

/** What a text is sealed for: opened as anything else it is refused. */
export interface Place extends SealingSubject {
  readonly root: string;
  readonly leaves: number;
  readonly class: SealedClass;
  readonly index: number;
  readonly count: number;
}

/** JCS of what a text is sealed for, its members in their order. It is written some ten times a block. */
const associated = ({ chainId, contract, tenant, kind, id, root, leaves, class: name, index, count }: Place): Buffer =>
  Buffer.from(
    `{"chainId":${chainId},"class":"${name}","contract":${json(contract)},"count":${count},"id":${json(id)},"index":${index},` +
      `"kind":"${kind}","leaves":${leaves},"root":"${root}","tenant":${json(tenant)},"v":${ENVELOPE_VERSION}}`,
  );

/** AES-256-GCM. @returns base64url of the sealed bytes and their tag */
export function sealText(text: Uint8Array, key: Uint8Array, place: Place): string {
  const cipher = createCipheriv('aes-256-gcm', key, NONCE);
  cipher.setAAD(associated(place));
  const sealed = Buffer.allocUnsafe(text.length + TAG_BYTES);
  sealed.set(cipher.update(text));
  cipher.final();
  sealed.set(cipher.getAuthTag(), text.length);
  return sealed.toString('base64url');
}

/** @throws ContentFault `wrong_key` for another key, place, tenant or event, and for bytes that were changed or cut */
export function openText(sealed: string, key: Uint8Array, place: Place): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  const refused = new ContentFault('wrong_key', `Class ${place.class}, number ${place.index}, does not open with its key.`);
  if (bytes.length < TAG_BYTES || key.length !== KEY_BYTES || bytes.toString('base64url') !== sealed) throw refused;
  const decipher = createDecipheriv('aes-256-gcm', key, NONCE, { authTagLength: TAG_BYTES });
  decipher.setAAD(associated(place));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()]);
  } catch {
    throw refused;
  }
}
