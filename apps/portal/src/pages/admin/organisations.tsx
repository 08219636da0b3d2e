import { useState } from 'preact/hooks';
import { Form } from '../../parts/action';
import { Empty, Link, Section, Show, Table } from '../../parts/basics';
import { SlowText, Text } from '../../parts/inputs';
import { Pages } from '../../parts/pages';
import { useDraft, useLoad } from '../../state/load';
import { go } from '../../state/router';
import { administersAll } from '../../state/rights';
import { api } from '../../state/session';
import { t } from '../../state/language';

const ROWS = 50;

export default function OrganisationsPage() {
  const [page, setPage] = useState(1);
  const [search, setSearch] = useState('');
  const query = { page, limit: ROWS, ...(search !== '' && { search }) };
  const organisations = useLoad(`${page} ${search}`, () => api().call('GET /api/v1/organisations', { query }));
  const find = (text: string): void => {
    setPage(1);
    setSearch(text.trim());
  };
  return (
    <>
      <h1>{t('Organisations')}</h1>
      <Section title={t('Organisations in the value chain')}>
        <SlowText label={t('Find by name')} type="search" value={search} onChange={find} />
        <Show what={organisations}>
          {({ data, total }) =>
            data.length === 0 && search !== '' ? (
              <Empty>{t('No organisation with this name.')}</Empty>
            ) : data.length === 0 ? (
              <Empty>
                {t('No organisations yet.')} {administersAll.value ? t('Add the first one below.') : t('An administrator can add them.')}
              </Empty>
            ) : (
              <>
                <Table
                  caption={t('Organisations')}
                  rows={data}
                  keyOf={({ id }) => id}
                  columns={[
                    { name: t('Name'), show: ({ id, name }) => <Link to={`/admin/organisations/${id}`}>{name}</Link> },
                    { name: t('LEI'), show: ({ lei }) => lei ?? '–' },
                    { name: t('GLN'), show: ({ gln }) => gln ?? '–' },
                    { name: t('Sites'), number: true, show: ({ sites }) => sites.length },
                    { name: t('Wallets'), number: true, show: ({ wallets }) => wallets.length },
                  ]}
                />
                <Pages page={page} of={Math.ceil(total / ROWS)} onChange={setPage} />
              </>
            )
          }
        </Show>
      </Section>
      {administersAll.value && <AddOrganisation />}
    </>
  );
}

export const IDENTITY = { name: '', lei: '', gln: '', did: '' };
export const orNull = ({ name, lei, gln, did }: typeof IDENTITY) => ({
  name: name.trim(),
  lei: lei.trim() || null,
  gln: gln.trim() || null,
  did: did.trim() || null,
});

export function IdentityFields({
  value,
  onChange,
}: {
  readonly value: typeof IDENTITY;
  readonly onChange: (value: typeof IDENTITY) => void;
}) {
  return (
    <div class="pair">
      <Text label={t('Name')} required maxLength={200} value={value.name} onChange={(name) => onChange({ ...value, name })} />
      <Text label={t('LEI')} hint={t('20 characters, ISO 17442')} value={value.lei} onChange={(lei) => onChange({ ...value, lei })} />
      <Text label={t('GLN')} hint={t('13 digits, GS1')} value={value.gln} onChange={(gln) => onChange({ ...value, gln })} />
      <Text label={t('DID')} placeholder={t('did:web:…')} value={value.did} onChange={(did) => onChange({ ...value, did })} />
    </div>
  );
}

function AddOrganisation() {
  const [draft, setDraft] = useDraft('organisation', IDENTITY);
  const add = async (): Promise<void> => {
    const { id } = await api().call('POST /api/v1/organisations', { body: orNull(draft) });
    setDraft(IDENTITY);
    go(`/admin/organisations/${id}`);
  };
  return (
    <Section title={t('Add an organisation')}>
      <Form label={t('Add the organisation')} send={add} disabled={draft.name.trim() === ''}>
        <IdentityFields value={draft} onChange={setDraft} />
      </Form>
    </Section>
  );
}
