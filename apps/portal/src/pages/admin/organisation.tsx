import { useState } from 'preact/hooks';
import type { OrganisationView } from '#client';
import { Action, Form } from '../../parts/action';
import { Empty, Facts, Link, Section, Show, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { showTime } from '../../state/format';
import { useLoad } from '../../state/load';
import { administersAll } from '../../state/rights';
import { api, me } from '../../state/session';
import { IdentityFields, orNull } from './organisations';
import { t } from '../../state/language';

interface Part {
  readonly of: OrganisationView;
  readonly changes: boolean;
  readonly onChanged: () => void;
}

export default function OrganisationPage({ id }: { readonly id: string }) {
  const organisation = useLoad(id, () => api().call('GET /api/v1/organisations/{id}', { path: { id } }));
  const { orgId, roles } = me.value!;
  const changes = administersAll.value || (orgId === id && (roles.includes('ADMIN') || roles.includes('TENANT_ADMIN')));
  return (
    <>
      <p>
        <Link to="/admin/organisations">{t('All organisations')}</Link>
      </p>
      <Show what={organisation}>
        {(shown) => {
          const part = { of: shown, changes, onChanged: organisation.again };
          return (
            <>
              <h1>{shown.name}</h1>
              <Identity key={JSON.stringify(shown)} {...part} />
              <Sites {...part} />
              <Wallets {...part} />
            </>
          );
        }}
      </Show>
    </>
  );
}

function Identity({ of, changes, onChanged }: Part) {
  const { id, name, lei, gln, did, createdAt } = of;
  const [draft, setDraft] = useState({ name, lei: lei ?? '', gln: gln ?? '', did: did ?? '' });
  const facts = [
    ['LEI', lei],
    ['GLN', gln],
    ['DID', did],
    [t('Since'), showTime(createdAt)],
  ] as const;
  return (
    <Section title={t('Identity')}>
      {changes ? (
        <Form
          label={t('Save')}
          send={() =>
            api()
              .call('PATCH /api/v1/organisations/{id}', { path: { id }, body: orNull(draft) })
              .then(onChanged)
          }
        >
          <IdentityFields value={draft} onChange={setDraft} />
        </Form>
      ) : (
        <Facts of={facts} />
      )}
    </Section>
  );
}

const sayPlace = (location: Readonly<Record<string, unknown>> | null): string => {
  if (!location) return '–';
  const { coordinates, ...address } = location as { readonly coordinates?: readonly number[] } & Record<string, unknown>;
  if (Array.isArray(coordinates)) return `${coordinates[1]}, ${coordinates[0]}`;
  return (
    Object.values(address)
      .filter((one) => typeof one === 'string')
      .join(', ') || '–'
  );
};

const NO_SITE = { name: '', gln: '', latitude: '', longitude: '' };

function Sites({ of, changes, onChanged }: Part) {
  const [draft, setDraft] = useState(NO_SITE);
  const set = (change: Partial<typeof NO_SITE>): void => setDraft({ ...draft, ...change });
  const { name, gln, latitude, longitude } = draft;
  const add = async (): Promise<void> => {
    const location = latitude && longitude && { location: { type: 'Point', coordinates: [Number(longitude), Number(latitude)] } };
    await api().call('POST /api/v1/organisations/{id}/sites', {
      path: { id: of.id },
      body: { name: name.trim(), gln: gln.trim() || null, ...location },
    });
    setDraft(NO_SITE);
    onChanged();
  };
  return (
    <Section title={t('Sites')}>
      {of.sites.length === 0 ? (
        <Empty>
          {t('No sites yet.')} {changes && t('Add a site so that stock has a place.')}
        </Empty>
      ) : (
        <Table
          caption={t('Sites')}
          rows={of.sites}
          keyOf={({ id }) => id}
          columns={[
            { name: t('Name'), show: ({ name: site }) => site },
            { name: t('GLN'), show: (site) => site.gln ?? '–' },
            { name: t('Where'), show: ({ location }) => sayPlace(location) },
            ...(changes
              ? [
                  {
                    name: t('Change'),
                    show: ({ id: siteId }: { readonly id: string }) => (
                      <Action
                        label={t('Remove')}
                        sure={t('The site is deleted.')}
                        run={() =>
                          api()
                            .call('DELETE /api/v1/organisations/{id}/sites/{siteId}', { path: { id: of.id, siteId } })
                            .then(onChanged)
                        }
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {changes && (
        <Form label={t('Add the site')} send={add} disabled={name.trim() === ''}>
          <div class="pair">
            <Text label={t('Name of the site')} value={name} onChange={(text) => set({ name: text })} />
            <Text label={t('GLN of the site')} value={gln} onChange={(text) => set({ gln: text })} />
            <Text label={t('Latitude')} value={latitude} onChange={(text) => set({ latitude: text })} placeholder="13.7563" />
            <Text label={t('Longitude')} value={longitude} onChange={(text) => set({ longitude: text })} placeholder="100.5018" />
          </div>
        </Form>
      )}
    </Section>
  );
}

const NO_WALLET = { address: '', siteId: '', label: '' };

function Wallets({ of, changes, onChanged }: Part) {
  const [draft, setDraft] = useState(NO_WALLET);
  const set = (change: Partial<typeof NO_WALLET>): void => setDraft({ ...draft, ...change });
  const bind = async (): Promise<void> => {
    const { address, siteId, label } = draft;
    await api().call('POST /api/v1/organisations/{id}/wallets', {
      path: { id: of.id },
      body: { address: address.trim(), siteId: siteId || null, label: label.trim() || null },
    });
    setDraft(NO_WALLET);
    onChanged();
  };
  return (
    <Section title={t('Wallets')}>
      {of.wallets.length === 0 ? (
        <Empty>
          {t('No wallets yet.')} {changes && t('Bind a wallet so that its lots show the name of the organisation.')}
        </Empty>
      ) : (
        <Table
          caption={t('Wallets')}
          rows={of.wallets}
          keyOf={({ address }) => address}
          columns={[
            { name: t('Address'), show: ({ address }) => <code>{address}</code> },
            { name: t('Label'), show: ({ label }) => label ?? '–' },
            { name: t('Site'), show: ({ siteId }) => of.sites.find(({ id }) => id === siteId)?.name ?? '–' },
            ...(changes
              ? [
                  {
                    name: t('Change'),
                    show: ({ address, userId }: { readonly address: string; readonly userId: string | null }) =>
                      userId ? (
                        <span class="hint">{t('of a member')}</span>
                      ) : (
                        <Action
                          label={t('Unbind')}
                          sure={t('Its lots will show the address only.')}
                          run={() =>
                            api()
                              .call('DELETE /api/v1/organisations/{id}/wallets/{address}', { path: { id: of.id, address } })
                              .then(onChanged)
                          }
                        />
                      ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {changes && (
        <Form label={t('Bind the wallet')} send={bind} disabled={draft.address.trim() === ''}>
          <div class="pair">
            <Text label={t('Address')} placeholder="0x…" value={draft.address} onChange={(address) => set({ address })} />
            <Text label={t('Label')} value={draft.label} onChange={(label) => set({ label })} />
            <Select
              label={t('Site')}
              none={t('No site')}
              value={draft.siteId}
              of={of.sites.map(({ id, name }) => [id, name])}
              onChange={(siteId) => set({ siteId })}
            />
          </div>
        </Form>
      )}
    </Section>
  );
}
