import { useState } from 'preact/hooks';
import type { ApiKeySecretView, ApiKeyView } from '#client';
import { Action, Form } from '../../parts/action';
import { Empty, Section, Show, Status, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { Pages } from '../../parts/pages';
import { Secret } from '../../parts/secret';
import { showDay, showTime } from '../../state/format';
import { useDraft, useLoad } from '../../state/load';
import { isWithinMine } from '../../state/rights';
import { api } from '../../state/session';
import { OrganisationField } from '../../parts/organisation-field';
import { OPERATOR, RightsFields, sayRights, granted } from './scopes';
import { phrase, t } from '../../state/language';

const ROWS = 50;
const stateOf = ({ revokedAt, expiresAt }: ApiKeyView): string =>
  revokedAt ? 'revoked' : expiresAt && new Date(expiresAt) < new Date() ? 'expired' : 'active';

export default function ApiKeysPage() {
  const [page, setPage] = useState(1);
  const [made, setMade] = useState<ApiKeySecretView | null>(null);
  const keys = useLoad(`${page}`, () => api().call('GET /api/v1/api-keys', { query: { page, limit: ROWS } }));
  const show = (key: ApiKeySecretView): void => {
    setMade(key);
    keys.again();
    scrollTo(0, 0);
  };
  return (
    <>
      <h1>{t('API keys')}</h1>
      {made && <Secret title={t('API key “{name}”.', { name: made.name })} value={made.secret ?? ''} onDone={() => setMade(null)} />}
      <Section title={t('API keys')}>
        <Show what={keys}>
          {({ data, total }) =>
            data.length === 0 ? (
              <Empty>{t('No API keys yet. Create one for each program, with the fewest rights it needs.')}</Empty>
            ) : (
              <>
                <Table
                  caption={t('API keys')}
                  rows={data}
                  keyOf={({ id }) => id}
                  columns={[
                    { name: t('Purpose'), show: ({ name }) => name },
                    { name: t('Prefix'), show: ({ prefix }) => <code>{prefix}</code> },
                    { name: t('Roles'), show: sayRights },
                    { name: t('Status'), show: (key) => <Status of={stateOf(key)} /> },
                    { name: t('Last used'), show: ({ lastUsedAt }) => (lastUsedAt ? showTime(lastUsedAt) : 'never') },
                    { name: t('Expires'), show: ({ expiresAt, revokedAt }) => showDay(revokedAt ?? expiresAt) },
                    {
                      name: t('Change'),
                      show: (key) =>
                        key.revokedAt === null &&
                        (isWithinMine(key) ? (
                          <Changes of={key} onSecret={show} onRevoked={keys.again} />
                        ) : (
                          <span class="hint">{t('beyond your processes')}</span>
                        )),
                    },
                  ]}
                />
                <Pages page={page} of={Math.ceil(total / ROWS)} onChange={setPage} />
              </>
            )
          }
        </Show>
      </Section>
      <AddKey onAdded={show} />
    </>
  );
}

const OVERLAPS = [
  ['86400', phrase('for a day')],
  ['3600', phrase('for an hour')],
  ['604800', phrase('for a week')],
  ['0', phrase('not at all (it leaked)')],
] as const;

function Changes({
  of,
  onSecret,
  onRevoked,
}: {
  readonly of: ApiKeyView;
  readonly onSecret: (key: ApiKeySecretView) => void;
  readonly onRevoked: () => void;
}) {
  const [overlap, setOverlap] = useState('86400');
  const path = { id: of.id };
  const rotate = async (): Promise<void> =>
    onSecret(await api().call('POST /api/v1/api-keys/{id}/rotate', { path, body: { overlapSeconds: Number(overlap) } }));
  return (
    <details>
      <summary>{t('Change')}</summary>
      <div class="stack">
        <Select label={t('Keep the old secret valid')} value={overlap} of={OVERLAPS} onChange={setOverlap} />
        <Action label={t('Create a new secret')} run={rotate} />
        <Action
          label={t('Revoke')}
          sure={t('Requests with this key are refused immediately.')}
          run={() => api().call('DELETE /api/v1/api-keys/{id}', { path }).then(onRevoked)}
        />
      </div>
    </details>
  );
}

const EMPTY = { name: '', wallet: '', orgId: '', expires: '', rights: OPERATOR };

function AddKey({ onAdded }: { readonly onAdded: (key: ApiKeySecretView) => void }) {
  const [draft, setDraft] = useDraft('api key', EMPTY);
  const set = (change: Partial<typeof EMPTY>): void => setDraft({ ...draft, ...change });
  const add = async (): Promise<void> => {
    const { name, wallet, orgId, expires, rights } = draft;
    const expiresAt = expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString();
    const body = { name: name.trim(), wallet: wallet.trim() || null, orgId: orgId || null, expiresAt, ...granted(rights) };
    onAdded(await api().call('POST /api/v1/api-keys', { body }));
    setDraft(EMPTY);
  };
  return (
    <Section title={t('Create an API key')}>
      <Form label={t('Create the key')} send={add} disabled={draft.name.trim() === '' || draft.rights.roles.length === 0}>
        <div class="pair">
          <Text label={t('Purpose')} required maxLength={200} value={draft.name} onChange={(name) => set({ name })} />
          <Text
            label={t('Expires on')}
            type="date"
            hint={t('Leave empty for no expiry.')}
            value={draft.expires}
            onChange={(expires) => set({ expires })}
          />
          <OrganisationField label={t('Acts for')} value={draft.orgId} onChange={(orgId) => set({ orgId })} />
          <Text label={t('Wallet')} placeholder="0x…" value={draft.wallet} onChange={(wallet) => set({ wallet })} />
        </div>
        <RightsFields value={draft.rights} onChange={(rights) => set({ rights })} />
      </Form>
    </Section>
  );
}
