import { type PasskeyCall, PasskeySigner, type AskPasskey } from './passkey-signer.js';
import { usePasskey } from './passkeys.js';
import { pause } from './sender.js';
import type { PreparedHints } from './types.js';
import type { TraceabilityClient } from './traceability-client.js';
import { type TrackedTransaction, TransactionNotConfirmed, insistent } from './confirm-transaction.js';

/** A call that the service prepared for an account of passkeys. */
export interface RelayableCall {
  readonly preparedTx: PasskeyCall;
  readonly hints: PreparedHints;
}

/** A change of an account's keys, as `keys/prepare` and `owners/prepare` answer with it. */
export const keyChange = ({ to, data, preparedId }: PasskeyCall & { readonly preparedId: string | null }): RelayableCall => ({
  preparedTx: { to, data },
  hints: preparedId === null ? {} : { preparedId },
});

export interface RelayReceipt {
  readonly relayId: string;
  /** Of each call, in their order. */
  readonly trackingIds: readonly string[];
}

interface AccountView {
  readonly address: string;
  readonly chainId: number;
  readonly now: string;
  readonly keys: readonly {
    readonly passkeyId: string;
    readonly x: string;
    readonly y: string;
    readonly rpIdHash: string;
    readonly signs: boolean;
    readonly lane: number;
    readonly sequence: number;
  }[];
}

const LIFETIME_SECONDS = 300;
const ENDED = new Set(['confirmed', 'failed', 'dropped']);

/**
 * Has prepared calls sent that a passkey signs: the person needs neither a wallet nor coins. What is signed is computed here from the calls;
 * the service can only send it or not.
 */
export class PasskeyRelay {
  constructor(
    private readonly client: TraceabilityClient,
    private readonly ask: AskPasskey = usePasskey,
    /** Of the passkey; without it the oldest one signs. */
    private readonly passkeyId?: string,
    /** That signs: of the person's organisation, or another one of theirs (EIP-55); without it the one that is their wallet. */
    private readonly account?: string,
  ) {}

  /** All of the calls are done, or none. @throws ApiProblem 422 `not_sponsorable`, 429 `sponsorship_exhausted`; Error for calls of another sender */
  async send(calls: readonly RelayableCall[]): Promise<RelayReceipt> {
    const prepared = calls.map(({ hints }) => hints.preparedId);
    if (prepared.includes(undefined)) throw new Error('A call was not prepared for an account of passkeys.');
    const { account } = this;
    const of = account === undefined ? '' : `?account=${account}`;
    const { address, chainId, now, keys } = await this.client.get<AccountView>(`/api/v1/tx/relay${of}`);
    const key = keys.find(({ passkeyId, signs }) => (this.passkeyId === undefined ? signs : passkeyId === this.passkeyId));
    if (!key) throw new Error('This passkey does not sign for your account.');
    const { lane, sequence, passkeyId: credentialId } = key;
    const place = { lane, sequence, deadline: Math.floor(Date.parse(now) / 1_000) + LIFETIME_SECONDS };
    const signer = new PasskeySigner({ address, chainId, key, credentialId }, this.ask);
    const credential = await signer.assertCalls(
      calls.map(({ preparedTx }) => preparedTx),
      place,
    );
    return this.client.post<RelayReceipt>('/api/v1/tx/relay', { account, prepared, assertion: { ...place, credential } });
  }

  /** Sends, and waits until every call is confirmed. @throws TransactionNotConfirmed, what `send` throws, Error after `timeoutMs` */
  async confirm(calls: readonly RelayableCall[], options: ConfirmRelayOptions = {}): Promise<readonly TrackedTransaction[]> {
    const { trackingIds } = await this.send(calls);
    return confirmRelayed(this.client, trackingIds, options);
  }
}

export interface ConfirmRelayOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** The first of the calls, as it is now; or that the service does not answer. */
  readonly onStage?: (
    progress: { readonly stage: 'tracked'; readonly transaction: TrackedTransaction } | { readonly stage: 'unreachable' },
  ) => void;
}

/**
 * Waits until every call of a relay is confirmed. While the service does not answer, the requests are repeated.
 * @throws TransactionNotConfirmed when one fails or is dropped; Error after `timeoutMs` (they may still be confirmed later)
 */
export async function confirmRelayed(
  client: TraceabilityClient,
  trackingIds: readonly string[],
  { timeoutMs = 120_000, everyMs = 300, onStage = () => undefined }: ConfirmRelayOptions = {},
): Promise<readonly TrackedTransaction[]> {
  const deadline = Date.now() + timeoutMs;
  const withRetries = insistent({ deadline, everyMs, onFailure: () => onStage({ stage: 'unreachable' }) });
  const read = async (id: string): Promise<TrackedTransaction> => (await client.tx.get(id)) as unknown as TrackedTransaction;
  for (; ; await pause(everyMs)) {
    const states = await withRetries(() => Promise.all(trackingIds.map(read)));
    onStage({ stage: 'tracked', transaction: states[0]! });
    const failed = states.find(({ status }) => ENDED.has(status) && status !== 'confirmed');
    if (failed) throw new TransactionNotConfirmed(failed);
    if (states.every(({ status }) => status === 'confirmed')) return states;
    if (Date.now() > deadline) throw new Error(`The calls are not confirmed after ${timeoutMs} ms.`);
  }
}
