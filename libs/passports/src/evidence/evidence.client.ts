import { JsonRpc, type RawLog, type RlpItem, type RpcResult, decodeLog, encodeHeader, hexBytes, integerBytes, rlp } from '#chain';
import { EngineUnavailable, checksumAddress, eventIdBytes, keccakOf } from '#kernel';
import { Injectable } from '@nestjs/common';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { ChainProof, LandedEvent, LandedSplit, MintEvidence, ProvenSplit } from './evidence.js';

interface RawBlock {
  readonly hash: string;
  readonly number: string;
  readonly transactions: readonly string[];
  readonly receiptsRoot: string;
  readonly [field: string]: unknown;
}
interface RawReceipt {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly transactionIndex: string;
  readonly type?: string;
  readonly status: string;
  readonly cumulativeGasUsed: string;
  readonly logsBloom: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

const COMMITMENT = keccakOf('eventCommitment(bytes32)').slice(0, 10);

interface BlockEvidence {
  readonly number: number;
  readonly header: string;
  readonly receipts: readonly RawReceipt[];
  readonly trie: ReceiptsTrie;
}

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node says of events: their logs, receipts and blocks. */
@Injectable()
export class EvidenceClient {
  constructor(private readonly rpc: JsonRpc) {}

  /** Data hash of the event's log in its transaction; null where there is none. @throws EngineUnavailable('chain') */
  async dataHashOf({ txHash, contract, eventId }: MintEvidence): Promise<string | null> {
    const receipt = await this.rpc.call<{ readonly logs: readonly (RawLog & { readonly address: string })[] } | null>(
      'eth_getTransactionReceipt',
      [txHash],
    );
    for (const raw of receipt?.logs ?? []) {
      if (checksumAddress(raw.address) !== contract) continue;
      const log = decodeLog(raw);
      if (log?.name === 'EventRecorded' && log.args.eventId === eventIdBytes(eventId)) return log.args.dataHash;
    }
    return null;
  }

  /** @throws EngineUnavailable('chain') also where headers or receipts do not hash to what they should */
  async prove(events: readonly LandedEvent[], splits: readonly LandedSplit[]): Promise<ChainProof> {
    const splitting = await this.all<RawReceipt | null>(
      splits.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
    );
    const hashes = splitting.map((receipt, i) => {
      if (!receipt) throw new EngineUnavailable('chain', `the node has no receipt of the call that split lot ${splits[i]!.from}`);
      return receipt.blockHash;
    });
    const blocks = await this.blocksOf([...events.map(({ blockHash }) => blockHash), ...hashes]);
    const proven = events.map((event) => {
      const { receipts, trie } = blocks.get(event.blockHash)!;
      const receipt = receipts.find(({ transactionHash }) => transactionHash === event.txHash);
      const eventId = receipt && idIn(receipt, event);
      if (!receipt || !eventId) throw new EngineUnavailable('chain', `the node has no log of event ${event.id}`);
      const transactionIndex = Number(receipt.transactionIndex);
      return { ...event, eventId, transactionIndex, proof: trie.proofOf(transactionIndex) };
    });
    const calls = proven.map(({ contract, eventId }): Call => ({
      method: 'eth_call',
      params: [{ to: contract, data: COMMITMENT + eventId.slice(2) }, 'latest'],
    }));
    const commitments = await this.all<string>(calls);
    return {
      events: proven.map((event, i) => ({ ...event, commitment: commitments[i]! })),
      splits: splits.map((split, i) => provenSplit(split, hashes[i]!, blocks.get(hashes[i]!)!)),
      blocks: Object.fromEntries([...blocks].map(([hash, { header }]) => [hash, header])),
    };
  }

  private async blocksOf(all: readonly string[]): Promise<ReadonlyMap<string, BlockEvidence>> {
    const hashes = [...new Set(all)];
    const found = await this.all<RawBlock | null>(hashes.map((hash) => ({ method: 'eth_getBlockByHash', params: [hash, false] })));
    const blocks = new Map<string, BlockEvidence>();
    for (const [i, block] of found.entries()) {
      if (!block) throw new EngineUnavailable('chain', `the node has no block ${hashes[i]}`);
      blocks.set(block.hash, await this.evidenceOf(block));
    }
    return blocks;
  }

