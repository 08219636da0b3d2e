import { useEffect, useState } from 'preact/hooks';
import {
  ApiProblem,
  type PreparedTx,
  type RelayableCall,
  type TrackedTransaction,
  TransactionNotConfirmed,
  confirmRelayed,
  confirmTransaction,
  signAndConfirm,
} from '#client';
import { deviceAccount, likelyKey, relay } from '../state/device';
import { shortHash } from '../state/format';
import { keep, kept } from '../state/kept';
import { useLoad } from '../state/load';
import { path } from '../state/router';
import { api, me } from '../state/session';
import { aboutService, browserWallet, walletOf } from '../state/wallet';
import { Problem } from './problem';

export interface Prepared {
  readonly preparedTx: PreparedTx;
  /** Where one transaction cannot hold it all; the first is `preparedTx`. */
  readonly preparedTxs?: readonly PreparedTx[];
  /** Names the call for a relay, where a passkey signs. */
  readonly hints?: RelayableCall['hints'];
  readonly warnings?: readonly string[];
}

type Stage = 'idle' | 'preparing' | 'signing' | 'sent' | 'unreachable' | 'tracked' | 'landed';
const SAYS: Readonly<Record<Stage, string>> = {
  idle: '',
  preparing: 'Preparing …',
  signing: 'Waiting for your signature …',
  sent: 'Sent to the chain …',
  unreachable: 'Sent to the chain. The service does not respond; retrying …',
  tracked: 'Included in a block; waiting for finality …',
  landed: 'Landed.',
};

/** What was sent and not seen landed, and what is still to be signed: kept, so that nothing is ever sent twice. */
interface UnderWay {
  readonly txHash: string | null;
  readonly rest: readonly PreparedTx[];
  /** Trackings of what a passkey signed and the service sends. */
  readonly relayed?: readonly string[];
}

/** What signs, and its name: the id of a passkey; `demo`, an account of a local chain that this page knows; `browser`, its wallet. */
type Choice = readonly [means: string, name: string];

/** The service knows no such transaction and never will. */
const OVER = new Set([400, 404, 422]);

interface Signing {
  readonly label: string;
  readonly type: string;
  readonly prepare: () => Promise<Prepared>;
  readonly onLanded: (landing: TrackedTransaction) => void;
  readonly onRefused?: (problem: unknown) => void;
  /** Tells this button from others of its type on the page. */
  readonly name?: string;
  readonly disabled?: boolean;
  readonly danger?: boolean;
}

/** How the person can sign in this browser, the likeliest first. */
async function waysToSign(): Promise<readonly Choice[]> {
  const account = await deviceAccount();
  if (account) {
    const likely = await likelyKey(account);
    return account.keys
      .map(({ passkeyId, name }): Choice => [passkeyId, name])
      .toSorted(([a], [b]) => Number(b === likely) - Number(a === likely));
  }
  const { demoWallet } = await aboutService();
  const ways: readonly (Choice | null)[] = [demoWallet ? ['demo', 'Demo wallet'] : null, browserWallet() ? ['browser', 'My wallet'] : null];
  return ways.filter((way) => way !== null);
}

/**
 * Prepares, signs, sends, and watches it land. What was sent is not sent again: after a reload, a new sign-in or an outage this goes on
 * watching. The transaction is also listed under Transactions.
 */
