import { createHash } from 'node:crypto';
import type { Hex } from '#kernel';
import { MAX_CONTENT_BYTES } from './canonical-bytes.js';

/** CIDv1, codec raw, sha2-256, 32 bytes of digest. */
const PREFIX = Buffer.from([0x01, 0x55, 0x12, 0x20]);
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** Of a store that takes one block a request. */
const PUTS_AT_ONCE = 8;

/** Where canonical bytes lie, by content. The same bytes have the same CID in every store. */
export abstract class ContentStore {
  /**
   * Durable when it resolves; putting the same bytes again is harmless, and mends a damaged block.
   * @throws RangeError beyond MAX_CONTENT_BYTES, EngineUnavailable('content_storage')
   */
  abstract put(bytes: Uint8Array): Promise<ContentAddress>;
  /** Many at once, durable together; the addresses in their order. @throws as `put` */
  async putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    contents.forEach(withinLimit);
    const stored: ContentAddress[] = [];
    for (let from = 0; from < contents.length; from += PUTS_AT_ONCE)
      stored.push(...(await Promise.all(contents.slice(from, from + PUTS_AT_ONCE).map((bytes) => this.put(bytes)))));
    return stored;
  }
  /** The bytes, verified against the CID, or null when this store does not have them. @throws EngineUnavailable, CorruptContent */
  abstract get(cid: string): Promise<Uint8Array | null>;
  /** Rejects when the store does not answer. */
  abstract check(): Promise<void>;
}

/** One digest in two dresses: `dataHash` goes on chain, `cid` is CIDv1, raw codec, sha2-256, base32. */
export interface ContentAddress {
  readonly cid: string;
  readonly dataHash: Hex;
}

export class CorruptContent extends Error {
  constructor(readonly cid: string) {
    super(`the stored bytes do not hash to ${cid}`);
  }
}

/** Strict in the first and last characters too, whose spare bits are zero: one block has one name. */
const CONTENT_CID = /^bafkrei[a-h][a-z2-7]{50}[aeimquy4]$/;

/** Whether this is a CID that `put` gives out: CIDv1, raw, sha2-256, base32. Others are in no store, and never become a path. */
export const isContentCid = (cid: string): boolean => CONTENT_CID.test(cid);

export function addressOf(bytes: Uint8Array): ContentAddress {
  const digest = createHash('sha256').update(bytes).digest();
  return { cid: cidOf(digest), dataHash: `0x${digest.toString('hex')}` };
}

/** The CID that follows from a data hash on chain. */
export const cidFromDataHash = (dataHash: string): string => cidOf(Buffer.from(dataHash.slice(2), 'hex'));

/** In base32 without padding (RFC 4648, lower case), which multibase marks with `b`. Written here: thousands a second are named. */
function cidOf(digest: Uint8Array): string {
  let [cid, bits, held] = ['b', 0, 0];
  const add = (byte: number): void => {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) cid += BASE32[(held >>> (bits - 5)) & 31]!;
    held &= 31;
  };
  for (const byte of PREFIX) add(byte);
  for (const byte of digest) add(byte);
  return bits === 0 ? cid : cid + BASE32[(held << (5 - bits)) & 31]!;
}

/** @param cid one that `isContentCid` knows */
export function digestOfCid(cid: string): Buffer {
  const bytes = Buffer.alloc(PREFIX.length + 32);
  let [at, bits, held] = [0, 0, 0];
  for (let i = 1; i < cid.length; i++) {
    held = ((held << 5) | BASE32.indexOf(cid[i]!)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >>> bits;
  }
  return bytes.subarray(PREFIX.length);
}

/** @throws CorruptContent */
export function verified(cid: string, bytes: Uint8Array): Uint8Array {
  if (addressOf(bytes).cid !== cid) throw new CorruptContent(cid);
  return bytes;
}

/** @throws RangeError */
export function withinLimit(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_CONTENT_BYTES) throw new RangeError(`${bytes.length} bytes; at most ${MAX_CONTENT_BYTES} are stored`);
  return bytes;
}
