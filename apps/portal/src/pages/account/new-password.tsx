import { useState } from 'preact/hooks';
import { TraceabilityClient } from '#client';
import { Form } from '../../parts/action';
import { Empty, Link } from '../../parts/basics';
import { PasswordField } from '../../parts/password-field';
import { t } from '../../state/language';
import { go } from '../../state/router';
import { farewell } from '../../state/session';

/** The one-time link of a forgotten password. Its token is behind the # of the address, which browsers send to nobody. */
export default function NewPasswordPage() {
  const token = location.hash.slice(1);
  const [password, setPassword] = useState('');
  const set = async (): Promise<void> => {
    await new TraceabilityClient(location.origin).post('/api/v2/auth/password/reset', { token, password });
    farewell.value = t('Your new password is set, and your other sessions have ended. Sign in with it.');
    go('/', { replace: true });
  };
  return (
    <main class="gate" id="main">
      <h1>{t('Set a new password')}</h1>
      {token === '' ? (
        <Empty>{t('This link is incomplete: the part after # is missing. Copy the whole link from the mail.')}</Empty>
      ) : (
        <Form label={t('Set the password')} send={set}>
          <PasswordField label={t('New password')} hint={t('At least 8 characters.')} isNew value={password} onChange={setPassword} />
        </Form>
      )}
      <Link to="/forgotten">{t('Request a new link')}</Link>
      <Link to="/">{t('Back to sign-in')}</Link>
    </main>
  );
}
