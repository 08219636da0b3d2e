import { ApiProblem } from './api-problem.js';
import { pause } from './pause.js';
import type { TraceabilityClient } from './traceability-client.js';
import type { Json, PreparedTx } from './types.js';

/** Signs and sends: a `Sender` around an ethers wallet, or an `Eip1193Wallet`. */
export interface Wallet {
  send(prepared: PreparedTx): Promise<string>;
}

export type Landing = Json & { readonly status: string; readonly txHash: string };

/** What is over: nothing moves it any more. */
const SETTLED = new Set(['confirmed', 'failed', 'replaced', 'dropped']);

/** The transaction was sent and will not do what was prepared. */
export class NotLanded extends Error {
  constructor(readonly transaction: Landing) {
    super(
      `transaction ${transaction.txHash} is ${transaction.status}: ${typeof transaction.error === 'string' ? transaction.error : 'no reason given'}`,
    );
    this.name = 'NotLanded';
  }
}

/**
 * Signs what was prepared, sends it, has the service track it and waits until it is confirmed. A hash that was sent is told
 * by `onStep` before anything else can fail, so that it is never lost; `land` goes on with it.
 * @throws NotLanded when it failed or was replaced; Error after `timeoutMs` (the transaction may still land)
 */
export async function signAndLand(
  client: TraceabilityClient,
  wallet: Wallet,
  prepared: PreparedTx,
  options: LandOptions = {},
): Promise<Landing> {
  options.onStep?.({ step: 'signing' });
  return land(client, await wallet.send(prepared), options);
}

/**
 * Has the service track what was sent, and waits until it is confirmed. Asking twice tracks once. While the service does not answer
 * it is asked again: what was sent lands without it.
 * @throws NotLanded when it failed or was replaced; ApiProblem when the service refuses; the last fault after `timeoutMs`
 */
export async function land(
  client: TraceabilityClient,
  txHash: string,
  { type, onStep = () => undefined, timeoutMs = 120_000, everyMs = 300 }: LandOptions = {},
): Promise<Landing> {
  onStep({ step: 'sent', txHash });
  const deadline = Date.now() + timeoutMs;
  const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (; ; await pause(everyMs))
      try {
        return await ask();
      } catch (problem) {
        if (!isPassing(problem) || Date.now() > deadline) throw problem;
        onStep({ step: 'unreachable', txHash });
      }
  };
  const { trackingId } = await asked(() => client.tx.track(txHash, type));
  for (; ; await pause(everyMs)) {
    const transaction = (await asked(() => client.tx.get(trackingId))) as Landing;
    onStep({ step: 'tracked', txHash, transaction });
    if (transaction.status === 'confirmed') return transaction;
    if (SETTLED.has(transaction.status)) throw new NotLanded(transaction);
    if (Date.now() > deadline) throw new Error(`transaction ${txHash} is still ${transaction.status} after ${timeoutMs} ms`);
  }
}

/** No answer, or one that says to come again. */
const isPassing = (problem: unknown): boolean =>
  problem instanceof ApiProblem ? problem.status >= 500 || problem.status === 429 : !(problem instanceof NotLanded);

export interface LandOptions {
  /** Tracking category. */
  readonly type?: string;
  readonly onStep?: (
    step:
      | { readonly step: 'signing' }
      | { readonly step: 'sent' | 'unreachable'; readonly txHash: string }
      | { readonly step: 'tracked'; readonly txHash: string; readonly transaction: Landing },
  ) => void;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}
