import { type Rpc, quantity, valueOf } from '../rpc/index.js';
import type { ChainJournal, JournalBlock } from './chain-journal.js';

interface Block {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly baseFeePerGas: string;
  readonly transactions: readonly string[];
}

const CHUNK = 100;

/**
 * Appends what the node has and the journal has not, following it through a reorg. False when the reorg went below the
 * last snapshot, so that a new snapshot has to be taken instead.
 */
export async function journalNewBlocks(rpc: Rpc, journal: ChainJournal): Promise<boolean> {
  const head = await rpc.call<Block>('eth_getBlockByNumber', ['latest', false]);
  if (head.hash === journal.last?.hash) return true;
  const common = await commonAncestor(rpc, journal, Number(head.number));
  if (common === null) return false;
  for (let from = common + 1; from <= Number(head.number); from += CHUNK)
    await journal.append(await readBlocks(rpc, from, Math.min(from + CHUNK - 1, Number(head.number))));
  return true;
}

/** Highest block that node and journal agree on; 0 for a journal that has nothing yet. */
async function commonAncestor(rpc: Rpc, journal: ChainJournal, head: number): Promise<number | null> {
  if (journal.last === null) return 0;
  for (let number = Math.min(journal.last.number, head); ; number--) {
    if (number < journal.floor) return null;
    const known = journal.at(number);
    if (!known) return number === 0 ? 0 : null;
    const block = await rpc.call<Block | null>('eth_getBlockByNumber', [quantity(number), false]);
    if (block?.hash === known.hash) return number;
  }
}

async function readBlocks(rpc: Rpc, from: number, to: number): Promise<JournalBlock[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const blocks = await rpc.batch(numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] })));
  const read = blocks.map((block) => valueOf<Block>(block));
  // By block hash: whatever happens to the chain meanwhile, these are that block's transactions.
  const wanted = read.flatMap((block) => block.transactions.map((_, i) => ({ method: RAW, params: [block.hash, quantity(i)] })));
  const raw = (await rpc.batch(wanted)).map((result) => valueOf<string>(result));
  let next = 0;
  return read.map((block) => ({
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    baseFee: block.baseFeePerGas,
    raw: raw.slice(next, (next += block.transactions.length)),
  }));
}

const RAW = 'eth_getRawTransactionByBlockHashAndIndex';
