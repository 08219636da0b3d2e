import type { UnitOfWork } from '#persistence';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 1_000;
/** A holder that is frozen, or whose machine is gone without a word, is cut off by the server after so many missed heartbeats. */
const SILENT_MS = 4 * HEARTBEAT_MS;

/**
 * Runs `work` while this process alone may write the projection of the chain; false when another one does.
 *
 * The advisory lock lives in a transaction that stays open: it holds no snapshot, so it hinders no vacuum, it goes the
 * moment its connection does, and unlike a session's lock it also works behind a connection pooler. `lost` fires when the
 * connection has died; even before that nothing wrong can be written, because every step moves the cursor from where
 * this writer believes it to be.
 */
export async function asOnlyWriter(unitOfWork: UnitOfWork, chainId: number, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
  return unitOfWork.asSystem(async (tx) => {
    const [lock] = await tx.sql<{ mine: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as mine', [
      `chain.indexer:${chainId}`,
    ]);
    if (!lock?.mine) return false;
    await tx.sql("select set_config('idle_in_transaction_session_timeout', $1, true)", [`${SILENT_MS}ms`]);
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
