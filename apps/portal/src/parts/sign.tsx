import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, type TrackedTransaction, TransactionNotConfirmed, type PreparedTx, confirmTransaction, signAndConfirm } from '#client';
import { shortHash } from '../state/format';
import { keep, kept } from '../state/kept';
import { useLoad } from '../state/load';
import { path } from '../state/router';
import { api } from '../state/session';
import { aboutService, browserWallet, walletOf } from '../state/wallet';
import { Problem } from './problem';

export interface Prepared {
  readonly preparedTx: PreparedTx;
  /** Where one transaction cannot hold it all; the first is `preparedTx`. */
  readonly preparedTxs?: readonly PreparedTx[];
  readonly warnings?: readonly string[];
}

type Stage = 'idle' | 'preparing' | 'signing' | 'sent' | 'unreachable' | 'tracked' | 'landed';
const SAYS: Readonly<Record<Stage, string>> = {
  idle: '',
  preparing: 'Preparing …',
  signing: 'Waiting for the wallet …',
  sent: 'Sent to the chain …',
  unreachable: 'Sent to the chain. The service does not respond; retrying …',
  tracked: 'Included in a block; waiting for finality …',
  landed: 'Landed.',
};

/** What was sent and not seen landed, and what is still to be signed: kept, so that nothing is ever sent twice. */
interface UnderWay {
  readonly txHash: string | null;
  readonly rest: readonly PreparedTx[];
}

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

/**
 * Prepares, signs, sends, and watches it land. What was sent is not sent again: after a reload, a new sign-in or an outage this goes on
 * watching. The transaction is also listed under Transactions.
 */
export function Sign({ label, disabled = false, danger = false, ...signing }: Signing) {
  const about = useLoad('about', aboutService);
  const [kind, setKind] = useState<'demo' | 'browser'>('browser');
  useEffect(() => setKind(about.data?.demoWallet ? 'demo' : 'browser'), [about.data]);
  const { stage, txHash, warnings, error, begun, start } = useSigning(signing, kind);
  const both = Boolean(about.data?.demoWallet && browserWallet());
  const unable = about.data !== null && !about.data.demoWallet && !browserWallet();
  const busy = stage !== 'idle' && stage !== 'landed';
  return (
    <div class="sign">
      <button type="button" class={danger ? 'danger' : 'main'} disabled={(disabled && !begun) || busy || unable} onClick={start}>
        {begun && !busy ? 'Continue' : label}
      </button>
      {both && (
        <select aria-label="Sign with" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as 'demo' | 'browser')}>
          <option value="demo">Demo wallet</option>
          <option value="browser">My wallet</option>
        </select>
      )}
      {about.data?.demoWallet && !both && <span class="hint">signed with the demo wallet</span>}
      {unable && <span class="hint">No wallet found in this browser.</span>}
      <span role="status">
        {SAYS[stage]} {txHash && <code title={txHash}>{shortHash(txHash)}</code>}
      </span>
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <Problem of={error} brief={signing.onRefused !== undefined} />
    </div>
  );
}

function useSigning({ type, prepare, onLanded, onRefused, name }: Omit<Signing, 'label'>, kind: 'demo' | 'browser') {
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
  const begin = async (): Promise<UnderWay> => {
    setStage('preparing');
    const { preparedTx, preparedTxs = [preparedTx], warnings: said = [] } = await prepare();
    setWarnings(said);
    return { txHash: null, rest: preparedTxs };
  };
  const goOn = async (from: UnderWay): Promise<TrackedTransaction> => {
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
        sent === null ? await signAndConfirm(api(), await walletOf(kind), next!, options) : await confirmTransaction(api(), sent, options);
      rest = sent === null ? rest.slice(1) : rest;
      sent = null;
      if (rest.length === 0) return landing;
      note({ txHash: null, rest });
    }
  };
  const run = async (): Promise<void> => {
    setError(null);
    try {
      const landing = await goOn(kept<UnderWay>(key) ?? (await begin()));
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
    if (kept<UnderWay>(key)?.txHash) void run();
  }, [key]);
  return { stage, txHash, warnings, error, begun, start: () => void run() };
}
