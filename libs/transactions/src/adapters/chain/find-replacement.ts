import { type Rpc, quantity } from '#chain';
import { type RawReceipt, type RawTransaction, asked } from './raw-transaction.js';

interface Unmined {
  readonly txHash: string;
  readonly from: string;
  readonly nonce: number;
}

export interface Replaced {
  readonly by: string | null;
}

/** How far back the other transaction is looked for, where the node has no index by nonce. */
const LOOK_BACK_BLOCKS = 256;

/**
 * Which of these lost their nonce to another transaction, by hash. The nonces are asked for before the receipts: one of ours
 * that was mined in between has its receipt by then, and is none of these.
 */
export async function replacements(rpc: Rpc, unmined: readonly Unmined[]): Promise<ReadonlyMap<string, Replaced>> {
  const senders = [...new Set(unmined.map(({ from }) => from))];
  const counts = await asked<string>(
    rpc,
    senders.map((from) => ({ method: 'eth_getTransactionCount', params: [from, 'latest'] })),
  );
  const next = new Map(senders.map((from, i) => [from, Number(counts[i] ?? 0)]));
  const passed = unmined.filter(({ from, nonce }) => next.get(from)! > nonce);
  const receipts = await asked<RawReceipt>(
    rpc,
    passed.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
  );
  const gone = new Map<string, Replaced>();
  for (const of of passed.filter((_, i) => receipts[i] === null)) {
    const by = await takerOf(rpc, of).catch(() => null);
    // The node knows it as mined after all, its receipts are behind.
    if (by !== of.txHash) gone.set(of.txHash, { by });
  }
  return gone;
}

/** The mined transaction with the sender's nonce: by the node's index, else by halving the last blocks. Null when not found. */
async function takerOf(rpc: Rpc, { from, nonce }: Unmined): Promise<string | null> {
  const [indexed] = await rpc.batch([{ method: 'eth_getTransactionBySenderAndNonce', params: [from, quantity(nonce)] }]);
  if (indexed!.ok) return (indexed!.value as { readonly hash?: string } | null)?.hash ?? null;
  const count = async (block: number): Promise<number> =>
    Number(await rpc.call<string>('eth_getTransactionCount', [from, quantity(block)]));
  let high = Number(await rpc.call<string>('eth_blockNumber', []));
  let low = Math.max(0, high - LOOK_BACK_BLOCKS);
  if ((await count(low)) > nonce) return null;
  while (high - low > 1) {
    const middle = (high + low) >> 1;
    if ((await count(middle)) > nonce) high = middle;
    else low = middle;
  }
  const block = await rpc.call<{ transactions: readonly (RawTransaction & { hash: string })[] } | null>('eth_getBlockByNumber', [
    quantity(high),
    true,
  ]);
  return block?.transactions.find((tx) => tx.from.toLowerCase() === from.toLowerCase() && Number(tx.nonce) === nonce)?.hash ?? null;
}
