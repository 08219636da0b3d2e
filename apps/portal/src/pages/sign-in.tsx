import { useState } from 'preact/hooks';
import { hasPasskeys } from '#client';
import { Field, Link } from '../parts/basics';
import { Problem } from '../parts/problem';
import { LanguageChoice } from '../parts/language-choice';
import { t, translated } from '../state/language';
import { online, useLine } from '../state/line';
import { useLoad } from '../state/load';
import { farewell, recordWithoutSession, resume, signIn, signInWithPasskey, signInWithWallet } from '../state/session';
import { howManyWait } from '../waiting/waiting';
import { keptSession } from '../state/tabs';
import { lastPerson } from '../state/without-session';
import { aboutService, browserWallet, connectBrowserWallet, demoAccount } from '../state/wallet';

export function SignInPage() {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const attempt = (way: () => Promise<void>): void => {
    setBusy(true);
    setError(null);
    way()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <main class="gate" id="main">
      <h1>{t('Traceability portal')}</h1>
      {howManyWait() > 0 && (
        <p class="notice">
          {t('Records wait on this device to be sent: {count}. Sign in when the service answers, and they are sent.', {
            count: howManyWait(),
          })}
        </p>
      )}
      {farewell.value && (
        <p class="notice" role="status">
          {translated(farewell.value)}{' '}
          {keptSession() && (
            <button type="button" onClick={() => void resume()}>
              {t('Try again')}
            </button>
          )}
        </p>
      )}
      <WithoutLine />
      <PasswordForm busy={busy} attempt={attempt} />
      {hasPasskeys() && (
        <div class="stack">
          <button type="button" disabled={busy} onClick={() => attempt(signInWithPasskey)}>
            {t('Sign in with a passkey')}
          </button>
        </div>
      )}
      <WalletChoice busy={busy} attempt={attempt} />
      <Problem of={error} />
      <LanguageChoice />
    </main>
  );
}

/** Nobody can sign in without a line: who was here last can go on recording. */
function WithoutLine() {
  useLine(true);
  const last = lastPerson();
  if (online.value || !last) return null;
  return (
    <div class="notice">
      <p>
        {t('The service does not answer, so nobody can sign in. {name} can go on recording; it is sent after the next sign-in.', {
          name: last.username,
        })}
      </p>
      <button type="button" class="main" onClick={recordWithoutSession}>
        {t('Record without a line as {name}', { name: last.username })}
      </button>
    </div>
  );
}

interface Way {
  readonly busy: boolean;
  readonly attempt: (way: () => Promise<void>) => void;
}

function PasswordForm({ busy, attempt }: Way) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(() => signIn(email, password));
      }}
    >
      <Field label={t('E-mail')}>
        <input type="email" autocomplete="username" required value={email} onInput={({ currentTarget }) => setEmail(currentTarget.value)} />
      </Field>
      <Field label={t('Password')}>
        <input
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={({ currentTarget }) => setPassword(currentTarget.value)}
        />
      </Field>
      <button type="submit" class="main" disabled={busy}>
        {t(busy ? 'Signing in …' : 'Sign in')}
      </button>
      <Link to="/forgotten">{t('Forgot your password?')}</Link>
    </form>
  );
}

/** The first account of a local chain is the operator's; the demo's people come after it. */
const DEMO_ACCOUNTS = Array.from({ length: 12 }, (_, index) => index + 1);

function WalletChoice({ busy, attempt }: Way) {
  const about = useLoad('about', aboutService);
  const [account, setAccount] = useState(1);
  const [tenant, setTenant] = useState('');
  return (
    <div class="stack">
      {about.data && (browserWallet() || about.data.demoWallet) && (
        <Field label={t('Tenant')} hint={t('Only when several people use this wallet.')}>
          <input value={tenant} onInput={({ currentTarget }) => setTenant(currentTarget.value)} />
        </Field>
      )}
      {browserWallet() && about.data && (
        <button
          type="button"
          disabled={busy}
          onClick={() => attempt(async () => signInWithWallet(await connectBrowserWallet(), about.data!.chainId, tenant.trim()))}
        >
          {t('Sign in with my wallet')}
        </button>
      )}
      {about.data?.demoWallet && (
        <fieldset class="demo">
          <legend>{t('Demo wallet')}</legend>
          <p>
            {t(
              'This service runs on a local test chain. Its accounts have publicly known keys without value; this page can sign with them.',
            )}
          </p>
          <Field label={t('Account')}>
            <select value={account} onChange={({ currentTarget }) => setAccount(Number(currentTarget.value))}>
              {DEMO_ACCOUNTS.map((index) => (
                <option key={index} value={index}>
                  {t('Demo account {index}', { index })}
                </option>
              ))}
            </select>
          </Field>
          <button
            type="button"
            disabled={busy}
            onClick={() => attempt(async () => signInWithWallet(await demoAccount(account), about.data!.chainId, tenant.trim()))}
          >
            {t('Sign in with the demo wallet')}
          </button>
        </fieldset>
      )}
    </div>
  );
}
