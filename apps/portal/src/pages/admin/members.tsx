import { useState } from 'preact/hooks';
import type { MemberView } from '#client';
import { Form } from '../../parts/action';
import { Empty, Link, Section, Show, Status, Table } from '../../parts/basics';
import { Select, SlowText, Text } from '../../parts/inputs';
import { Pages } from '../../parts/pages';
import { shortHash, showDay } from '../../state/format';
import { useDraft, useLoad } from '../../state/load';
import { api } from '../../state/session';
import { OrganisationField } from '../../parts/organisation-field';
import { OPERATOR, RightsFields, sayRights, granted } from './scopes';
import { phrase, t } from '../../state/language';

const ROWS = 50;
const STATUSES = [
  ['active', phrase('Members')],
  ['removed', phrase('Former members')],
  ['all', phrase('All')],
] as const;

export const onChainOf = ({ wallet, onChain }: MemberView): string =>
  wallet === null ? 'no_wallet' : onChain === null ? 'unknown' : onChain.agrees ? 'agrees' : 'differs';

export default function MembersPage() {
  const [status, setStatus] = useState<'active' | 'removed' | 'all'>('active');
  const [page, setPage] = useState(1);
  const [invited, setInvited] = useState<MemberView | null>(null);
  const [search, setSearch] = useState('');
  const query = { status, page, limit: ROWS, ...(search !== '' && { search }) };
  const members = useLoad(`${status} ${page} ${search}`, () => api().call('GET /api/v2/members', { query }));
  /** Other people are another list, which begins at its beginning. */
  const begin = (what: () => void): void => {
    setPage(1);
    what();
  };
  return (
    <>
      <h1>{t('Members')}</h1>
      {invited && <p role="status">{t('An invitation is on its way to {email}.', { email: invited.email })}</p>}
      <Section title={t('People')}>
        <div class="filters">
          <SlowText
            label={t('Find by e-mail or name')}
            type="search"
            value={search}
            onChange={(text) => begin(() => setSearch(text.trim()))}
          />
          <Select label={t('Show')} value={status} of={STATUSES} onChange={(next) => begin(() => setStatus(next as 'active'))} />
        </div>
        <Show what={members}>
          {({ data, total }) =>
            data.length === 0 ? (
              <Empty>{t('No members in this list.')}</Empty>
            ) : (
              <>
                <p class="count">{t('{count} in total', { count: total })}</p>
                <Table
                  caption={t('People')}
                  rows={data}
                  keyOf={({ id }) => id}
                  columns={[
                    { name: t('Member'), show: ({ id, email }) => <Link to={`/admin/members/${id}`}>{email}</Link> },
                    { name: t('Roles'), show: sayRights },
                    { name: t('Organisation'), show: ({ orgName }) => orgName ?? '–' },
                    {
                      name: t('Wallet'),
                      show: ({ wallet, proposedWallet }) => (
                        <code title={wallet ?? proposedWallet ?? undefined}>
                          {wallet === null && proposedWallet !== null ? `${shortHash(proposedWallet)} (not confirmed)` : shortHash(wallet)}
                        </code>
                      ),
                    },
                    { name: t('On chain'), show: (member) => <Status of={onChainOf(member)} /> },
                    {
                      name: t('Since'),
                      show: ({ createdAt, revokedAt }) => (revokedAt ? `until ${showDay(revokedAt)}` : showDay(createdAt)),
                    },
                  ]}
                />
                <Pages page={page} of={Math.ceil(total / ROWS)} onChange={setPage} />
              </>
            )
          }
        </Show>
      </Section>
      <AddMember
        onAdded={(member) => {
          setInvited(member);
          members.again();
        }}
      />
    </>
  );
}

const EMPTY = { email: '', name: '', wallet: '', orgId: '', rights: OPERATOR };

function AddMember({ onAdded }: { readonly onAdded: (member: MemberView) => void }) {
  const [draft, setDraft] = useDraft('member', EMPTY);
  const set = (change: Partial<typeof EMPTY>): void => setDraft({ ...draft, ...change });
  const add = async (): Promise<void> => {
    const { email, name, wallet, orgId, rights } = draft;
    const body = { email: email.trim(), ...(name && { name }), wallet: wallet.trim() || null, orgId: orgId || null, ...granted(rights) };
    onAdded(await api().call('POST /api/v2/members', { body }));
    setDraft(EMPTY);
  };
  return (
    <Section title={t('Add a member')}>
      <Form label={t('Add the member')} send={add} disabled={draft.email.trim() === '' || draft.rights.roles.length === 0}>
        <p class="hint">
          {t(
            'They get a mail that says how to sign in: new users set a password with the link in it. A wallet is proposed: the user confirms it on the home page, or by the first sign-in with it to this tenant.',
          )}
        </p>
        <div class="pair">
          <Text label={t('E-mail')} type="email" required value={draft.email} onChange={(email) => set({ email })} />
          <Text label={t('Name')} maxLength={200} value={draft.name} onChange={(name) => set({ name })} />
          <OrganisationField value={draft.orgId} onChange={(orgId) => set({ orgId })} />
          <Text label={t('Wallet')} hint={t('Optional')} placeholder="0x…" value={draft.wallet} onChange={(wallet) => set({ wallet })} />
        </div>
        <RightsFields value={draft.rights} onChange={(rights) => set({ rights })} />
      </Form>
    </Section>
  );
}
