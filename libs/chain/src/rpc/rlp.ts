/** RLP (Ethereum yellow paper, appendix B). Our own: ethers' encoder takes five times as long for the receipts of whole blocks. */
export type RlpItem = Uint8Array | readonly RlpItem[];

export function rlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) return item.length === 1 && item[0]! < 0x80 ? item : joined(prefix(item.length, 0x80), item);
  const content = joined(...item.map(rlp));
  return joined(prefix(content.length, 0xc0), content);
}

function prefix(length: number, base: number): Uint8Array {
  if (length <= 55) return Uint8Array.of(base + length);
  const bytes = integerBytes(length);
  return joined(Uint8Array.of(base + 55 + bytes.length), bytes);
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** An integer without leading zeros; 0 has no byte. */
export function integerBytes(value: number | bigint): Uint8Array {
  if (BigInt(value) === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return new Uint8Array(Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex'));
}

export const hexBytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'));
