import { type PreparedTx, type RelayableCall, type TrackedTransaction, confirmRelayed, confirmTransaction, signAndConfirm } from '#client';
import { relay } from './device';
import { api } from './session';
import { walletOf } from './wallet';
import { t } from './language';

export interface Prepared {
  readonly preparedTx: PreparedTx;
  /** Where one transaction cannot hold it all; the first is `preparedTx`. */
  readonly preparedTxs?: readonly PreparedTx[];
  /** Names the call for a relay, where a passkey signs. */
  readonly hints?: RelayableCall['hints'];
  /** All of them, where a passkey signs several at once. */
  readonly calls?: readonly RelayableCall[];
  readonly warnings?: readonly string[];
}

export type Stage = 'idle' | 'preparing' | 'signing' | 'sent' | 'unreachable' | 'tracked' | 'landed';

/** What was sent and not seen landed, and what is still to be signed: kept, so that nothing is ever sent twice. */
export interface UnderWay {
  readonly txHash: string | null;
  readonly rest: readonly PreparedTx[];
  /** Trackings of what a passkey signed and the service sends. */
  readonly relayed?: readonly string[];
}

/** What signs: `demo`, an account of a local chain that this page knows; `browser`, its wallet; else the id of a passkey. */
export const isWallet = (means: string | null): means is 'demo' | 'browser' => means === 'demo' || means === 'browser';

/** Gets how far it is. */
export interface Progress {
  /** Keeps it; null when it is over. */
  readonly note: (underWay: UnderWay | null) => void;
  readonly setStage: (stage: Stage) => void;
  readonly setTxHash: (hash: string | null) => void;
}

/** Signs and sends one transaction after the other, and watches each. */
export async function sendByWallet(
  from: UnderWay,
  { type, means }: { readonly type: string; readonly means: string | null },
  { note, setStage, setTxHash }: Progress,
): Promise<TrackedTransaction> {
  let { txHash: sent, rest } = from;
  for (;;) {
    const options = {
      type,
      onStage: (now: { readonly stage: Stage; readonly txHash?: string }) => {
        setStage(now.stage);
        if (now.stage !== 'sent' || sent !== null) return;
        note({ txHash: now.txHash!, rest: rest.slice(1) });
        setTxHash(now.txHash!);
      },
    };
    if (sent !== null) setTxHash(sent);
    const landing =
      sent === null
        ? await signAndConfirm(api(), await walletOf(means as 'demo' | 'browser'), rest[0]!, options)
        : await confirmTransaction(api(), sent, options);
    rest = sent === null ? rest.slice(1) : rest;
    sent = null;
    if (rest.length === 0) return landing;
    note({ txHash: null, rest });
  }
}

/** A passkey signs; the service sends and pays. @returns trackings */
export async function handOver(
  { preparedTx, preparedTxs, hints, calls }: Prepared,
  passkeyId: string,
  { note, setStage }: Progress,
): Promise<readonly string[]> {
  const relayable = calls ?? (hints && (!preparedTxs || preparedTxs.length === 1) ? [{ preparedTx, hints }] : null);
  if (!relayable) throw new Error(t('This takes several transactions, or was not prepared for a passkey. Sign it with a wallet.'));
  setStage('signing');
  const relayed = await relay(relayable, passkeyId);
  note({ txHash: null, rest: [], relayed });
  return relayed;
}

export async function watchRelayed(relayed: readonly string[], { setStage, setTxHash }: Progress): Promise<TrackedTransaction> {
  const [landing] = await confirmRelayed(api(), relayed, {
    onStage: (now) => {
      if (now.stage === 'tracked') setTxHash(now.transaction.txHash);
      setStage(now.stage === 'tracked' && now.transaction.txHash === null ? 'sent' : now.stage);
    },
  });
  return landing!;
}
