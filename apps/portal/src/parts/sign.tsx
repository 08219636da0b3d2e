import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, type TrackedTransaction, TransactionNotConfirmed } from '#client';
import { deviceAccount, likelyKey } from '../state/device';
import { shortHash } from '../state/format';
import { type Keeping, keep, kept } from '../state/kept';
import { useLoad } from '../state/load';
import { path } from '../state/router';
import { me } from '../state/session';
import { type Prepared, type Progress, type Stage, type UnderWay, handOver, isWallet, sendByWallet, watchRelayed } from '../state/signing';
import { aboutService, browserWallet } from '../state/wallet';
import { Problem } from './problem';
import { Review, type Reviewing } from './review';
import { phrase, t, translated } from '../state/language';

const SAYS: Readonly<Record<Stage, string>> = {
  idle: '',
  preparing: phrase('Preparing …'),
  signing: phrase('Waiting for your signature …'),
  sent: phrase('Sent to the chain …'),
  unreachable: phrase('Sent to the chain. The service does not respond; retrying …'),
  tracked: phrase('Included in a block; waiting for finality …'),
  landed: phrase('Landed.'),
};

/** What signs, and its name. */
type Choice = readonly [means: string, name: string];

/** The service knows no such transaction and never will. */
const OVER = new Set([400, 404, 422]);

export interface Signing {
  readonly label: string;
  readonly type: string;
  readonly prepare: () => Promise<Prepared>;
  readonly onLanded: (landing: TrackedTransaction) => void;
  readonly onRefused?: (problem: unknown) => void;
  /** Tells this button from others of its type on the page. */
  readonly name?: string;
  readonly disabled?: boolean;
  /** Where what was sent is kept: for this tab unless said otherwise. */
  readonly keeping?: Keeping;
  /** Begins by itself where the page signs without asking. */
  readonly auto?: boolean;
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
  const ways: readonly (Choice | null)[] = [
    demoWallet ? ['demo', t('Demo wallet')] : null,
    browserWallet() ? ['browser', t('My wallet')] : null,
  ];
  return ways.filter((way) => way !== null);
}

/** The page itself says what will be, right above the button. */
export const SAID_ABOVE = Symbol('said above');

interface Signed extends Signing, Omit<Reviewing, 'says'> {
  readonly says: Reviewing['says'] | typeof SAID_ABOVE;
  /** The button that signs, where it is not called like the one that asks. */
  readonly confirm?: string;
}

/** The only way to sign: it says what will be before it shows the button that does. What was begun before a reload is shown at once. */
export function Sign({ label, says, confirm = label, final = false, disabled = false, ...signing }: Signed) {
  if (says === SAID_ABOVE) return <SignButton {...signing} label={confirm} final={final} disabled={disabled} />;
  return (
    <Review label={label} says={says} final={final} disabled={disabled} begun={kept(signingKey(signing), signing.keeping) !== null}>
      {(close) => (
        <SignButton
          {...signing}
          label={confirm}
          final={final}
          disabled={disabled}
          onLanded={(landing) => {
            close();
            signing.onLanded(landing);
          }}
        />
      )}
    </Review>
  );
}

/**
 * Prepares, signs, sends, and watches it land. What was sent is not sent again: after a reload, a new sign-in or an outage this goes on
 * watching. The transaction is also listed under Transactions.
 */
function SignButton({ label, disabled = false, final = false, auto = false, ...signing }: Signing & { readonly final?: boolean }) {
  const ways = useLoad(`sign ${me.value?.wallet}`, waysToSign);
  const [chosen, setChosen] = useState<string | null>(null);
  const means = chosen ?? ways.data?.[0]?.[0] ?? null;
  const { stage, txHash, warnings, error, begun, start } = useSigning(signing, means);
  const busy = stage !== 'idle' && stage !== 'landed';
  useEffect(() => {
    if (auto && means === 'demo' && stage === 'idle' && error === null) start();
  }, [auto, means]);
  const isPasskey = means !== null && !isWallet(means);
  return (
    <div class="sign">
      <button type="button" class={final ? 'danger' : 'main'} disabled={(disabled && !begun) || busy || means === null} onClick={start}>
        {begun && !busy ? t('Continue') : label}
      </button>
      {ways.data && ways.data.length > 1 && (
        <select aria-label={t('Sign with')} value={means!} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {ways.data.map(([way, name]) => (
            <option key={way} value={way}>
              {name}
            </option>
          ))}
        </select>
      )}
      {isPasskey && <span class="hint">{t('Sign with this device. The gas is paid for you.')}</span>}
      {means === 'demo' && ways.data!.length === 1 && <span class="hint">{t('signed with the demo wallet')}</span>}
      {ways.data?.length === 0 && <span class="hint">{t('This browser has no wallet and no passkey of yours.')}</span>}
      <span role="status">
        {translated(SAYS[stage])} {txHash && <code title={txHash}>{shortHash(txHash)}</code>}
      </span>
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <Problem of={error ?? ways.error} brief={signing.onRefused !== undefined} {...(ways.error ? { again: ways.again } : {})} />
    </div>
  );
}

/** Whether something of this name was begun and has not ended. */
export const isUnderWay = (name: string): boolean => kept<UnderWay>(`sent.${name}`) !== null;

/** Under what the transaction of a button is kept while it is on its way. */
export const signingKey = ({ name, type }: Pick<Signing, 'name' | 'type'>): string => `sent.${name ?? `${type} ${path.peek()}`}`;

function useSigning({ type, prepare, onLanded, onRefused, name, keeping = 'tab' }: Omit<Signing, 'label'>, means: string | null) {
  const key = signingKey({ name, type });
  const [stage, setStage] = useState<Stage>('idle');
  const [txHash, setTxHash] = useState<string | null>(null);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [begun, setBegun] = useState(() => kept<UnderWay>(key, keeping) !== null);

  const note = (underWay: UnderWay | null): void => {
    keep(key, underWay, keeping);
    setBegun(underWay !== null);
  };
  const progress: Progress = { note, setStage, setTxHash };
  const goOn = async (): Promise<TrackedTransaction> => {
    const from = kept<UnderWay>(key, keeping);
    if (from?.relayed) return watchRelayed(from.relayed, progress);
    if (from) return sendByWallet(from, { type, means }, progress);
    setStage('preparing');
    const prepared = await prepare();
    setWarnings(prepared.warnings ?? []);
    const { preparedTx, preparedTxs = [preparedTx] } = prepared;
    if (isWallet(means)) return sendByWallet({ txHash: null, rest: preparedTxs }, { type, means }, progress);
    return watchRelayed(await handOver(prepared, means!, progress), progress);
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
    const from = kept<UnderWay>(key, keeping);
    if (from?.txHash || from?.relayed) void run();
  }, [key]);
  return { stage, txHash, warnings, error, begun, start: () => void run() };
}
