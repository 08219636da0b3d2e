import { hex } from './bytes.js';

/** CIDv1, raw codec, sha2-256, base32. */
export function cidOf(dataHash: string): string {
  const bytes = [0x01, 0x55, 0x12, 0x20, ...hex(dataHash)];
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return `b${(bits.match(/.{1,5}/g) ?? []).map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')}`;
}
