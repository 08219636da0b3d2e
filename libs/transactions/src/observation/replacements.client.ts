import { type Rpc, RpcLie, quantity } from '#chain';
import { type RawReceipt, type RawTransaction, answersTo, nonceOf } from './raw-transaction.client.js';

interface Unmined {
  readonly txHash: string;
  readonly from: string;
  readonly nonce: number;
}

interface Replacement {
  readonly by: string | null;
}

/** A full node keeps the state of the last 128 blocks; the embedded one that of the last block only. */
const BLOCKS_WITH_STATE = 120;
/** Where the node has neither an index by nonce nor past state, so many blocks are read. */
const SEARCHED_BLOCKS = 256;
const BLOCKS_PER_BATCH = 16;

/**
 * The transactions that lost their nonce to another one, by hash. Nonces are requested before receipts: a transaction that is mined in
 * between has its receipt by then and is not among them.
 */
export async function replacements(rpc: Rpc, unmined: readonly Unmined[]): Promise<ReadonlyMap<string, Replacement>> {
  const senders = [...new Set(unmined.map(({ from }) => from))];
  const counts = await answersTo<string>(
    rpc,
    senders.map((from) => ({ method: 'eth_getTransactionCount', params: [from, 'latest'] })),
  );
  const next = new Map(senders.map((from, i) => [from, Number(counts[i] ?? 0)]));
  const passed = unmined.filter(({ from, nonce }) => next.get(from)! > nonce);
  const receipts = await answersTo<RawReceipt>(
    rpc,
    passed.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
  );
  const gone = new Map<string, Replacement>();
  for (const of of passed.filter((_, i) => receipts[i] === null)) {
    // That it was replaced is known without the other one. A node that contradicts itself is not asked any more.
    const by = await replacementOf(rpc, of).catch((error: unknown) => {
      if (error instanceof RpcLie) throw error;
      return null;
    });
    // The node has mined it after all; its receipts are behind.
    if (by !== of.txHash) gone.set(of.txHash, { by });
  }
  return gone;
}

/**
 * The mined transaction with the sender's nonce: by the node's index, else by binary search over past states, else in the last blocks
 * themselves. Null when it was mined before them.
 */
async function replacementOf(rpc: Rpc, of: Unmined): Promise<string | null> {
  const { from, nonce } = of;
  const [indexed] = await rpc.batch([{ method: 'eth_getTransactionBySenderAndNonce', params: [from, quantity(nonce)], optional: true }]);
  const known = indexed!.ok ? (indexed!.value as MinedTransaction | null) : null;
  if (known) return known.hash;
  const head = Number(await rpc.call<string>('eth_blockNumber', []));
  const block = await blockOfNonce(rpc, of, head);
  if (block === 'before') return null;
  return block === 'unknown' ? searchBack(rpc, of, head) : transactionIn(await fullBlocks(rpc, [block]), of);
}

/** The block that used the nonce, or `before` the states that are kept; `unknown` when the node does not have those states. */
async function blockOfNonce(rpc: Rpc, { from, nonce }: Unmined, head: number): Promise<number | 'before' | 'unknown'> {
  const count = async (block: number): Promise<number | null> => {
    const [answer] = await rpc.batch([{ method: 'eth_getTransactionCount', params: [from, quantity(block)], optional: true }]);
    return answer!.ok ? Number(answer!.value) : null;
  };
  let [low, high] = [Math.max(0, head - BLOCKS_WITH_STATE), head];
  const first = await count(low);
  if (first === null) return 'unknown';
  if (first > nonce) return 'before';
  while (high - low > 1) {
    const middle = (high + low) >> 1;
    const used = await count(middle);
    if (used === null) return 'unknown';
    if (used > nonce) high = middle;
    else low = middle;
  }
  return high;
}

async function searchBack(rpc: Rpc, of: Unmined, head: number): Promise<string | null> {
  const last = Math.max(0, head - SEARCHED_BLOCKS + 1);
  for (let to = head; to >= last; to -= BLOCKS_PER_BATCH) {
    const count = Math.min(BLOCKS_PER_BATCH, to - last + 1);
    const blocks = await fullBlocks(
      rpc,
      Array.from({ length: count }, (_, i) => to - i),
    );
    const found = transactionIn(blocks, of);
    if (found) return found;
  }
  return null;
}

interface MinedTransaction extends RawTransaction {
  readonly hash: string;
}

const fullBlocks = (rpc: Rpc, numbers: readonly number[]): Promise<({ readonly transactions: readonly MinedTransaction[] } | null)[]> =>
  answersTo(
    rpc,
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), true] })),
  );

const transactionIn = (blocks: Awaited<ReturnType<typeof fullBlocks>>, { from, nonce }: Unmined): string | null =>
  blocks
    .flatMap((block) => block?.transactions ?? [])
    .find((transaction) => transaction.from.toLowerCase() === from.toLowerCase() && nonceOf(transaction) === nonce)?.hash ?? null;
