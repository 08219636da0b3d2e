import { canonicalJson } from '#kernel';
import type { Envelope } from './envelope.js';
import { ContentFault } from './fault.js';
import { leafParts, type OpenedLeaf } from './open-content.js';
import type { Leaf } from './path.js';
import { hexOf, leafHash, pathOf, rootFrom, rowsOf, treeHash, type TreeHash } from './tree.js';

/** One sealed value with what leads from it to the root of its block (as RFC 9901 discloses single values). */
export interface Disclosure {
  /** The exact text that was hashed: salt, path and value. */
  readonly bytes: string;
  readonly index: number;
  /** Hexadecimal hashes, from the leaf to the root. */
  readonly path: readonly string[];
}

/** @param tree the hashes of all leaves of their block */
export function disclose(leaves: readonly Pick<OpenedLeaf, 'text' | 'index'>[], tree: readonly TreeHash[]): Disclosure[] {
  const rows = rowsOf(tree);
  return leaves.map(({ text, index }) => ({
    bytes: text,
    index,
    path: pathOf(rows, index).map(hexOf),
  }));
}

const HASH = /^0x[0-9a-f]{64}$/;

/** The value to which the recorder committed. It may not be true, and not the only one of its kind. @throws ContentFault */
export function checkDisclosure({ root, leaves }: Pick<Envelope, 'root' | 'leaves'>, { bytes, index, path }: Disclosure): Leaf {
  const leaf = leafParts(parsed(bytes));
  if (root === null) throw new ContentFault('wrong_proof', 'Nothing is sealed in the block.');
  const isPlace = Number.isSafeInteger(index) && index >= 0 && index < leaves;
  if (!isPlace || path.length !== Math.log2(leaves) || !path.every((hash) => HASH.test(hash)))
    throw new ContentFault('wrong_proof', 'The proof has another length, or its index is not in the tree.');
  const siblings = path.map((hash) => treeHash(Buffer.from(hash.slice(2), 'hex')));
  if (hexOf(rootFrom(leafHash(bytes), index, siblings)) !== root)
    throw new ContentFault('wrong_proof', 'The value does not lead to the root of the block.');
  return leaf;
}

function parsed(bytes: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(bytes);
  } catch {
    throw new ContentFault('wrong_leaf', 'A disclosure is not JSON.');
  }
  if (canonicalJson(value) !== bytes) throw new ContentFault('wrong_leaf', 'A disclosure is not canonical JSON.');
  return value;
}
