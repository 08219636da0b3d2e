import { keccak_256 } from '@noble/hashes/sha3.js';

/** RLP (Ethereum yellow paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[];

export function rlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) return item.length === 1 && item[0]! < 0x80 ? item : joined(prefix(item.length, 0x80), item);
  const content = joined(...item.map(rlp));
  return joined(prefix(content.length, 0xc0), content);
}

function prefix(length: number, base: number): Uint8Array {
  if (length <= 55) return Uint8Array.of(base + length);
  const bytes = bytesOf(length);
  return joined(Uint8Array.of(base + 55 + bytes.length), bytes);
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** An integer without leading zeros; 0 has no byte. */
export function bytesOf(value: number | bigint): Uint8Array {
  if (BigInt(value) === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return new Uint8Array(Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex'));
}

export const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
export const keccakHex = (bytes: Uint8Array): string => hexOf(keccak_256(bytes));

interface Entry {
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/** A node with its RLP, and where it leads. */
type Node = { readonly bytes: Uint8Array; readonly children: ReadonlyMap<number, Node>; readonly skip: number };

export interface ReceiptsTrie {
  readonly root: string;
  /** Nodes from the root to the receipt of a transaction. */
  proofOf(transactionIndex: number): string[];
}

/** The trie of a block's receipts, each as EIP-2718 encodes it, in the order of their transactions. */
export function receiptsTrie(receipts: readonly Uint8Array[]): ReceiptsTrie {
  const pathOf = (index: number): number[] => Array.from(rlp(bytesOf(index))).flatMap((byte) => [byte >> 4, byte & 15]);
  const top = nodeOf(receipts.map((value, index) => ({ path: pathOf(index), value })));
  return {
    root: keccakHex(top.bytes),
    proofOf: (index) => {
      const nodes: string[] = [];
      let [node, path]: [Node | undefined, readonly number[]] = [top, pathOf(index)];
      while (node) {
        nodes.push(hexOf(node.bytes));
        path = path.slice(node.skip);
        const next: Node | undefined = node.children.get(path[0] ?? -1);
        if (node.children.size > 1) path = path.slice(1);
        node = node.children.size === 1 ? [...node.children.values()][0] : next;
      }
      return nodes;
    },
  };
}

/** No key of a receipt begins with another one whole, so a branch has no value of its own. */
function nodeOf(entries: readonly Entry[]): Node {
  const [first] = entries;
  if (entries.length === 1)
    return { bytes: rlp([packed(first!.path, true), first!.value]), children: new Map<number, Node>(), skip: first!.path.length };
  const shared = first!.path.findIndex((nibble, i) => entries.some(({ path }) => path[i] !== nibble));
  if (shared > 0) {
    const inner = nodeOf(entries.map(({ path, value }) => ({ path: path.slice(shared), value })));
    return { bytes: rlp([packed(first!.path.slice(0, shared), false), nameOf(inner)]), children: new Map([[-1, inner]]), skip: shared };
  }
  const children = new Map<number, Node>();
  for (let nibble = 0; nibble < 16; nibble++) {
    const below = entries.filter(({ path }) => path[0] === nibble).map(({ path, value }) => ({ path: path.slice(1), value }));
    if (below.length > 0) children.set(nibble, nodeOf(below));
  }
  const slots = Array.from({ length: 16 }, (_, nibble): RlpItem => {
    const child = children.get(nibble);
    return child ? nameOf(child) : new Uint8Array();
  });
  return { bytes: rlp([...slots, new Uint8Array()]), children, skip: 0 };
}

/** A receipt has a bloom of 256 bytes, so no node is short enough to stand in its parent itself. */
const nameOf = (node: Node): Uint8Array => keccak_256(node.bytes);

/** Hex-prefix encoding (appendix C). */
function packed(path: readonly number[], leaf: boolean): Uint8Array {
  const flag = (leaf ? 2 : 0) + (path.length % 2);
  const nibbles = path.length % 2 === 1 ? [flag, ...path] : [flag, 0, ...path];
  return Uint8Array.from({ length: nibbles.length / 2 }, (_, i) => nibbles[2 * i]! * 16 + nibbles[2 * i + 1]!);
}
