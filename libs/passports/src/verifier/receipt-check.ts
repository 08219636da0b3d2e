import { decodeRlp, encodeRlp, toBeArray } from 'ethers/utils';
import { type Hex, bytesOf, keccak256, utf8 } from './encoding.js';
import type { Findings } from './report.js';

/** Where a transaction is: its block, and the way from the header of that to its receipt. */
export interface ProvenTransaction {
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly proof: readonly string[];
}

/** The receipt, from the header down: RLP of the header hashes to the block, its receipts root leads by the proof to the receipt. */
export function checkReceipt(of: string, event: ProvenTransaction, blocks: Readonly<Record<Hex, Hex>>, findings: Findings): Hex | null {
  const header = blocks[event.blockHash];
  findings.check(
    'header ↔ block',
    of,
    header !== undefined && keccak256(bytesOf(header)) === event.blockHash,
    'The header hashes to the block.',
    'The header does not hash to the block.',
  );
  if (header === undefined) return null;
  const fields = readRlp(header);
  const [root, number] = [fields[5], fields[8]];
  if (typeof fields === 'string' || typeof root !== 'string' || typeof number !== 'string')
    throw new Error(`the header of ${of} is not the header of a block`);
  findings.check(
    'block number',
    of,
    numberIn(number) === event.blockNumber,
    `It is block ${numberIn(number)}.`,
    `It is block ${numberIn(number)}, and the file says ${event.blockNumber}.`,
  );
  const receipt = provenReceipt(root, event.transactionIndex, event.proof);
  findings.check(
    'receipt ↔ header',
    of,
    receipt !== null,
    'The proof leads from the header to the receipt.',
    'The proof does not lead from the header to the receipt.',
  );
  return receipt;
}

export interface Log {
  readonly topics: readonly Hex[];
  /** Its data, 32 bytes each. */
  readonly words: readonly Hex[];
}

/** Logs of the contract in a receipt (EIP-2718), in their order; none where the transaction failed. */
export function logsIn(receipt: Hex, contract: string): readonly Log[] {
  const isTyped = Number(receipt.slice(0, 4)) < 0xc0;
  const fields = readRlp(isTyped ? `0x${receipt.slice(4)}` : receipt);
  const [status, , , logs] = fields as [Hex, Hex, Hex, readonly [Hex, readonly Hex[], Hex][]] & Rlp;
  if (numberIn(status) !== 1) return [];
  return logs
    .filter(([address]) => address === contract.toLowerCase())
    .map(([, topics, data]): Log => ({ topics, words: (data.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`) }));
}

export const topicOf = (signature: string): Hex => keccak256(utf8(signature));

/** A byte string, or a list (Ethereum yellow paper, appendix B). */
type Rlp = Hex | readonly Rlp[];

/** @throws Error whose message does not repeat the bytes, which may be megabytes */
function readRlp(hex: Hex): Rlp {
  try {
    return decodeRlp(hex);
  } catch {
    throw new Error('a header, a receipt or a node of a proof is not RLP');
  }
}

/** An integer in RLP: 0 has no bytes. */
const numberIn = (hex: Hex): number => (hex === '0x' ? 0 : Number(hex));

/**
 * The receipt of a transaction (Ethereum yellow paper, appendix D), along nodes of which each hashes to what the one before it says.
 * @returns null where they do not lead there
 */
function provenReceipt(root: Hex, transactionIndex: number, nodes: readonly Hex[]): Hex | null {
  let path = nibblesOf(encodeRlp(toBeArray(transactionIndex)));
  let wanted = root;
  for (const [i, hex] of nodes.entries()) {
    if (keccak256(bytesOf(hex)) !== wanted) return null;
    const node = readRlp(hex) as readonly Rlp[];
    let next: Rlp | undefined;
    if (node.length === 17) {
      if (path === '') return i === nodes.length - 1 ? (node[16] as Hex) : null;
      next = node[Number.parseInt(path[0]!, 16)];
      path = path.slice(1);
    } else {
      const { nibbles, isLeaf } = unpacked(node[0] as Hex);
      if (!path.startsWith(nibbles)) return null;
      path = path.slice(nibbles.length);
      if (isLeaf) return path === '' && i === nodes.length - 1 ? (node[1] as Hex) : null;
      next = node[1];
    }
    // Receipts are longer than 32 bytes, so every node of their trie is named by its hash.
    if (typeof next !== 'string' || next.length !== 66) return null;
    wanted = next;
  }
  return null;
}

const nibblesOf = (hex: Hex): string => hex.slice(2);

/** Hex-prefix encoding (appendix C). */
function unpacked(packed: Hex): { readonly nibbles: string; readonly isLeaf: boolean } {
  const [flag = '0', ...rest] = nibblesOf(packed);
  const isOdd = Number.parseInt(flag, 16) % 2 === 1;
  return { nibbles: rest.slice(isOdd ? 0 : 1).join(''), isLeaf: Number.parseInt(flag, 16) >= 2 };
}
