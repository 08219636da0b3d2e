import { type Bytes, hex, toNumber } from './bytes.js';

/** A byte string, or a list (Ethereum yellow paper, appendix B). */
export type Rlp = Bytes | Rlp[];

export function decodeRlp(bytes: Bytes): Rlp {
  const [value, end] = itemAt(bytes, 0);
  if (end !== bytes.length) throw new Error('there are bytes behind an RLP item');
  return value;
}

function itemAt(bytes: Bytes, at: number): [Rlp, number] {
  const first = bytes[at];
  if (first === undefined) throw new Error('an RLP item ends too early');
  if (first < 0x80) return [bytes.slice(at, at + 1), at + 1];
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  const lengthBytes = short > 55 ? short - 55 : 0;
  const start = at + 1 + lengthBytes;
  const end = start + (lengthBytes > 0 ? toNumber(bytes.slice(at + 1, start)) : short);
  if (end > bytes.length) throw new Error('an RLP item ends too early');
  if (!isList) return [bytes.slice(start, end), end];
  const items: Rlp[] = [];
  for (let next = start; next < end; ) {
    const [item, after] = itemAt(bytes, next);
    items.push(item);
    next = after;
  }
  return [items, end];
}

export function encodeRlpNumber(value: number): Bytes {
  if (value === 0) return Uint8Array.of(0x80);
  if (value < 0x80) return Uint8Array.of(value);
  const digits = value.toString(16);
  const bytes = hex(`0x${digits.length % 2 ? '0' : ''}${digits}`);
  return Uint8Array.of(0x80 + bytes.length, ...bytes);
}