  private async evidenceOf(block: RawBlock): Promise<BlockEvidence> {
    const header = encodeHeader(block);
    const answers = await this.all<RawReceipt>(block.transactions.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    const receipts = answers.toSorted((a, b) => Number(a.transactionIndex) - Number(b.transactionIndex));
    const trie = receiptsTrie(receipts.map(encoded));
    // A chain whose headers or receipts are made otherwise (some layers 2) has no proof that anybody could check.
    if (keccakHex(header) !== block.hash || trie.root !== block.receiptsRoot)
      throw new EngineUnavailable('chain', `the header or the receipts of block ${block.number} do not hash to it`);
    return { number: Number(block.number), header: hexOf(header), receipts, trie };
  }

  private async all<T>(calls: readonly Call[]): Promise<T[]> {
    return (await this.rpc.batch(calls)).map((result: RpcResult) => {
      if (!result.ok) throw new EngineUnavailable('chain', result.error);
      return result.value as T;
    });
  }
}

const integer = (hex: string): Uint8Array => integerBytes(BigInt(hex));

/** EIP-2718 and EIP-658. */
function encoded({ type = '0x0', status, cumulativeGasUsed, logsBloom, logs }: RawReceipt): Uint8Array {
  const body = rlp([
    integer(status),
    integer(cumulativeGasUsed),
    hexBytes(logsBloom),
    logs.map(({ address, topics, data }) => [hexBytes(address), topics.map(hexBytes), hexBytes(data)]),
  ]);
  return Number(type) === 0 ? body : Uint8Array.of(Number(type), ...body);
}

function provenSplit({ from, to, txHash }: LandedSplit, blockHash: string, { number, receipts, trie }: BlockEvidence): ProvenSplit {
  const receipt = receipts.find(({ transactionHash }) => transactionHash === txHash);
  if (!receipt) throw new EngineUnavailable('chain', `block ${number} of the node lacks the call that split lot ${from}`);
  const transactionIndex = Number(receipt.transactionIndex);
  return { from, to, blockHash, blockNumber: number, transactionIndex, proof: trie.proofOf(transactionIndex) };
}

/** The id on chain: of the event that made this lot, or that recorded this content. */
function idIn({ logs }: RawReceipt, { contract, dataHash, makes }: LandedEvent): string | null {
  for (const raw of logs) {
    if (checksumAddress(raw.address) !== contract) continue;
    const log = decodeLog(raw);
    if (makes !== null && log?.name === 'LotMinted' && log.args.tokenId === makes) return log.args.eventId;
    if (makes === null && log?.name === 'EventRecorded' && log.args.dataHash === dataHash) return log.args.eventId;
  }
  return null;
}

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const keccakHex = (bytes: Uint8Array): string => hexOf(keccak_256(bytes));

interface Entry {
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/** A node with its RLP, and where it leads. */
type Node = { readonly bytes: Uint8Array; readonly children: ReadonlyMap<number, Node>; readonly skip: number };

interface ReceiptsTrie {
  readonly root: string;
  /** Nodes from the root to the receipt of a transaction. */
  proofOf(transactionIndex: number): string[];
}

/** The trie of a block's receipts, each as EIP-2718 encodes it, in the order of their transactions. */
function receiptsTrie(receipts: readonly Uint8Array[]): ReceiptsTrie {
  const pathOf = (index: number): number[] => Array.from(rlp(integerBytes(index))).flatMap((byte) => [byte >> 4, byte & 15]);
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

/** No key of a receipt is the beginning of another key, so a branch has no value of its own. */
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

/** A receipt has a bloom of 256 bytes, so no node is short enough to be part of its parent itself. */
const nameOf = (node: Node): Uint8Array => keccak_256(node.bytes);

/** Hex-prefix encoding (appendix C). */
function packed(path: readonly number[], leaf: boolean): Uint8Array {
  const flag = (leaf ? 2 : 0) + (path.length % 2);
  const nibbles = path.length % 2 === 1 ? [flag, ...path] : [flag, 0, ...path];
  return Uint8Array.from({ length: nibbles.length / 2 }, (_, i) => nibbles[2 * i]! * 16 + nibbles[2 * i + 1]!);
}
