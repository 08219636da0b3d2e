import { useState } from 'preact/hooks';
import { TraceabilityClient, hasPasskeys } from '#client';
import { Action, Form } from '../parts/action';
import { Empty, Link } from '../parts/basics';
import { PasswordField } from '../parts/password-field';
import { go } from '../state/router';
import { acceptWithPasskey, farewell } from '../state/session';
import { t } from '../state/language';

/** Behind the # of the link, which browsers send to nobody. */
const tokenHere = (): string => location.hash.slice(1);

/** The one-time link of an invitation: a passkey of this device signs in at once; or it sets the first password. */
export default function InvitationPage() {
  const token = tokenHere();
  return (
    <main class="gate" id="main">
      <h1>{t('Your invitation')}</h1>
      {token === '' ? (
        <Empty>
          {t('This link is incomplete: the part after # is missing. Copy the whole link, or ask your administrator to invite you again.')}{' '}
          <Link to="/">{t('Sign in')}</Link>
        </Empty>
      ) : (
        <>
          {hasPasskeys() && <PasskeyChoice token={token} />}
          <PasswordChoice token={token} />
        </>
      )}
    </main>
  );
}

function PasskeyChoice({ token }: { readonly token: string }) {
  const accept = async (): Promise<void> => {
    await acceptWithPasskey(token);
    go('/', { replace: true });
  };
  return (
    <section class="stack" aria-label={t('With a passkey')}>
      <p>
        {t(
          'A passkey is kept by this device. You sign in as you unlock it: with a finger, your face or a PIN. There is no password to remember.',
        )}
      </p>
      <Action label={t('Create a passkey')} run={accept} main />
    </section>
  );
}

function PasswordChoice({ token }: { readonly token: string }) {
  const [password, setPassword] = useState('');
  const accept = async (): Promise<void> => {
    await new TraceabilityClient(location.origin).post('/api/v2/auth/invitations/accept', { token, password });
    farewell.value = t('Your password is set. Sign in with it.');
    go('/', { replace: true });
  };
  return (
    <Form label={t('Set the password')} send={accept}>
      <PasswordField
        label={t('New password')}
        hint={t('At least 8 characters. You sign in with your e-mail address and this password.')}
        isNew
        value={password}
        onChange={setPassword}
      />
    </Form>
  );
}
