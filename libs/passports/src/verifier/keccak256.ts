import { type Bytes, toHex } from './bytes.js';

const ROTATIONS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];
const ROUNDS = roundConstants();

/** Low and high half of each. */
function roundConstants(): [number, number][] {
  let state = 1;
  return Array.from({ length: 24 }, () => {
    const halves: [number, number] = [0, 0];
    for (let j = 0; j < 7; j++) {
      const bit = 2 ** j - 1;
      if (state & 1) halves[bit < 32 ? 0 : 1] |= 1 << (bit % 32);
      state = state & 0x80 ? ((state << 1) ^ 0x171) & 0xff : state << 1;
    }
    return halves;
  });
}

/** Keccak-256 as Ethereum uses it (padding 0x01). Lanes are pairs of 32 bits: 64-bit integers cost thirty times as much here. */
export function keccak256(bytes: Bytes): string {
  const rate = 136;
  const padded = new Uint8Array(Math.ceil((bytes.length + 1) / rate) * rate);
  padded.set(bytes);
  padded[bytes.length]! |= 0x01;
  padded[padded.length - 1]! |= 0x80;
  const view = new DataView(padded.buffer);
  const lanes = new Int32Array(50);
  for (let block = 0; block < padded.length; block += rate) {
    for (let i = 0; i < rate / 4; i++) lanes[i]! ^= view.getInt32(block + 4 * i, true);
    for (const constant of ROUNDS) keccakRound(lanes, constant);
  }
  const out = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) out.setInt32(4 * i, lanes[i]!, true);
  return toHex(new Uint8Array(out.buffer));
}

const columns = new Int32Array(10);
const moved = new Int32Array(50);

/** FIPS 202, §3.2: θ, then ρ and π, then χ and ι. */
function keccakRound(a: Int32Array, [low, high]: readonly [number, number]): void {
  for (let i = 0; i < 10; i++) columns[i] = a[i]! ^ a[i + 10]! ^ a[i + 20]! ^ a[i + 30]! ^ a[i + 40]!;
  for (let x = 0; x < 5; x++) {
    const [left, next] = [2 * ((x + 4) % 5), 2 * ((x + 1) % 5)];
    const [l, h] = [columns[next]!, columns[next + 1]!];
    const [dl, dh] = [columns[left]! ^ ((l << 1) | (h >>> 31)), columns[left + 1]! ^ ((h << 1) | (l >>> 31))];
    for (let y = 0; y < 5; y++)
      place(2 * (y + 5 * ((2 * x + 3 * y) % 5)), a[2 * (x + 5 * y)]! ^ dl, a[2 * (x + 5 * y) + 1]! ^ dh, ROTATIONS[x + 5 * y]!);
  }
  for (let row = 0; row < 50; row += 10)
    for (let i = 0; i < 10; i++) a[row + i] = moved[row + i]! ^ (~moved[row + ((i + 2) % 10)]! & moved[row + ((i + 4) % 10)]!);
  a[0]! ^= low;
  a[1]! ^= high;
}

function place(at: number, low: number, high: number, by: number): void {
  const [l, h] = by >= 32 ? [high, low] : [low, high];
  const n = by % 32;
  moved[at] = n === 0 ? l : (l << n) | (h >>> (32 - n));
  moved[at + 1] = n === 0 ? h : (h << n) | (l >>> (32 - n));
}
