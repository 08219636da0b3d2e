import { isRefused, type JsonRpc, quantity, type Rpc, valueOf } from '../rpc/json-rpc.js';
import type { BlockId, BlockLog, LoggedBlock, RpcBlock, RpcReceipt } from './block-log.js';
import { NodeNotUsable } from './chain-node.js';

type Head = Pick<RpcBlock, 'number' | 'hash' | 'timestamp'>;

const CHUNK = 50;

/**
 * Appends the node's new blocks to the log, also through a reorg. Blocks up to `floor` are final. @returns the node's head, which is in the
 * log then
 */
export async function logNewBlocks(rpc: Rpc, log: BlockLog, floor: number): Promise<BlockId> {
  const head = await rpc.call<Head>('eth_getBlockByNumber', ['latest', false]);
  const to = Number(head.number);
  if (head.hash !== log.last?.hash)
    for (let from = (await commonAncestor(rpc, log, to, floor)) + 1; from <= to; from += CHUNK)
      await log.append(await readBlocks(rpc, from, Math.min(from + CHUNK - 1, to)));
  return { number: to, hash: head.hash };
}

/** Highest block that is the same in the node and in the log, at least `floor`. */
async function commonAncestor(rpc: Rpc, log: BlockLog, head: number, floor: number): Promise<number> {
  for (let number = Math.min(log.last?.number ?? floor, head); number > floor; number--) {
    const block = await rpc.call<Head | null>('eth_getBlockByNumber', [quantity(number), false]);
    if (block && block.hash === log.at(number)?.hash) return number;
  }
  return floor;
}

async function readBlocks(rpc: Rpc, from: number, to: number): Promise<LoggedBlock[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const blocks = await rpc.batch(numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), true] })));
  const read = blocks.map((block) => valueOf<RpcBlock>(block));
  // By block hash: these are the block's transactions even if the chain changes in the meantime.
  const wanted = read.flatMap(({ hash, transactions }) => [
    ...transactions.map((_, i) => ({ method: RAW, params: [hash, quantity(i)] })),
    ...transactions.map((one) => ({ method: 'eth_getTransactionReceipt', params: [one.hash] })),
  ]);
  const answers = (await rpc.batch(wanted)).map((answer) => valueOf<unknown>(answer));
  let next = 0;
  const take = <T>(count: number): T[] => answers.slice(next, (next += count)) as T[];
  return read.map((block) => ({
    block,
    raw: take<string>(block.transactions.length),
    receipts: take<RpcReceipt>(block.transactions.length),
  }));
}

const RAW = 'eth_getRawTransactionByBlockHashAndIndex';

/**
 * Mines the logged blocks from `first` to `last` again, in a node that mines none by itself, and compares every hash. The replay sets the node's clock back; afterwards it is the
 * machine's clock again. @throws NodeNotUsable when a block has another hash than before
 */
export async function replayBlocks(rpc: JsonRpc, log: BlockLog, first: number, last: number): Promise<void> {
  let head = await rpc.call<Head>('eth_getBlockByNumber', ['latest', false]);
  if (first <= last) {
    // anvil's clock is after the last block; the next block may have the same second as that one.
    await rpc.call('evm_setTime', [Number(head.timestamp)]);
    let before: RpcBlock | null = null;
    for (let number = first; number <= last; number++) before = await mineAgain(rpc, log.read(number)!, before);
    if (before) compare(before, await rpc.call<Head | null>('eth_getBlockByNumber', [before.number, false]));
    head = await rpc.call<Head>('eth_getBlockByNumber', ['latest', false]);
  }
  await rpc.call('evm_setTime', [Math.max(Math.floor(Date.now() / 1_000), Number(head.timestamp))]);
}

/** Transactions one after the other: anvil does not keep the order of the calls in a batch. The block before is compared on the way. */
async function mineAgain(rpc: JsonRpc, { block, raw }: LoggedBlock, before: RpcBlock | null): Promise<RpcBlock> {
  const prepared = await rpc.batch([
    { method: 'evm_setNextBlockTimestamp', params: [Number(block.timestamp)] },
    { method: 'anvil_setNextBlockBaseFeePerGas', params: [block.baseFeePerGas] },
    ...(before ? [{ method: 'eth_getBlockByNumber', params: [before.number, false] }] : []),
  ]);
  if (before) compare(before, valueOf<Head | null>(prepared[2]!));
  try {
    prepared.forEach(valueOf);
    for (const one of raw) await rpc.call('eth_sendRawTransaction', [one]);
    await rpc.call('evm_mine', []);
  } catch (error) {
    throw isRefused(error) ? notReproducible(block, error) : error;
  }
  return block;
}

/** @throws NodeNotUsable */
function compare(block: RpcBlock, mined: Head | null): void {
  if (mined?.hash !== block.hash) throw notReproducible(block);
}

const notReproducible = ({ number }: RpcBlock, cause?: Error): NodeNotUsable =>
  new NodeNotUsable(
    `The block log of the embedded chain does not reproduce block ${Number(number)}${cause ? ` (${cause.message})` : ''}: the state was changed by ` +
      'something else than signed transactions, or the node has another version. The files are kept; use another data folder for a new chain.',
  );
