import { setTimeout as sleep } from 'node:timers/promises';
import type { Rpc } from '../rpc/json-rpc.js';

const READ_EVERY_MS = 25;
/** Longer than a block takes on a busy machine. */
const QUIET_READS = 10;

/** No block is made when it resolves: anvil still makes those that it had queued when mining was turned off. */
export async function stopMining(rpc: Rpc): Promise<void> {
  await rpc.call('evm_setAutomine', [false]);
  let head: string | null = null;
  for (let quiet = 0; quiet < QUIET_READS; quiet++) {
    await sleep(READ_EVERY_MS);
    const now = await rpc.call<string>('eth_blockNumber', []);
    if (now !== head) quiet = 0;
    head = now;
  }
}

/** Transactions that arrived meanwhile are mined now. */
export async function mineAutomatically(rpc: Rpc): Promise<void> {
  await rpc.call('evm_setAutomine', [true]);
  for (let tries = 0; tries < 20; tries++) {
    const { pending } = await rpc.call<{ readonly pending: string }>('txpool_status', []);
    if (Number(pending) === 0) return;
    await sleep(25);
  }
  await rpc.call('evm_mine', []);
}
