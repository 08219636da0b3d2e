import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { AppendFile } from './append-file.js';
import { HashIndex } from './hash-index.js';

/** A block as JSON-RPC shows it, with whole transactions. */
export interface RpcBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly baseFeePerGas: string;
  readonly logsBloom: string;
  readonly transactions: readonly { readonly hash: string }[];
}

export interface RpcReceipt {
  readonly transactionHash: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
}

/** Everything that is needed to mine a block again with the same hash on the same parent, and to answer questions about it. */
export interface LoggedBlock {
  readonly block: RpcBlock;
  /** In the block's order. */
  readonly receipts: readonly RpcReceipt[];
  /** Signed transactions in the block's order. */
  readonly raw: readonly string[];
}

export interface BlockId {
  readonly number: number;
  readonly hash: string;
}

interface BlockHead extends BlockId {
  readonly transactions: readonly string[];
}

/**
 * All blocks of the embedded node, on disk before anything depends on them. A record with a number that was written before replaces that
 * block and all after it; a reorg is recorded this way. In memory are the position of each block, and the numbers of blocks and
 * transactions by hash: about 60 bytes for a block with a transaction.
 */
export class BlockLog {
  /** By block number; -1 for a block that cannot be read. */
  private readonly positions: number[] = [];
  private readonly hashes = new HashIndex();
  private foundChainId: number | null = null;
  private file!: AppendFile;

  private constructor(private readonly chainId: number) {}

  static async open(folder: string, chainId: number): Promise<BlockLog> {
    const log = new BlockLog(chainId);
    log.file = await AppendFile.open(join(folder, BLOCK_LOG), (record, at) => {
      if (record[0] !== VERSION || record.length < FIXED) return;
      log.foundChainId ??= record.readUIntBE(1, 6);
      log.register(record, at);
    });
    return log;
  }

  /** The chain that the blocks belong to; null for an empty log. */
  get writtenFor(): number | null {
    return this.foundChainId;
  }

  /** Blocks that cannot be read any more, in the middle of readable ones. */
  get unreadable(): number[] {
    return [...this.positions.keys()].filter((number) => this.positions[number]! < 0);
  }

  get last(): BlockId | null {
    return this.positions.length === 0 ? null : this.at(this.positions.length - 1);
  }

  /** Null for a block that the log does not have. */
  at(number: number): BlockId | null {
    return this.headAt(number);
  }

  read(number: number): LoggedBlock | null {
    const position = this.positions[number] ?? -1;
    const record = position < 0 ? null : this.file.read(position);
    return record && (JSON.parse(inflateRawSync(record.subarray(headLength(record))).toString()) as LoggedBlock);
  }

  /** Number of the block with this hash, or of the one with this transaction. */
  numberOf(hash: string, kind: 'block' | 'transaction'): number | null {
    const holds = (head: BlockHead | null): boolean =>
      kind === 'block' ? head?.hash === hash : (head?.transactions.includes(hash) ?? false);
    return this.hashes.find(hash).findLast((number) => holds(this.headAt(number))) ?? null;
  }

  /** Number of the last block in a row that can be read, from `number` on. */
  lastAfter(number: number): number {
    let last = number;
    while ((this.positions[last + 1] ?? -1) >= 0) last++;
    return last;
  }

  /** Forgets the blocks after this one, which are replaced by the next append. */
  endAt(number: number): void {
    this.positions.length = Math.min(this.positions.length, number + 1);
  }

  /** Resolves when the blocks are flushed to the disk. After an error the log is as before. */
  async append(blocks: readonly LoggedBlock[]): Promise<void> {
    const records = blocks.map((block) => recordOf(block, this.chainId));
    const positions = await this.file.append(records);
    for (const [i, record] of records.entries()) this.register(record, positions[i]!);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private register(record: Buffer, position: number): void {
    const number = record.readUInt32BE(NUMBER_AT);
    while (this.positions.length < number) this.positions.push(-1);
    this.positions.length = number;
    this.positions.push(position);
    this.hashes.add(record, HASH_AT, number);
    for (let at = FIXED; at < headLength(record); at += HASH) this.hashes.add(record, at, number);
  }

  private headAt(number: number): BlockHead | null {
    const position = this.positions[number] ?? -1;
    if (position < 0) return null;
    const first = this.file.peek(position, FIXED);
    const head = first && this.file.peek(position, headLength(first));
    return head && headOf(head);
  }
}

export const BLOCK_LOG = 'blocks.log';
const VERSION = 1;
const HASH = 32;
/** Version, chain id, number and hash of the block, number of transactions; then their hashes, then the rest, compressed. */
const FIXED = 1 + 6 + 4 + HASH + 4;
const NUMBER_AT = 7;
const HASH_AT = 11;

const headLength = (record: Buffer): number => FIXED + HASH * record.readUInt32BE(FIXED - 4);
const hex = (bytes: Buffer): string => `0x${bytes.toString('hex')}`;

function headOf(record: Buffer): BlockHead {
  const hashAt = (at: number): string => hex(record.subarray(at, at + HASH));
  return {
    number: record.readUInt32BE(NUMBER_AT),
    hash: hashAt(HASH_AT),
    transactions: Array.from({ length: record.readUInt32BE(FIXED - 4) }, (_, i) => hashAt(FIXED + i * HASH)),
  };
}

function recordOf(logged: LoggedBlock, chainId: number): Buffer {
  const { number, hash, transactions } = logged.block;
  const head = Buffer.alloc(FIXED);
  head[0] = VERSION;
  head.writeUIntBE(chainId, 1, 6);
  head.writeUInt32BE(Number(number), NUMBER_AT);
  head.write(hash.slice(2), HASH_AT, 'hex');
  head.writeUInt32BE(transactions.length, FIXED - 4);
  const hashes = Buffer.from(transactions.map((one) => one.hash.slice(2)).join(''), 'hex');
  return Buffer.concat([head, hashes, deflateRawSync(JSON.stringify(logged), { level: 1 })]);
}
