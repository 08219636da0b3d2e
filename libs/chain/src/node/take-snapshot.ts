import { randomUUID } from 'node:crypto';
import { on, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { JsonRpc } from '../rpc/json-rpc.js';
import type { BlockId, BlockLog, RpcBlock } from './block-log.js';
import type { ChainState, TableEntry } from './chain-state.js';
import { logNewBlocks } from './replay-blocks.js';
import { mineAutomatically, stopMining } from './stop-mining.js';
import type { SnapshotJob, SnapshotMade, SnapshotMessage } from './snapshot-thread.js';

const PROGRAM = fileURLToPath(new URL('./snapshot-thread.js', import.meta.url));
const TRIES = 3;

/** A running anvil and the files that it continues. */
export interface Session {
  readonly rpc: JsonRpc;
  readonly url: string;
  readonly folder: string;
  readonly log: BlockLog;
  readonly state: ChainState;
  /** The tables from which it started. */
  readonly earlier: readonly TableEntry[];
}

/**
 * Writes what the anvil changed since its start to a table, in place of the one that it had before. All its blocks are in the log
 * afterwards. @returns the tables before the new one
 */
export async function takeSnapshot(session: Session): Promise<readonly TableEntry[]> {
  const { rpc, url, folder, state, earlier } = session;
  for (let tries = 0; tries < TRIES; tries++) {
    const file = `state-${randomUUID()}.table`;
    const { head, made } = await dump(session, { url, folder, file, earlier: earlier.map((one) => one.file) });
    if (head === null || made.number !== head.number) {
      await removeTables(folder, [file, ...made.earlier.filter((name) => earlier.every((one) => one.file !== name))]);
      continue;
    }
    const block = await rpc.call<RpcBlock>('eth_getBlockByNumber', [`0x${head.number.toString(16)}`, false]);
    const kept = earlier
      .map((entry, i) => ({ ...entry, file: made.earlier[i] }))
      .filter((entry): entry is TableEntry => entry.file !== null);
    await state.adopt([...kept, { file, upTo: head, block: { ...block, transactions: [] } }]);
    return kept;
  }
  throw new Error('The state of the embedded chain changed during every snapshot.');
}

async function removeTables(folder: string, files: readonly (string | null)[]): Promise<void> {
  for (const file of files) if (file !== null) await rm(join(folder, file), { force: true });
}

/** Without new blocks in between: they could be in the number of a dump and not in its accounts. `head` is null if there was one. */
async function dump(
  { rpc, log, earlier }: Session,
  job: SnapshotJob,
): Promise<{ readonly head: BlockId | null; readonly made: SnapshotMade }> {
  const floor = earlier.at(-1)?.upTo.number ?? -1;
  const automatic = await rpc.call<boolean>('anvil_getAutomine', []);
  let making: Promise<SnapshotMade>;
  let head: BlockId | null = null;
  try {
    if (automatic) await stopMining(rpc);
    const before = await logNewBlocks(rpc, log, floor);
    const { dumped, made } = start(job);
    making = made;
    await dumped;
    const after = await logNewBlocks(rpc, log, floor);
    head = after.hash === before.hash ? before : null;
  } finally {
    if (automatic) await mineAutomatically(rpc);
  }
  return { head, made: await making };
}

function start(job: SnapshotJob): { readonly dumped: Promise<unknown>; readonly made: Promise<SnapshotMade> } {
  const thread = new Worker(PROGRAM, { workerData: job, execArgv: [] });
  const messages = on(thread, 'message') as AsyncIterableIterator<[SnapshotMessage]>;
  const ended = once(thread, 'exit').then(() => Promise.reject(new Error('the thread of the snapshot ended')));
  const next = async (): Promise<SnapshotMessage> => {
    const { value } = await Promise.race([messages.next(), ended]);
    return (value as [SnapshotMessage])[0];
  };
  const finish = async (): Promise<SnapshotMade> => {
    await dumped;
    const message = await next();
    if ('made' in message) return message.made;
    throw new Error('a snapshot without result');
  };
  const dumped = next();
  const made = finish();
  // The error is that of the dump, which is awaited first.
  made.catch(() => undefined);
  return { dumped, made };
}
