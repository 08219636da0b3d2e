import { hash } from 'node:crypto';

/** The tree of RFC 9162 §2.1 over a number of leaves that is a power of two: leaves and nodes are hashed with different first bytes. */
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);
export const HASH_BYTES = 32;

const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');

export const leafHash = (bytes: Uint8Array): Buffer => sha256(LEAF, bytes);
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

export const isPowerOfTwo = (count: number): boolean => Number.isSafeInteger(count) && count > 0 && Number.isInteger(Math.log2(count));
export const powerOfTwoFrom = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, count)));

/** The leaves, the nodes above them, and so on up to the root. @param hashes of the leaves in their order; a power of two of them */
export function rowsOf(hashes: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const rows = [hashes];
  while (rows.at(-1)!.length > 1) rows.push(parents(rows.at(-1)!));
  return rows;
}

export const rootOf = (hashes: readonly Uint8Array[]): Buffer => Buffer.from(rowsOf(hashes).at(-1)![0]!);

const parents = (row: readonly Uint8Array[]): Buffer[] =>
  Array.from({ length: row.length / 2 }, (_, i) => nodeHash(row[2 * i]!, row[2 * i + 1]!));

/** The sibling of a leaf and of each node above it, from the leaf to the root. */
export const pathOf = (rows: ReturnType<typeof rowsOf>, index: number): Uint8Array[] =>
  rows.slice(0, -1).map((row, level) => row[(index >>> level) ^ 1]!);

/** The root to which a path leads. The caller checks the length of the path and the index against the number of leaves. */
export function rootFrom(leaf: Uint8Array, index: number, path: readonly Uint8Array[]): Buffer {
  let here: Buffer = Buffer.from(leaf);
  let at = index;
  for (const sibling of path) {
    here = at % 2 === 0 ? nodeHash(here, sibling) : nodeHash(sibling, here);
    at >>>= 1;
  }
  return here;
}
