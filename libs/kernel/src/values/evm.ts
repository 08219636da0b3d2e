import { keccak256 } from 'js-sha3';

export type Hex = `0x${string}`;
export const ZERO_BYTES32: Hex = `0x${'0'.repeat(64)}`;
export const ZERO_ADDRESS: Hex = `0x${'0'.repeat(40)}`;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

const hashes = new Map<string, Hex>();

/** keccak256 of the UTF-8 bytes: tenant ids, process ids and TLC hashes on chain. Cached, because every event uses the same few. */
export function keccakOf(text: string): Hex {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const hash: Hex = `0x${keccak256(Buffer.from(text))}`;
  if (hashes.size >= 10_000) hashes.clear();
  if (text.length <= 100) hashes.set(text, hash);
  return hash;
}

/** keccak256 of bytes in hex. */
export const keccakOfHex = (hex: Hex): Hex => `0x${keccak256(Buffer.from(hex.slice(2), 'hex'))}`;

/** EIP-55 form of an address in upper, lower or mixed case. */
export function checksumAddress(address: string): string {
  const plain = address.slice(2).toLowerCase();
  const hash = keccakOf(plain).slice(2);
  return `0x${Array.from(plain)
    .map((c, i) => (Number.parseInt(hash[i]!, 16) >= 8 ? c.toUpperCase() : c))
    .join('')}`;
}

/** True for an address with its EIP-55 checksum, not for an all-lower-case one. */
export const isChecksumAddress = (value: unknown): value is string =>
  typeof value === 'string' && ADDRESS.test(value) && checksumAddress(value) === value;

/** W3C did:pkh of a wallet (CAIP-10). It is derived from the address, so no registry is needed. */
export const walletDid = (chainId: number, address: string): string => `did:pkh:eip155:${chainId}:${address}`;

/** The bytes32 event id on chain: the UUID's 16 bytes, then 16 zero bytes (docs/spec/api.md#events-and-transactions). */
export const eventIdBytes = (uuid: string): Hex => `0x${uuid.replaceAll('-', '').toLowerCase()}${'0'.repeat(32)}`;

/** The UUID in a bytes32 event id, or null when the event id has another format. */
export function eventIdFromBytes(bytes: string): string | null {
  if (!/^0x[0-9a-f]{32}0{32}$/.test(bytes)) return null;
  return `${bytes.slice(2, 10)}-${bytes.slice(10, 14)}-${bytes.slice(14, 18)}-${bytes.slice(18, 22)}-${bytes.slice(22, 34)}`;
}

/** The contract stores a token id in 48 bits. */
const MAX_TOKEN_ID = (1n << 48n) - 1n;

const MAX_TOKEN_NUMBER = Number(MAX_TOKEN_ID);

/** True for a JSON integer or decimal string from 1 to 2^48 - 1. Unsafe numbers are refused, so nothing is rounded (docs/spec/reliability.md#chain). */
export function isTokenId(value: unknown): value is number | string {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 1 && value <= MAX_TOKEN_NUMBER;
  return typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value) && Number(value) <= MAX_TOKEN_NUMBER;
}

/** Code of the problem for a custom error of a contract: `HoldsRecalled` is `holds_recalled`. */
export const revertCode = (error: string): string => error.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
