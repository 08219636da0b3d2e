import { useState } from 'preact/hooks';
import type { Operations } from '#client';
import { Form } from '../../parts/action';
import { Empty, Link, LotLink, Section, Show, Status, Table } from '../../parts/basics';
import { Checks, Text } from '../../parts/inputs';
import { More } from '../../parts/more';
import { showNumber, showTime } from '../../state/format';
import { t } from '../../state/language';
import { useList } from '../../state/list';
import { useLoad } from '../../state/load';
import { administersAll } from '../../state/rights';
import { api } from '../../state/session';

export type Passport = Operations['GET /api/v1/passports/{passportId}']['answer'];

export default function PassportsPage() {
  const settings = useLoad('passport settings', () => api().call('GET /api/v1/passport-settings'));
  const passports = useList<Passport>('/api/v1/passports?limit=50');
  return (
    <>
      <Section title={t('Public passports of your lots')}>
        <Show what={passports}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>
                {settings.data?.enabled
                  ? t('No passports yet. Each new lot of a product with passports gets one.')
                  : t('Passports are switched off. An administrator can switch them on below.')}
              </Empty>
            ) : (
              <Table
                caption={t('Passports')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: t('Passport'), show: ({ id, tlc }) => <Link to={`/passports/${id}`}>{tlc}</Link> },
                  { name: t('Lot'), show: ({ tokenId }) => <LotLink id={tokenId}>{`#${tokenId}`}</LotLink> },
                  { name: t('GTIN'), show: ({ gtin }) => gtin ?? '–' },
                  { name: t('State'), show: ({ withdrawnAt }) => <Status of={withdrawnAt ? 'withdrawn' : 'public'} /> },
                  { name: t('Version'), number: true, show: ({ version }) => showNumber(version) },
                  { name: t('Last change'), show: ({ lastUpdated }) => showTime(lastUpdated) },
                ]}
              />
            )
          }
        </Show>
        <More of={passports} />
      </Section>
      {administersAll.value && settings.data && <Settings key={JSON.stringify(settings.data)} of={settings.data} after={settings.again} />}
    </>
  );
}

type SettingsView = Operations['GET /api/v1/passport-settings']['answer'];

function Settings({ of, after }: { readonly of: SettingsView; readonly after: () => void }) {
  const [resolver, setResolver] = useState(of.resolver ?? '');
  const [chosen, setChosen] = useState<readonly string[]>([
    ...(of.enabled ? ['enabled'] : []),
    ...(of.showIntegrity ? ['showIntegrity'] : []),
  ]);
  const save = async (): Promise<void> => {
    const body = {
      enabled: chosen.includes('enabled'),
      showIntegrity: chosen.includes('showIntegrity'),
      resolver: resolver.trim() || null,
    };
    await api().call('PATCH /api/v1/passport-settings', { body });
    after();
  };
  return (
    <Section title={t('Settings')}>
      <Form label={t('Save the settings')} send={save}>
        <Checks
          label={t('What everybody can read')}
          of={[
            ['enabled', t('Show passports'), t('Each lot of a product with passports has a public page.')],
            ['showIntegrity', t('Show the evidence'), t('Chain, transaction and hash, and a file to verify them.')],
          ]}
          chosen={chosen}
          onChange={setChosen}
        />
        <Text
          label={t('Address of codes and links (optional)')}
          hint={t('Your own host name, as https://id.example.com. Choose it before you print labels: printed codes lead there for good.')}
          type="url"
          value={resolver}
          onChange={setResolver}
        />
      </Form>
    </Section>
  );
}
