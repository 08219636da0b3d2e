import { useState } from 'preact/hooks';
import { addPasskey, confirmRelayed, hasPasskeys, keyChange } from '#client';
import { Action, Form } from '../parts/action';
import { Empty, Field, Section, Show, Table } from '../parts/basics';
import { type DeviceAccount, deviceAccount, forgetDevice, likelyKey, relay } from '../state/device';
import { showTime } from '../state/format';
import { useLoad } from '../state/load';
import { api, thisDevice } from '../state/session';

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
      <h1>Your passkeys</h1>
      <Section title="Passkeys in this tenant">
        <Show what={passkeys}>
          {({ data, account }) =>
            data.length === 0 ? (
              <Empty>No passkeys yet.</Empty>
            ) : (
              <Table
                caption="Passkeys"
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: 'Name', show: ({ name }) => name },
                  { name: 'Copied by its maker', show: ({ backedUp }) => (backedUp ? 'Yes' : 'No: keep a second one') },
                  { name: 'Added', show: ({ createdAt }) => showTime(createdAt) },
                  { name: 'Last sign-in', show: ({ lastUsedAt }) => showTime(lastUsedAt) },
                  ...(account === null
                    ? []
                    : [{ name: 'Signs calls', show: (one: Passkey) => <Signs passkey={one} account={account} after={changed} /> }]),
                  { name: 'Change', show: (one) => <Remove passkey={one} after={changed} /> },
                ]}
              />
            )
          }
        </Show>
      </Section>
      {hasPasskeys() ? <Add after={changed} /> : <Empty>This browser has no passkeys here: it needs a page with TLS.</Empty>}
    </>
  );
}

/** A passkey that signs for the account lets another one sign. */
function Signs({ passkey, account, after }: { readonly passkey: Passkey; readonly account: DeviceAccount; readonly after: () => void }) {
  if (account.keys.some(({ passkeyId }) => passkeyId === passkey.id)) return <>Yes</>;
  const add = async (): Promise<void> => {
    const { calls } = await api().call('POST /api/v2/auth/account/keys/prepare', { body: { passkeyId: passkey.id } });
    const relayed = await relay([keyChange(calls[0]!)], await likelyKey(account));
    await confirmRelayed(api(), relayed);
    after();
  };
  return <Action label="Let it sign" sure={`${passkey.name} will sign for you. Unlock this device to allow it.`} run={add} />;
}

function Remove({ passkey, after }: { readonly passkey: Passkey; readonly after: () => void }) {
  const remove = async (): Promise<void> => {
    await api().request('DELETE', `/api/v2/auth/passkeys/${passkey.id}`);
    after();
  };
  return <Action label="Delete" sure={`${passkey.name} signs in no more, and your other sessions end.`} run={remove} />;
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
    <Section title="Add a passkey">
      <Form label="Create a passkey" send={add}>
        <Field label="Name">
          <input required maxLength={100} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label="Your password" hint="Leave it empty if you have none.">
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
