export type Bytes = Uint8Array;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
export const toHex = (bytes: Bytes): string => `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
export const toNumber = (bytes: Bytes): number => bytes.reduce((value, byte) => value * 256 + byte, 0);

export function hex(text: string): Bytes {
  if (!/^0x([0-9a-f]{2})*$/.test(text)) throw new Error(`${text.slice(0, 20)} is not hexadecimal`);
  return Uint8Array.from(text.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
