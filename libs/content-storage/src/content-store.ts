import { hash } from 'node:crypto';
import { ContentTooLarge } from '#envelope';
import { canonicalJson, type Hex, invalidContent, NotCanonical } from '#kernel';

/** CIDv1, codec raw, sha2-256, 32 bytes of digest. */
const PREFIX = Buffer.from([0x01, 0x55, 0x12, 0x20]);
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** Parallel requests to a store that accepts one block per request. */
export const PARALLEL_PUTS = 8;

/** Stores canonical bytes by their content. The same bytes have the same CID in every store. */
export abstract class ContentStore {
  /**
   * The bytes are durable when it resolves. Storing the same bytes again is allowed, and repairs a damaged block.
   * @throws RangeError beyond MAX_CONTENT_BYTES, EngineUnavailable('content_storage')
   */
  abstract put(bytes: Uint8Array): Promise<ContentAddress>;
  /** Stores many blocks; all are durable when it resolves. The addresses are in their order. @throws like `put` */
  async putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    contents.forEach(withinLimit);
    const stored: ContentAddress[] = [];
    for (let from = 0; from < contents.length; from += PARALLEL_PUTS)
      stored.push(...(await Promise.all(contents.slice(from, from + PARALLEL_PUTS).map((bytes) => this.put(bytes)))));
    return stored;
  }
  /** The bytes, verified against the CID; null when this store does not have them. @throws EngineUnavailable, CorruptContent */
  abstract get(cid: string): Promise<Uint8Array | null>;
  /** Deletes blocks; those that are not there are no error. Meanwhile nobody may store one of them. @throws EngineUnavailable */
  abstract delete(cids: readonly string[]): Promise<void>;
  /** Rejects when the store does not answer. */
  abstract check(): Promise<void>;
}

/** Two forms of one digest: `dataHash` is written to the chain, `cid` is CIDv1, raw codec, sha2-256, base32. */
export interface ContentAddress {
  readonly cid: string;
  readonly dataHash: Hex;
}

export class CorruptContent extends Error {
  constructor(readonly cid: string) {
    super(`the stored bytes do not hash to ${cid}`);
  }
}

/** Also checks that the unused bits of the first and last characters are zero, so that one block has one CID. */
const CONTENT_CID = /^bafkrei[a-h][a-z2-7]{50}[aeimquy4]$/;

/** Whether `put` could have returned this CID: CIDv1, raw, sha2-256, base32. Other CIDs are in no store and are never used as a path. */
export const isContentCid = (cid: string): boolean => CONTENT_CID.test(cid);

export function addressOf(bytes: Uint8Array): ContentAddress {
  const digest = hash('sha256', bytes, 'hex');
  return { cid: cidOf(Buffer.from(digest, 'hex')), dataHash: `0x${digest}` };
}

/** The CID for a data hash on the chain. */
export const cidFromDataHash = (dataHash: string): string => cidOf(Buffer.from(dataHash.slice(2), 'hex'));

/** In base32 without padding (RFC 4648, lower case), with the multibase prefix `b`. Our own code, because thousands a second are made. */
function cidOf(digest: Uint8Array): string {
  let [cid, bits, buffer] = ['b', 0, 0];
  const add = (byte: number): void => {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) cid += BASE32[(buffer >>> (bits - 5)) & 31]!;
    buffer &= 31;
  };
  for (const byte of PREFIX) add(byte);
  for (const byte of digest) add(byte);
  return bits === 0 ? cid : cid + BASE32[(buffer << (5 - bits)) & 31]!;
}

/** @param cid one for which `isContentCid` is true */
export function digestOfCid(cid: string): Buffer {
  const bytes = Buffer.alloc(PREFIX.length + 32);
  let [at, bits, buffer] = [0, 0, 0];
  for (let i = 1; i < cid.length; i++) {
    buffer = ((buffer << 5) | BASE32.indexOf(cid[i]!)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = buffer >>> bits;
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
  if (bytes.length > MAX_CONTENT_BYTES) throw new RangeError(`${bytes.length} bytes are more than the limit of ${MAX_CONTENT_BYTES}`);
  return bytes;
}

export const MAX_CONTENT_BYTES = 256 * 1024;

/**
 * The bytes that are stored and hashed: RFC 8785 in UTF-8.
 * @throws DomainError 422 `invalid_content` with the pointer of a value without canonical form, or for more than 256 KiB
 */
export function canonicalBytes(content: object): Uint8Array {
  try {
    const bytes = Buffer.from(canonicalJson(content));
    withinContentLimit(bytes);
    return bytes;
  } catch (error) {
    throw contentProblem(error);
  }
}

/** @throws DomainError 422 `invalid_content` for more than 256 KiB */
export function withinContentLimit(bytes: Uint8Array): void {
  if (bytes.length <= MAX_CONTENT_BYTES) return;
  const message = `The content has ${bytes.length} bytes as it is stored; the limit is 256 KiB.`;
  throw invalidContent([{ pointer: '/metadata', code: 'content_too_large', message }]);
}

/** 422 `invalid_content` for a value without canonical form, and for too many of them; any other error is returned unchanged. */
export function contentProblem(error: unknown): unknown {
  if (error instanceof NotCanonical) return invalidContent([{ pointer: error.pointer, code: error.code, message: error.message }]);
  const message = 'The content has more than 256 KiB as it is stored.';
  return error instanceof ContentTooLarge ? invalidContent([{ pointer: '/metadata', code: 'content_too_large', message }]) : error;
}

/** Result of `inTime` when the time is over. */
export const TOO_LATE: unique symbol = Symbol('too late');

const TICK_MS = 50;

/**
 * The answer of a store, null when it failed, or `TOO_LATE` when it did not come in time. The time is counted in ticks of the event loop:
 * a blocked process does not count as waiting, and between two ticks it processes answers that have arrived.
 */
export function inTime<T>(answer: Promise<T>, limitMs: number): Promise<T | null | typeof TOO_LATE> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof TOO_LATE>((resolve) => {
    let left = Math.ceil(limitMs / TICK_MS);
    const tick = (): void => {
      if (left-- === 0) setImmediate(resolve, TOO_LATE);
      else timer = setTimeout(tick, TICK_MS);
    };
    tick();
  });
  return Promise.race([answer.catch(() => null), limit]).finally(() => clearTimeout(timer));
}
