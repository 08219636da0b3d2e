import { JsonRpc, type RpcResult, decodeLog } from '#chain';
import { EngineUnavailable, checksumAddress, keccakOf } from '#kernel';
import { Injectable } from '@nestjs/common';
import { bytesOf, hexOf, keccakHex, receiptsTrie, rlp, type RlpItem } from '../../domain/receipt-trie.js';
import { BlockEvidence, type ProvenEvent, type RecordedEvent } from '../../ports.js';

interface RawBlock {
  readonly hash: string;
  readonly number: string;
  readonly transactions: readonly string[];
  readonly receiptsRoot: string;
  readonly [field: string]: unknown;
}
interface RawReceipt {
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly type?: string;
  readonly status: string;
  readonly cumulativeGasUsed: string;
  readonly logsBloom: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

/** In the order of the header's RLP; those behind `nonce` came with forks and are absent before them. */
const HEADER = [
  ...[
    'parentHash',
    'sha3Uncles',
    'miner',
    'stateRoot',
    'transactionsRoot',
    'receiptsRoot',
    'logsBloom',
    '#difficulty',
    '#number',
    '#gasLimit',
  ],
  ...['#gasUsed', '#timestamp', 'extraData', 'mixHash', 'nonce', '#baseFeePerGas', 'withdrawalsRoot', '#blobGasUsed', '#excessBlobGas'],
  ...['parentBeaconBlockRoot', 'requestsHash'],
];
const COMMITMENT = keccakOf('eventCommitment(bytes32)').slice(0, 10);

@Injectable()
export class RpcBlockEvidence extends BlockEvidence {
  constructor(private readonly rpc: JsonRpc) {
    super();
  }

  override async of(
    events: readonly RecordedEvent[],
  ): Promise<{ readonly events: readonly ProvenEvent[]; readonly blocks: Record<string, string> }> {
    const hashes = [...new Set(events.map(({ blockHash }) => blockHash))];
    const found = await this.all<RawBlock | null>(hashes.map((hash) => ({ method: 'eth_getBlockByHash', params: [hash, false] })));
    const blocks = new Map<
      string,
      { readonly header: string; readonly receipts: readonly RawReceipt[]; readonly trie: ReturnType<typeof receiptsTrie> }
    >();
    for (const [i, block] of found.entries()) {
      if (!block) throw new EngineUnavailable('chain', `the node has no block ${hashes[i]}`);
      blocks.set(block.hash, await this.evidenceOf(block));
    }
    const proven = events.map((event) => {
      const { receipts, trie } = blocks.get(event.blockHash)!;
      const receipt = receipts.find(({ transactionHash }) => transactionHash === event.txHash);
      const eventId = receipt && idIn(receipt, event);
      if (!receipt || !eventId) throw new EngineUnavailable('chain', `the node has no log of event ${event.id}`);
      const transactionIndex = Number(receipt.transactionIndex);
      return { ...event, eventId, transactionIndex, proof: trie.proofOf(transactionIndex) };
    });
    const calls = proven.map(({ contract, eventId }) => ({
      method: 'eth_call',
      params: [{ to: contract, data: COMMITMENT + eventId.slice(2) }, 'latest'],
    }));
    const commitments = await this.all<string>(calls);
    return {
      events: proven.map((event, i) => ({ ...event, commitment: commitments[i]! })),
      blocks: Object.fromEntries([...blocks].map(([hash, { header }]) => [hash, header])),
    };
  }

  private async evidenceOf(
    block: RawBlock,
  ): Promise<{ header: string; receipts: readonly RawReceipt[]; trie: ReturnType<typeof receiptsTrie> }> {
    const header = headerOf(block);
    const answers = await this.all<RawReceipt>(block.transactions.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    const receipts = answers.toSorted((a, b) => Number(a.transactionIndex) - Number(b.transactionIndex));
    const trie = receiptsTrie(receipts.map(encoded));
    // A chain whose headers or receipts are made otherwise (some layers 2) has no proof that anybody could check.
    if (keccakHex(header) !== block.hash || trie.root !== block.receiptsRoot)
      throw new EngineUnavailable('chain', `the header or the receipts of block ${block.number} do not hash to it`);
    return { header: hexOf(header), receipts, trie };
  }

  private async all<T>(calls: readonly { readonly method: string; readonly params: readonly unknown[] }[]): Promise<T[]> {
    return (await this.rpc.batch(calls)).map((result: RpcResult) => {
      if (!result.ok) throw new EngineUnavailable('chain', result.error);
      return result.value as T;
    });
  }
}

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'));
const numberBytes = (hex: string): Uint8Array => bytesOf(BigInt(hex));

function headerOf(block: RawBlock): Uint8Array {
  const fields = HEADER.flatMap((name): RlpItem[] => {
    const value = block[name.replace('#', '')];
    return typeof value === 'string' ? [name.startsWith('#') ? numberBytes(value) : bytes(value)] : [];
  });
  return rlp(fields);
}

/** EIP-2718 and EIP-658. */
function encoded({ type = '0x0', status, cumulativeGasUsed, logsBloom, logs }: RawReceipt): Uint8Array {
  const body = rlp([
    numberBytes(status),
    numberBytes(cumulativeGasUsed),
    bytes(logsBloom),
    logs.map(({ address, topics, data }) => [bytes(address), topics.map(bytes), bytes(data)]),
  ]);
  return Number(type) === 0 ? body : Uint8Array.of(Number(type), ...body);
}

/** The id on chain: of the event that made this lot, or that recorded this content. */
function idIn({ logs }: RawReceipt, { contract, dataHash, makes }: RecordedEvent): string | null {
  for (const raw of logs) {
    if (checksumAddress(raw.address) !== contract) continue;
    const log = decodeLog(raw);
    if (makes !== null && log?.name === 'LotMinted' && log.args.tokenId === makes) return log.args.eventId;
    if (makes === null && log?.name === 'EventRecorded' && log.args.dataHash === dataHash) return log.args.eventId;
  }
  return null;
}
