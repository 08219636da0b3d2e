import { useEffect, useState } from 'preact/hooks';
import { type PreparedTx, signAndLand } from '#client';
import { shortHash } from '../state/format';
import { useLoad } from '../state/load';
import { api } from '../state/session';
import { aboutService, browserWallet, walletOf } from '../state/wallet';
import { Problem } from './problem';

export interface Prepared {
  readonly preparedTx: PreparedTx;
  /** Where one transaction cannot hold it all; the first is `preparedTx`. */
  readonly preparedTxs?: readonly PreparedTx[];
  readonly warnings?: readonly string[];
}

type Step = 'idle' | 'preparing' | 'signing' | 'sent' | 'tracked' | 'landed';
const SAYS: Readonly<Record<Step, string>> = {
  idle: '',
  preparing: 'Preparing …',
  signing: 'Waiting for the wallet …',
  sent: 'Sent to the chain …',
  tracked: 'On the chain; waiting until it is final …',
  landed: 'Landed.',
};

/**
 * Prepares, signs, sends, and watches it land. What was sent is tracked by the service: it stands under Transactions, whatever
 * becomes of this page.
 */
export function Sign({
  label,
  type,
  prepare,
  onLanded,
  disabled = false,
  danger = false,
}: {
  readonly label: string;
  readonly type: string;
  readonly prepare: () => Promise<Prepared>;
  readonly onLanded: () => void;
  readonly disabled?: boolean;
  readonly danger?: boolean;
}) {
  const about = useLoad('about', aboutService);
  const [step, setStep] = useState<Step>('idle');
  const [txHash, setTxHash] = useState<string | null>(null);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [kind, setKind] = useState<'demo' | 'browser'>('browser');
  useEffect(() => setKind(about.data?.demoWallet ? 'demo' : 'browser'), [about.data]);
  const both = Boolean(about.data?.demoWallet && browserWallet());
  const unable = about.data !== null && !about.data.demoWallet && !browserWallet();

  const run = async (): Promise<void> => {
    setError(null);
    setStep('preparing');
    try {
      const prepared = await prepare();
      setWarnings(prepared.warnings ?? []);
      const wallet = await walletOf(kind);
      for (const one of prepared.preparedTxs ?? [prepared.preparedTx])
        await signAndLand(api(), wallet, one, {
          type,
          onStep: (now) => {
            setStep(now.step);
            if (now.step !== 'signing') setTxHash(now.txHash);
          },
        });
      setStep('landed');
      onLanded();
    } catch (problem) {
      setStep('idle');
      setError(problem);
    }
  };
  const busy = step !== 'idle' && step !== 'landed';
  return (
    <div class="sign">
      <button type="button" class={danger ? 'danger' : 'main'} disabled={disabled || busy || unable} onClick={() => void run()}>
        {label}
      </button>
      {both && (
        <select aria-label="Sign with" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as 'demo' | 'browser')}>
          <option value="demo">Demo wallet</option>
          <option value="browser">My wallet</option>
        </select>
      )}
      {about.data?.demoWallet && !both && <span class="hint">signs with the demo wallet</span>}
      {unable && <span class="hint">This browser has no wallet to sign with.</span>}
      <span role="status">
        {SAYS[step]} {txHash && <code title={txHash}>{shortHash(txHash)}</code>}
      </span>
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <Problem of={error} />
    </div>
  );
}
