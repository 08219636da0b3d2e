import type { Bytes } from './bytes.js';

const PRIMES = Array.from({ length: 400 }, (_, i) => i).filter(
  (n) => n > 1 && Array.from({ length: n }, (__, d) => d).every((d) => d < 2 || n % d !== 0),
);
/** First 32 bits of the fractional part of a root, exactly: by integers, since roots differ between machines in their last digits. */
const fraction = (prime: number, power: bigint): number => Number(rootOf(BigInt(prime) << (32n * power), power) & 0xffffffffn);
function rootOf(value: bigint, power: bigint): bigint {
  let [low, high] = [0n, 1n << 40n];
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** power <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}
const START = PRIMES.slice(0, 8).map((prime) => fraction(prime, 2n));
const CUBES = PRIMES.slice(0, 64).map((prime) => fraction(prime, 3n));

/** SHA-256 (FIPS 180-4). @returns `0x` and 64 digits */
export function sha256(bytes: Bytes): string {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const state = [...START];
  for (let block = 0; block < padded.length; block += 64) shaBlock(state, view, block);
  return `0x${state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;
}

const right = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function shaBlock(state: number[], view: DataView, block: number): void {
  const w = Array.from({ length: 16 }, (_, i) => view.getUint32(block + 4 * i));
  for (let i = 16; i < 64; i++) {
    const [x, y] = [w[i - 15]!, w[i - 2]!];
    w[i] = (w[i - 16]! + (right(x, 7) ^ right(x, 18) ^ (x >>> 3)) + w[i - 7]! + (right(y, 17) ^ right(y, 19) ^ (y >>> 10))) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const t = (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + CUBES[i]! + w[i]!) | 0;
    const u = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t) | 0, c, b, a, (t + u) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i]! + word) | 0;
}
