import { useState } from 'preact/hooks';
import { TraceabilityClient } from '#client';
import { Form } from '../../parts/action';
import { Field, Link } from '../../parts/basics';
import { LanguageChoice } from '../../parts/language-choice';
import { t } from '../../state/language';

/** Says the same for every address: who asks learns nothing of who has an account. */
export default function ForgottenPasswordPage() {
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState(false);
  const ask = async (): Promise<void> => {
    await new TraceabilityClient(location.origin).post('/api/v2/auth/password/forgot', { email });
    setAsked(true);
  };
  return (
    <main class="gate" id="main">
      <h1>{t('Forgotten password')}</h1>
      {asked ? (
        <div class="notice" role="status">
          <p>{t('If {email} has an account here, a mail with a link is on its way. The link is valid for one hour.', { email })}</p>
          <p>{t('No mail after a few minutes? Open the spam folder, check the address, or ask your administrator.')}</p>
          <button type="button" onClick={() => setAsked(false)}>
            {t('Use another address')}
          </button>
        </div>
      ) : (
        <Form label={t('Send me a link')} send={ask}>
          <Field label={t('E-mail')} hint={t('We send a link to this address. With it you set a new password.')}>
            <input
              type="email"
              autocomplete="username"
              required
              maxLength={320}
              value={email}
              onInput={({ currentTarget }) => setEmail(currentTarget.value)}
            />
          </Field>
        </Form>
      )}
      <Link to="/">{t('Back to sign-in')}</Link>
      <LanguageChoice />
    </main>
  );
}
