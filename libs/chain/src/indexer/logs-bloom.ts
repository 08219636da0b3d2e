import { keccak256 } from 'js-sha3';

interface BloomEntry {
  readonly address: string;
  readonly topics: readonly string[];
}

const BYTES = 256;
/** Event signatures are checked for every block of a backfill. */
const bitCache = new Map<string, Bits>();
const MAX_CACHED = 500;
type Bits = readonly (readonly [index: number, bit: number])[];

/**
 * Whether these can be all logs of the block: its bloom (yellow paper §4.4.3) has no bit that they do not set. A node that lags or has
 * lost its index returns fewer logs and no error (go-ethereum #24078, lotus #13749).
 */
export function fillsBloom(bloom: string | null, logs: readonly BloomEntry[]): boolean {
  const expected = bloom === null ? null : Buffer.from(bloom.slice(2), 'hex');
  // Some chains write a bloom of all ones, or none: it gives no information.
  if (expected?.length !== BYTES || expected.every((byte) => byte === 0xff)) return true;
  const set = new Uint8Array(BYTES);
  for (const value of new Set(logs.flatMap((log) => [log.address, ...log.topics]))) setBits(set, value);
  return expected.every((byte, i) => (byte & ~set[i]!) === 0);
}

/** What of the log is not in the bloom of its block; null when all is. A bloom without any bit belongs to a chain that keeps none. */
export function missingFromBloom(bloom: string | null, { address, topics }: BloomEntry): 'address' | 'topics' | null {
  const bytes = bytesOf(bloom);
  if (bytes === null || bytes.every((byte) => byte === 0)) return null;
  const has = (value: string): boolean => cachedBitsOf(value).every(([index, bit]) => (bytes[index]! & bit) !== 0);
  if (!has(address)) return 'address';
  return topics.every(has) ? null : 'topics';
}

/** The values that a block with this bloom may contain. */
export interface BloomMatch {
  readonly values: readonly string[];
  /** Few bits are set, so a match is most likely a real one. */
  readonly selective: boolean;
}

/** With a quarter of the bits set, one of 64 absent values matches by chance; with half of the bits, one of eight. */
const SELECTIVE_BITS = (BYTES * 8) / 4;
const BITS_SET = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** Null when the bloom gives no information. */
export function matchBloom(bloom: string | null, values: readonly string[]): BloomMatch | null {
  const bytes = bloom === null ? null : Buffer.from(bloom.slice(2), 'hex');
  if (bytes?.length !== BYTES || bytes.every((byte) => byte === 0xff)) return null;
  return {
    values: values.filter((value) => cachedBitsOf(value).every(([index, bit]) => (bytes[index]! & bit) !== 0)),
    selective: bytes.reduce((sum, byte) => sum + BITS_SET[byte]!, 0) <= SELECTIVE_BITS,
  };
}

/** The last bloom is asked about each log of its block. */
let lastBloom: readonly [hex: string, bytes: Buffer] = ['', Buffer.alloc(0)];

function bytesOf(bloom: string | null): Buffer | null {
  if (bloom === null || bloom.length !== 2 + 2 * BYTES) return null;
  if (lastBloom[0] !== bloom) lastBloom = [bloom, Buffer.from(bloom.slice(2), 'hex')];
  return lastBloom[1];
}

/** The low 11 bits of the first three pairs of bytes of the hash. */
function bitsOf(hex: string): Bits {
  const hash = keccak256.digest(Buffer.from(hex.slice(2), 'hex'));
  return [0, 2, 4].map((i) => {
    const bit = ((hash[i]! & 0x07) << 8) | hash[i + 1]!;
    return [BYTES - 1 - (bit >> 3), 1 << (bit & 7)];
  });
}

function cachedBitsOf(hex: string): Bits {
  const bits = bitCache.get(hex) ?? bitsOf(hex);
  if (bitCache.size < MAX_CACHED) bitCache.set(hex, bits);
  return bits;
}

function setBits(set: Uint8Array, hex: string): void {
  for (const [index, bit] of bitsOf(hex)) set[index]! |= bit;
}
