import type { UnitOfWork } from '#persistence';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 1_000;
/** The server disconnects a lock holder that is frozen, or whose machine is gone, after four missed heartbeats. */
const IDLE_TIMEOUT_MS = 4 * HEARTBEAT_MS;

/**
 * Runs `work` while no other process may write the indexed state of the chain; false when another process does.
 *
 * The advisory lock belongs to a transaction that stays open. It has no snapshot, so it does not hinder vacuum; it ends with its
 * connection; and unlike a session lock it also works behind a connection pooler. `lost` is aborted when the connection has died. Even
 * before that nothing wrong can be written, because every event moves the cursor from where this writer expects it.
 */
export async function asSingleWriter(
  unitOfWork: UnitOfWork,
  chainId: number,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<boolean> {
  return unitOfWork.asSystem(async (tx) => {
    const [lock] = await tx.sql<{ mine: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as mine', [
      `chain.indexer:${chainId}`,
    ]);
    if (!lock?.mine) return false;
    await tx.sql("select set_config('idle_in_transaction_session_timeout', $1, true)", [`${IDLE_TIMEOUT_MS}ms`]);
    const [lost, done] = [new AbortController(), new AbortController()];
    const beat = async (): Promise<void> => {
      while (!done.signal.aborted) {
        await sleep(HEARTBEAT_MS, undefined, { signal: done.signal }).catch(() => undefined);
        await tx.sql('select 1');
      }
    };
    const beating = beat().catch((error: unknown) => {
      lost.abort(error);
    });
    try {
      await work(lost.signal);
    } finally {
      done.abort();
      await beating;
    }
    if (lost.signal.aborted) throw lost.signal.reason;
    return true;
  });
}
