import { ApiProblem } from './api-problem.js';
import type { TraceabilityClient } from './traceability-client.js';
import { pause } from './sender.js';
import type { Json, PreparedTx } from './types.js';

/** Signs and sends: a `Sender` with an ethers wallet, or an `Eip1193Wallet`. */
export interface Wallet {
  send(prepared: PreparedTx): Promise<string>;
}

export type TrackedTransaction = Json & { readonly status: string; readonly txHash: string | null };

/** Final states. */
const SETTLED = new Set(['confirmed', 'failed', 'replaced', 'dropped']);

/** The transaction was sent, but it failed, was replaced or was dropped. */
export class TransactionNotConfirmed extends Error {
  constructor(readonly transaction: TrackedTransaction) {
    super(
      `transaction ${transaction.txHash} is ${transaction.status}: ${typeof transaction.error === 'string' ? transaction.error : 'no reason given'}`,
    );
    this.name = 'TransactionNotConfirmed';
  }
}

export interface ConfirmOptions {
  /** Tracking category. */
  readonly type?: string;
  readonly onStage?: (
    progress:
      | { readonly stage: 'signing' }
      | { readonly stage: 'sent' | 'unreachable'; readonly txHash: string }
      | { readonly stage: 'tracked'; readonly txHash: string; readonly transaction: TrackedTransaction },
  ) => void;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Signs and sends a prepared transaction, tracks it, and waits until it is confirmed. `onStage` receives the hash before anything else can
 * fail, so that it is never lost; `confirmTransaction` continues with it.
 * @throws TransactionNotConfirmed when it failed or was replaced; Error after `timeoutMs` (it may still be confirmed later)
 */
export async function signAndConfirm(
  client: TraceabilityClient,
  wallet: Wallet,
  prepared: PreparedTx,
  options: ConfirmOptions = {},
): Promise<TrackedTransaction> {
  options.onStage?.({ stage: 'signing' });
  return confirmTransaction(client, await wallet.send(prepared), options);
}

/**
 * Tracks a transaction that was sent and waits until it is confirmed. A second call tracks it only once. While the service does not answer,
 * the requests are repeated; the transaction does not depend on it.
 * @throws TransactionNotConfirmed when it failed or was replaced; ApiProblem when the service refuses; the last error after `timeoutMs`
 */
export async function confirmTransaction(
  client: TraceabilityClient,
  txHash: string,
  { type, onStage = () => undefined, timeoutMs = 120_000, everyMs = 300 }: ConfirmOptions = {},
): Promise<TrackedTransaction> {
  onStage({ stage: 'sent', txHash });
  const deadline = Date.now() + timeoutMs;
  const withRetries = insistent({ deadline, everyMs, onFailure: () => onStage({ stage: 'unreachable', txHash }) });
  const { trackingId } = await withRetries(() => client.tx.track(txHash, type));
  for (; ; await pause(everyMs)) {
    const transaction = (await withRetries(() => client.tx.get(trackingId))) as TrackedTransaction;
    onStage({ stage: 'tracked', txHash, transaction });
    if (transaction.status === 'confirmed') return transaction;
    if (SETTLED.has(transaction.status)) throw new TransactionNotConfirmed(transaction);
    if (Date.now() > deadline) throw new Error(`transaction ${txHash} is still ${transaction.status} after ${timeoutMs} ms`);
  }
}

/** Repeats a request while the service does not answer, until the deadline. */
export const insistent =
  ({ deadline, everyMs, onFailure }: { readonly deadline: number; readonly everyMs: number; readonly onFailure: () => void }) =>
  async <T>(request: () => Promise<T>): Promise<T> => {
    for (; ; await pause(everyMs))
      try {
        return await request();
      } catch (problem) {
        if (!isTemporary(problem) || Date.now() > deadline) throw problem;
        onFailure();
      }
  };

/** No answer, or one that asks to try again. */
const isTemporary = (problem: unknown): boolean =>
  problem instanceof ApiProblem ? problem.status >= 500 || problem.status === 429 : !(problem instanceof TransactionNotConfirmed);
