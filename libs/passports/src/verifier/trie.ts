import { type Bytes, toHex } from './bytes.js';
import { keccak256 } from './keccak256.js';
import { type Rlp, decodeRlp } from './rlp.js';

/** The value at a key (Ethereum yellow paper, appendix D), along nodes of which each hashes to what the one before says; null where they do not lead there. */
export function leafOf(root: string, key: Bytes, nodes: readonly Bytes[]): Bytes | null {
  let path = Array.from(key).flatMap((byte) => [byte >> 4, byte & 15]);
  let wanted = root;
  for (const [i, bytes] of nodes.entries()) {
    if (keccak256(bytes) !== wanted) return null;
    const node = decodeRlp(bytes) as Rlp[];
    let next: Rlp;
    if (node.length === 17) {
      next = path.length === 0 ? node[16]! : node[path[0]!]!;
      if (path.length === 0) return i === nodes.length - 1 ? (next as Bytes) : null;
      path = path.slice(1);
    } else {
      const prefix = Array.from(node[0] as Bytes).flatMap((byte) => [byte >> 4, byte & 15]);
      const part = prefix.slice(prefix[0]! % 2 === 1 ? 1 : 2);
      if (part.some((nibble, at) => nibble !== path[at])) return null;
      path = path.slice(part.length);
      if (prefix[0]! >= 2) return path.length === 0 && i === nodes.length - 1 ? (node[1] as Bytes) : null;
      next = node[1]!;
    }
    // Receipts are longer than 32 bytes, so every node of their trie is named by its hash.
    if (!(next instanceof Uint8Array) || next.length !== 32) return null;
    wanted = toHex(next);
  }
  return null;
}
