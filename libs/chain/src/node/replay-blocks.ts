import { isRefused, type JsonRpc, quantity } from '../rpc/index.js';
import { NodeNotUsable } from './anvil-binary.js';
import type { ChainJournal, JournalBlock } from './chain-journal.js';

interface Block {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
}

/**
 * Mines the journal's blocks again and compares every hash. Afterwards the node's clock is the machine's again, which
 * the replay has set back. @returns how many blocks were mined @throws NodeNotUsable when a block comes out differently
 */
export async function replayBlocks(rpc: JsonRpc, journal: ChainJournal): Promise<number> {
  let head = await rpc.call<Block>('eth_getBlockByNumber', ['latest', false]);
  const known = journal.at(Number(head.number));
  if (known && known.hash !== head.hash) throw different(Number(head.number));
  const blocks = journal.after(Number(head.number));
  if (blocks.length > 0) {
    await rpc.call('evm_setAutomine', [false]);
    // A loaded snapshot counts from the second after its last block; the next one may share that block's second.
    await rpc.call('evm_setTime', [Number(head.timestamp)]);
    for (const block of blocks) await mineAgain(rpc, block);
    await rpc.call('evm_setAutomine', [true]);
    head = await rpc.call<Block>('eth_getBlockByNumber', ['latest', false]);
  }
  await rpc.call('evm_setTime', [Math.max(Math.floor(Date.now() / 1_000), Number(head.timestamp))]);
  return blocks.length;
}

/** One call after the other: the calls of a batch may overtake each other in anvil. */
async function mineAgain(rpc: JsonRpc, block: JournalBlock): Promise<void> {
  try {
    await rpc.call('evm_setNextBlockTimestamp', [block.timestamp]);
    await rpc.call('anvil_setNextBlockBaseFeePerGas', [block.baseFee]);
    for (const raw of block.raw) await rpc.call('eth_sendRawTransaction', [raw]);
    await rpc.call('evm_mine', []);
  } catch (error) {
    throw isRefused(error) ? different(block.number, error) : error;
  }
  const mined = await rpc.call<Block | null>('eth_getBlockByNumber', [quantity(block.number), false]);
  if (mined?.hash !== block.hash) throw different(block.number);
}

const different = (number: number, cause?: Error): NodeNotUsable =>
  new NodeNotUsable(
    `The journal of the embedded chain does not give block ${number} again${cause ? ` (${cause.message})` : ''}: its state was changed by ` +
      'other means than signed transactions, or the node is another version. The files are kept; use another data folder to start anew.',
  );
