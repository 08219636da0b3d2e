import { hash } from 'node:crypto';

/**
 * The tree of RFC 9162 §2.1 over a number of leaves that is a power of two: leaves and nodes are hashed with different first bytes. A hash is
 * a string here, a character for each byte: it is made, compared and sorted several times as fast as a Buffer, and a block has a hundred.
 */
export type TreeHash = string;
const LEAF = '\0';
export const HASH_BYTES = 32;
/** One hash is made at a time, and Node reads the bytes before it returns. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

export const bytesOf = (hashes: readonly TreeHash[]): Buffer => Buffer.from(hashes.join(''), 'latin1');
export const hashesOf = (bytes: Uint8Array): TreeHash[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => treeHash(bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)));
export const treeHash = (bytes: Uint8Array): TreeHash => Buffer.from(bytes).toString('latin1');
export const hexOf = (one: TreeHash): string => `0x${Buffer.from(one, 'latin1').toString('hex')}`;

/** Strings of bytes are in the order of the bytes. */
export const inOrder = (hashes: readonly TreeHash[]): TreeHash[] => hashes.toSorted((one, other) => (one < other ? -1 : 1));

/** @param text well-formed: its UTF-8 is hashed */
export const leafHash = (text: string): TreeHash => hash('sha256', LEAF + text, 'binary');

function nodeHash(left: TreeHash, right: TreeHash): TreeHash {
  node.write(left, 1, 'latin1');
  node.write(right, 1 + HASH_BYTES, 'latin1');
  return hash('sha256', node, 'binary');
}

export const isPowerOfTwo = (count: number): boolean => Number.isSafeInteger(count) && count > 0 && Number.isInteger(Math.log2(count));
export const powerOfTwoFrom = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, count)));

/** The leaves, the nodes above them, and so on up to the root. @param hashes of the leaves in their order; a power of two of them */
export function rowsOf(hashes: readonly TreeHash[]): readonly (readonly TreeHash[])[] {
  const rows = [hashes];
  while (rows.at(-1)!.length > 1) rows.push(parents(rows.at(-1)!));
  return rows;
}

export const rootOf = (hashes: readonly TreeHash[]): TreeHash => rowsOf(hashes).at(-1)![0]!;

function parents(row: readonly TreeHash[]): TreeHash[] {
  const above: TreeHash[] = [];
  for (let i = 0; i < row.length; i += 2) above.push(nodeHash(row[i]!, row[i + 1]!));
  return above;
}

/** The sibling of a leaf and of each node above it, from the leaf to the root. */
export const pathOf = (rows: ReturnType<typeof rowsOf>, index: number): TreeHash[] =>
  rows.slice(0, -1).map((row, level) => row[(index >>> level) ^ 1]!);

/** The root to which a path leads. The caller checks the length of the path and the index against the number of leaves. */
export function rootFrom(leaf: TreeHash, index: number, path: readonly TreeHash[]): TreeHash {
  let here = leaf;
  let at = index;
  for (const sibling of path) {
    here = at % 2 === 0 ? nodeHash(here, sibling) : nodeHash(sibling, here);
    at >>>= 1;
  }
  return here;
}
