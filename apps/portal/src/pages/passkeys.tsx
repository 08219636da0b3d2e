import { useState } from 'preact/hooks';
import { addPasskey, confirmRelayed, hasPasskeys, keyChange } from '#client';
import { Action, Form } from '../parts/action';
import { Empty, Field, Section, Show, Table } from '../parts/basics';
import { type DeviceAccount, deviceAccount, forgetDevice, likelyKey, relay } from '../state/device';
import { showTime } from '../state/format';
import { useLoad } from '../state/load';
import { api, thisDevice } from '../state/session';
import { t } from '../state/language';

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly backedUp: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** The passkeys of who is signed in, in this tenant. */
export default function PasskeysPage() {
  const [changes, setChanges] = useState(0);
  const changed = (): void => {
    forgetDevice();
    setChanges(changes + 1);
  };
  const passkeys = useLoad(`passkeys ${changes}`, async () => {
    const [{ data }, account] = await Promise.all([
      api().get<{ readonly data: readonly Passkey[] }>('/api/v2/auth/passkeys'),
      deviceAccount(),
    ]);
    return { data, account };
  });
  return (
    <>
      <h1>{t('Your passkeys')}</h1>
      <Section title={t('Passkeys in this tenant')}>
        <Show what={passkeys}>
          {({ data, account }) =>
            data.length === 0 ? (
              <Empty>{t('No passkeys yet.')}</Empty>
            ) : (
              <Table
                caption={t('Passkeys')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: t('Name'), show: ({ name }) => name },
                  { name: t('Copied by its maker'), show: ({ backedUp }) => (backedUp ? t('Yes') : t('No: keep a second one')) },
                  { name: t('Added'), show: ({ createdAt }) => showTime(createdAt) },
                  { name: t('Last sign-in'), show: ({ lastUsedAt }) => showTime(lastUsedAt) },
                  ...(account === null
                    ? []
                    : [{ name: t('Signs calls'), show: (one: Passkey) => <Signs passkey={one} account={account} after={changed} /> }]),
                  { name: t('Change'), show: (one) => <Remove passkey={one} after={changed} /> },
                ]}
              />
            )
          }
        </Show>
      </Section>
      {hasPasskeys() ? <Add after={changed} /> : <Empty>{t('This browser has no passkeys here: it needs a page with TLS.')}</Empty>}
    </>
  );
}

/** A passkey that signs for the account lets another one sign. */
function Signs({ passkey, account, after }: { readonly passkey: Passkey; readonly account: DeviceAccount; readonly after: () => void }) {
  if (account.keys.some(({ passkeyId }) => passkeyId === passkey.id)) return <>{t('Yes')}</>;
  const add = async (): Promise<void> => {
    const { calls } = await api().call('POST /api/v2/auth/account/keys/prepare', { body: { passkeyId: passkey.id } });
    const relayed = await relay([keyChange(calls[0]!)], await likelyKey(account));
    await confirmRelayed(api(), relayed);
    after();
  };
  return (
    <Action
      label={t('Let it sign')}
      sure={t('{name} will sign for you. Unlock this device to allow it.', { name: passkey.name })}
      run={add}
    />
  );
}

function Remove({ passkey, after }: { readonly passkey: Passkey; readonly after: () => void }) {
  const remove = async (): Promise<void> => {
    await api().request('DELETE', `/api/v2/auth/passkeys/${passkey.id}`);
    after();
  };
  return (
    <Action label={t('Delete')} sure={t('{name} signs in no more, and your other sessions end.', { name: passkey.name })} run={remove} />
  );
}

function Add({ after }: { readonly after: () => void }) {
  const [name, setName] = useState(thisDevice());
  const [password, setPassword] = useState('');
  const add = async (): Promise<void> => {
    await addPasskey(api(), name, password === '' ? undefined : password);
    setPassword('');
    after();
  };
  return (
    <Section title={t('Add a passkey')}>
      <Form label={t('Create a passkey')} send={add}>
        <Field label={t('Name')}>
          <input required maxLength={100} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label={t('Your password')} hint={t('Leave it empty if you have none.')}>
          <input
            type="password"
            autocomplete="current-password"
            value={password}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </Field>
      </Form>
    </Section>
  );
}
