import '../work.css';
import { useState } from 'preact/hooks';
import { Form } from '../../parts/action';
import { Facts, Link, Section } from '../../parts/basics';
import { LanguageChoice } from '../../parts/language-choice';
import { Select } from '../../parts/inputs';
import { PasswordField } from '../../parts/password-field';
import { chooseZone } from '../../state/choose-language';
import { showTime, words } from '../../state/format';
import { t, zone } from '../../state/language';
import { api, me } from '../../state/session';
import { Sessions } from './sessions';

/** What belongs to the person and not to the tenant. */
export default function AccountPage() {
  const { email, username, roles, wallet, orgs } = me.value!;
  return (
    <>
      <h1>{t('Your account')}</h1>
      <Section title={t('You')}>
        <Facts
          of={[
            [t('Name'), username],
            [t('E-mail'), email],
            [t('Organisation'), orgs[0]?.name],
            [t('Roles'), roles.map(words).join(', ')],
            [t('Wallet'), wallet && <code>{wallet}</code>],
          ]}
        />
      </Section>
      <Section title={t('Passkeys')}>
        <p>{t('With a passkey you sign in and sign transactions by unlocking this device: no password, no wallet.')}</p>
        <Link to="/passkeys">{t('Add or delete passkeys')}</Link>
      </Section>
      <Password />
      <Sessions />
      <Display />
    </>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [changed, setChanged] = useState(false);
  const change = async (): Promise<void> => {
    setChanged(false);
    await api().call('POST /api/v2/auth/password', { body: { currentPassword: current, password: next } });
    setCurrent('');
    setNext('');
    setChanged(true);
  };
  return (
    <Section title={t('Password')}>
      {changed && (
        <p class="notice" role="status">
          {t('Your password is changed. All your other sessions have ended.')}
        </p>
      )}
      <Form label={t('Change the password')} send={change}>
        <input class="hidden" type="text" autocomplete="username" value={me.value!.email} readOnly tabIndex={-1} aria-hidden="true" />
        <PasswordField
          label={t('Current password')}
          hint={t('If you have none, sign out and choose “Forgot your password?”.')}
          value={current}
          onChange={setCurrent}
        />
        <PasswordField label={t('New password')} hint={t('At least 8 characters.')} isNew value={next} onChange={setNext} />
      </Form>
    </Section>
  );
}

/** The browser keeps both; the service has the language of mails. */
function Display() {
  const zones = Intl.supportedValuesOf('timeZone');
  const all = zones.includes(zone.value) ? zones : [zone.value, ...zones];
  return (
    <Section title={t('Language and time zone')}>
      <div class="stack">
        <LanguageChoice />
        <Select
          label={t('Time zone')}
          hint={t('All times are shown in it. It is now {time}.', { time: showTime(new Date().toISOString()) })}
          value={zone.value}
          of={all.map((name) => [name, name.replaceAll('_', ' ')] as const)}
          onChange={chooseZone}
        />
        <p class="hint">{t('This browser keeps both. Mails to you come in the language that you choose here.')}</p>
      </div>
    </Section>
  );
}