export function Sign({ label, disabled = false, danger = false, ...signing }: Signing) {
  const ways = useLoad(`sign ${me.value?.wallet}`, waysToSign);
  const [chosen, setChosen] = useState<string | null>(null);
  const means = chosen ?? ways.data?.[0]?.[0] ?? null;
  const { stage, txHash, warnings, error, begun, start } = useSigning(signing, means);
  const busy = stage !== 'idle' && stage !== 'landed';
  const isPasskey = means !== null && means !== 'demo' && means !== 'browser';
  return (
    <div class="sign">
      <button type="button" class={danger ? 'danger' : 'main'} disabled={(disabled && !begun) || busy || means === null} onClick={start}>
        {begun && !busy ? 'Continue' : label}
      </button>
      {ways.data && ways.data.length > 1 && (
        <select aria-label="Sign with" value={means!} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {ways.data.map(([way, name]) => (
            <option key={way} value={way}>
              {name}
            </option>
          ))}
        </select>
      )}
      {isPasskey && <span class="hint">Sign with this device. The gas is paid for you.</span>}
      {means === 'demo' && ways.data!.length === 1 && <span class="hint">signed with the demo wallet</span>}
      {ways.data?.length === 0 && <span class="hint">This browser has no wallet and no passkey of yours.</span>}
      <span role="status">
        {SAYS[stage]} {txHash && <code title={txHash}>{shortHash(txHash)}</code>}
      </span>
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <Problem of={error ?? ways.error} brief={signing.onRefused !== undefined} />
    </div>
  );
}

function useSigning({ type, prepare, onLanded, onRefused, name }: Omit<Signing, 'label'>, means: string | null) {
  const key = `sent.${name ?? `${type} ${path.peek()}`}`;
  const [stage, setStage] = useState<Stage>('idle');
  const [txHash, setTxHash] = useState<string | null>(null);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [begun, setBegun] = useState(() => kept<UnderWay>(key) !== null);

  const note = (underWay: UnderWay | null): void => {
    keep(key, underWay);
    setBegun(underWay !== null);
  };
  const begin = async (): Promise<Prepared> => {
    setStage('preparing');
    const prepared = await prepare();
    setWarnings(prepared.warnings ?? []);
    return prepared;
  };
  const send = async (from: UnderWay): Promise<TrackedTransaction> => {
    let { txHash: sent, rest } = from;
    for (;;) {
      const next = rest[0];
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
          ? await signAndConfirm(api(), await walletOf(means as 'demo' | 'browser'), next!, options)
          : await confirmTransaction(api(), sent, options);
      rest = sent === null ? rest.slice(1) : rest;
      sent = null;
      if (rest.length === 0) return landing;
      note({ txHash: null, rest });
    }
  };
  /** A passkey signs, the service sends and pays. */
  const handOver = async ({ preparedTx, preparedTxs, hints }: Prepared): Promise<UnderWay> => {
    if (!hints || (preparedTxs && preparedTxs.length > 1))
      throw new Error('This takes several transactions, or was not prepared for a passkey. Sign it with a wallet.');
    setStage('signing');
    const relayed = await relay({ preparedTx, hints }, means!);
    const underWay = { txHash: null, rest: [], relayed };
    note(underWay);
    return underWay;
  };
  const watch = async (relayed: readonly string[]): Promise<TrackedTransaction> => {
    const [landing] = await confirmRelayed(api(), relayed, {
      onStage: (now) => {
        if (now.stage === 'tracked') setTxHash(now.transaction.txHash);
        setStage(now.stage === 'tracked' && now.transaction.txHash === null ? 'sent' : now.stage);
      },
    });
    return landing!;
  };
  const goOn = async (): Promise<TrackedTransaction> => {
    const from = kept<UnderWay>(key);
    if (from?.relayed) return watch(from.relayed);
    if (from) return send(from);
    const prepared = await begin();
    if (means === 'demo' || means === 'browser') return send({ txHash: null, rest: prepared.preparedTxs ?? [prepared.preparedTx] });
    return watch((await handOver(prepared)).relayed!);
  };
  const run = async (): Promise<void> => {
    setError(null);
    try {
      const landing = await goOn();
      note(null);
      setStage('landed');
      onLanded(landing);
    } catch (problem) {
      setStage('idle');
      setError(problem);
      // It is over: the next attempt is another one.
      if (problem instanceof TransactionNotConfirmed || (problem instanceof ApiProblem && OVER.has(problem.status))) note(null);
      onRefused?.(problem);
    }
  };
  // What was only to be signed waits for its owner; what was sent needs nobody.
  useEffect(() => {
    const from = kept<UnderWay>(key);
    if (from?.txHash || from?.relayed) void run();
  }, [key]);
  return { stage, txHash, warnings, error, begun, start: () => void run() };
}
