import { Action } from '../../parts/action';
import { Section, Show, Table } from '../../parts/basics';
import { shortHash, showTime } from '../../state/format';
import { t } from '../../state/language';
import { useLoad } from '../../state/load';
import { api, signOut } from '../../state/session';
import type { Operations } from '#client';

type OwnSession = Operations['GET /api/v2/auth/sessions']['answer']['data'][number];

/** Where the person is signed in, and a way to end it there. */
export function Sessions() {
  const sessions = useLoad('sessions', () => api().call('GET /api/v2/auth/sessions'));
  return (
    <Section title={t('Where you are signed in')}>
      <Show what={sessions}>
        {({ data }) => (
          <>
            <Table
              caption={t('Sessions')}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { name: t('Device'), show: (one) => <Where of={one} /> },
                { name: t('Signed in with'), show: how },
                { name: t('Tenant'), show: ({ tenant }) => tenant ?? '–' },
                { name: t('Signed in'), show: ({ createdAt }) => showTime(createdAt) },
                { name: t('Last used'), show: ({ lastUsedAt }) => showTime(lastUsedAt) },
                { name: t('End'), show: (one) => <End session={one} after={sessions.again} /> },
              ]}
            />
            {data.length > 1 && (
              <div class="actions">
                <Action
                  label={t('End all other sessions')}
                  sure={t('Every other browser and device has to sign in again. Unsaved drafts there are lost.')}
                  run={() => api().call('DELETE /api/v2/auth/sessions').then(sessions.again)}
                />
              </div>
            )}
          </>
        )}
      </Show>
    </Section>
  );
}

const how = ({ openedBy, wallet }: OwnSession): string =>
  ({ password: t('Password'), passkey: t('Passkey'), wallet: t('Wallet {address}', { address: shortHash(wallet) }) })[openedBy];

function Where({ of: { browser, system, current } }: { readonly of: OwnSession }) {
  const device = browser !== null && system !== null ? t('{browser} on {system}', { browser, system }) : (browser ?? system);
  return (
    <>
      {device ?? t('Unknown device')} {current && <strong>{t('(this session)')}</strong>}
    </>
  );
}

function End({ session: { id, current }, after }: { readonly session: OwnSession; readonly after: () => void }) {
  if (current) return <Action label={t('Sign out')} run={signOut} />;
  const end = (): Promise<void> => api().call('DELETE /api/v2/auth/sessions/{id}', { path: { id } }).then(after);
  return <Action label={t('End')} sure={t('This session has to sign in again.')} run={end} />;
}
