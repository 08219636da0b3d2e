import { keccak256 } from 'js-sha3';

interface Bloomed {
  readonly address: string;
  readonly topics: readonly string[];
}

const BYTES = 256;
/** Signatures of events come with every block of a history. */
const known = new Map<string, Bits>();
const MOST_KNOWN = 100;
type Bits = readonly (readonly [at: number, bit: number])[];

/**
 * Whether these can be all logs of the block: its bloom (yellow paper §4.4.3) has no bit that they do not set. A node that
 * lags or has lost its index answers with fewer logs and no error (go-ethereum #24078, lotus #13749).
 */
export function fillsBloom(bloom: string | null, logs: readonly Bloomed[]): boolean {
  const expected = bloom === null ? null : Buffer.from(bloom.slice(2), 'hex');
  // Some chains write a bloom of all ones or none at all: then it says nothing.
  if (expected?.length !== BYTES || expected.every((byte) => byte === 0xff)) return true;
  const set = new Uint8Array(BYTES);
  for (const value of new Set(logs.flatMap((log) => [log.address, ...log.topics]))) setBits(set, value);
  return expected.every((byte, i) => (byte & ~set[i]!) === 0);
}

/** What a block with this bloom may hold of some values. */
export interface Held {
  readonly values: readonly string[];
  /** So few bits are set that what it seems to hold, it most likely does. */
  readonly telling: boolean;
}

/** With a quarter of the bits set, each value that is not there seems to be in one of 64 blooms; with half of them, in one of eight. */
const TELLING_BITS = (BYTES * 8) / 4;
const BITS_SET = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** Null where the bloom says nothing. */
export function heldBy(bloom: string | null, values: readonly string[]): Held | null {
  const held = bloom === null ? null : Buffer.from(bloom.slice(2), 'hex');
  if (held?.length !== BYTES || held.every((byte) => byte === 0xff)) return null;
  return {
    values: values.filter((value) => knownBitsOf(value).every(([at, bit]) => (held[at]! & bit) !== 0)),
    telling: held.reduce((sum, byte) => sum + BITS_SET[byte]!, 0) <= TELLING_BITS,
  };
}

/** The low 11 bits of the first three pairs of bytes of the hash. */
function bitsOf(hex: string): Bits {
  const hash = keccak256.digest(Buffer.from(hex.slice(2), 'hex'));
  return [0, 2, 4].map((i) => {
    const bit = ((hash[i]! & 0x07) << 8) | hash[i + 1]!;
    return [BYTES - 1 - (bit >> 3), 1 << (bit & 7)];
  });
}

function knownBitsOf(hex: string): Bits {
  const bits = known.get(hex) ?? bitsOf(hex);
  if (known.size < MOST_KNOWN) known.set(hex, bits);
  return bits;
}

function setBits(set: Uint8Array, hex: string): void {
  for (const [at, bit] of bitsOf(hex)) set[at]! |= bit;
}
