import { useState } from 'preact/hooks';
import type { Operations } from '#client';
import { Action, Form } from '../../parts/action';
import { Empty, Section, Show, Status, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { Secret } from '../../parts/secret';
import { showNumber, showTime } from '../../state/format';
import { t } from '../../state/language';
import { useList } from '../../state/list';
import { administersAll } from '../../state/rights';
import { api } from '../../state/session';

type Grant = Operations['GET /api/v1/passports/{passportId}/grants/{grantId}']['answer'];

const stateOf = ({ withdrawnAt, expiresAt }: Grant): string =>
  withdrawnAt ? 'withdrawn' : new Date(expiresAt) <= new Date() ? 'expired' : 'active';

/** Who outside of the tenant reads more than everybody. */
export function Grants({ passportId }: { readonly passportId: string }) {
  const grants = useList<Grant>(`/api/v1/passports/${passportId}/grants?limit=50`);
  const withdraw = (grantId: string) => (): Promise<void> =>
    api().call('DELETE /api/v1/passports/{passportId}/grants/{grantId}', { path: { passportId, grantId } }).then(grants.again);
  return (
    <Section title={t('Who may read more')}>
      <Show what={grants}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('Nobody outside of the tenant reads more than everybody.')}</Empty>
          ) : (
            <Table
              caption={t('Who may read more')}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { name: t('Who'), show: ({ grantee }) => grantee },
                { name: t('Purpose'), show: ({ purpose }) => purpose },
                { name: t('State'), show: (one) => <Status of={stateOf(one)} /> },
                { name: t('Until'), show: ({ expiresAt }) => showTime(expiresAt) },
                { name: t('Uses'), number: true, show: ({ uses }) => showNumber(uses) },
                {
                  name: t('Change'),
                  show: (one) =>
                    stateOf(one) === 'active' && administersAll.value ? (
                      <Action label={t('Withdraw')} sure={t('It opens nothing from now on.')} run={withdraw(one.id)} />
                    ) : (
                      '–'
                    ),
                },
              ]}
            />
          )
        }
      </Show>
      {administersAll.value && <Give passportId={passportId} after={grants.again} />}
    </Section>
  );
}

function Give({ passportId, after }: { readonly passportId: string; readonly after: () => void }) {
  const [given, setGiven] = useState({ grantee: '', purpose: '', accessClass: 'legitimate_interest', kind: 'link', days: '7' });
  const [secret, setSecret] = useState<string | null>(null);
  const set = (change: Partial<typeof given>): void => setGiven({ ...given, ...change });
  const give = async (): Promise<void> => {
    const { grantee, purpose, accessClass, kind, days } = given;
    const { url } = await api().call('POST /api/v1/passports/{passportId}/grants', {
      path: { passportId },
      body: { grantee, purpose, accessClass: accessClass as 'authority', kind: kind as 'link', expiresInSeconds: Number(days) * 86_400 },
    });
    setSecret(url);
    after();
  };
  if (secret) return <Secret title={t('The link for {who}.', { who: given.grantee })} value={secret} onDone={() => setSecret(null)} />;
  return (
    <details>
      <summary>{t('Let somebody read more')}</summary>
      <Form label={t('Create the link')} send={give}>
        <Text label={t('Person or organisation')} required maxLength={200} value={given.grantee} onChange={(grantee) => set({ grantee })} />
        <Text
          label={t('Purpose')}
          hint={t('Who opens the link reads it.')}
          required
          maxLength={200}
          value={given.purpose}
          onChange={(purpose) => set({ purpose })}
        />
        <Select
          label={t('What they read')}
          of={[
            ['legitimate_interest', t('Values for persons with a legitimate interest')],
            ['authority', t('These, and values for authorities')],
          ]}
          value={given.accessClass}
          onChange={(accessClass) => set({ accessClass })}
        />
        <Select
          label={t('How often')}
          of={[
            ['link', t('The link opens it once')],
            ['key', t('The link opens it until it expires')],
          ]}
          value={given.kind}
          onChange={(kind) => set({ kind })}
        />
        <Text label={t('Valid for days')} type="number" min={1} max={730} required value={given.days} onChange={(days) => set({ days })} />
      </Form>
    </details>
  );
}
