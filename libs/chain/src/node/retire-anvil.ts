import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonRpc, valueOf } from '../rpc/json-rpc.js';
import { stopMining } from './stop-mining.js';

type Pool = Readonly<Record<string, Readonly<Record<string, { readonly hash: string }>>>>;

/**
 * Before an anvil is ended: it mines nothing more and refuses new transactions, and all that it mined is in the log.
 * @param logBlocks logs its new blocks. @returns what it accepted and did not mine, raw, for its successor
 */
export async function retireAnvil(rpc: JsonRpc, logBlocks: () => Promise<{ readonly hash: string }>): Promise<readonly string[]> {
  await stopMining(rpc);
  // No transaction fits into such a block, so the sender gets an error immediately.
  await rpc.call('evm_setBlockGasLimit', ['0x1']);
  for (;;) {
    const logged = await logBlocks();
    const waiting = await waitingIn(rpc);
    const head = await rpc.call<{ readonly hash: string }>('eth_getBlockByNumber', ['latest', false]);
    // Else it was very slow with a block.
    if (head.hash === logged.hash) return waiting;
    await sleep(5);
  }
}

async function waitingIn(rpc: JsonRpc): Promise<string[]> {
  const { pending, queued } = await rpc.call<{ readonly pending: Pool; readonly queued: Pool }>('txpool_content', []);
  const inOrder = [pending, queued].flatMap((pool) =>
    Object.values(pool).flatMap((byNonce) =>
      Object.entries(byNonce)
        .toSorted(([a], [b]) => Number(a) - Number(b))
        .map(([, { hash }]) => hash),
    ),
  );
  if (inOrder.length === 0) return [];
  const raw = await rpc.batch(inOrder.map((hash) => ({ method: 'eth_getRawTransactionByHash', params: [hash] })));
  return raw.map((one) => valueOf<string | null>(one)).filter((one) => one !== null);
}
