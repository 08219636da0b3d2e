import { useState } from 'preact/hooks';
import type { MemberCallView, MemberView, ReplacementView } from '#client';
import { Action, Form } from '../../parts/action';
import { Empty, Facts, Field, Link, Section, Show, Status } from '../../parts/basics';
import { Text } from '../../parts/inputs';
import { Sign } from '../../parts/sign';
import type { Prepared } from '../../state/signing';
import { shortHash, showTime } from '../../state/format';
import { useLoad } from '../../state/load';
import { isWithinMine } from '../../state/rights';
import { api } from '../../state/session';
import { onChainOf } from './members';
import { OrganisationField } from '../../parts/organisation-field';
import { type Rights, RightsFields, sayRights, granted } from './scopes';
import { t, tx } from '../../state/language';

export default function MemberPage({ id }: { readonly id: string }) {
  const member = useLoad(id, () => api().call('GET /api/v2/members/{id}', { path: { id } }));
  return (
    <>
      <p>
        <Link to="/admin/members">{t('All members')}</Link>
      </p>
      <Show what={member}>
        {(shown) => (
          <>
            <h1>{shown.name}</h1>
            <Section title={t('Facts')}>
              <Facts
                of={[
                  [t('E-mail'), shown.email],
                  [t('May'), sayRights(shown)],
                  [t('Organisation'), shown.orgName],
                  [t('Wallet'), shown.wallet && <code>{shown.wallet}</code>],
                  [t('Proposed wallet, not confirmed'), shown.proposedWallet && <code>{shown.proposedWallet}</code>],
                  [t('Member since'), showTime(shown.createdAt)],
                  [t('Member until'), shown.revokedAt && showTime(shown.revokedAt)],
                ]}
              />
            </Section>
            {!isWithinMine(shown) && <Empty>{t('This member may do more than you, so another administrator manages them.')}</Empty>}
            {isWithinMine(shown) && <Managed of={shown} again={member.again} />}
          </>
        )}
      </Show>
    </>
  );
}

/** For who may do at least as much. */
function Managed({ of, again }: { readonly of: MemberView; readonly again: () => void }) {
  const { id, email, wallet, revokedAt } = of;
  return (
    <>
      {revokedAt === null && <Change key={JSON.stringify(of)} of={of} onChanged={again} />}
      <OnChain of={of} onLanded={again} />
      {revokedAt === null && wallet && <LostWallet of={of} onLanded={again} />}
      {revokedAt === null && (
        <Section title={t('Remove the member')}>
          <Action
            label={t('Remove')}
            sure={t('{email} loses access immediately. Then sign the removal of the rights on chain.', { email })}
            run={() => api().call('DELETE /api/v2/members/{id}', { path: { id } }).then(again)}
          />
        </Section>
      )}
    </>
  );
}

function Change({ of, onChanged }: { readonly of: MemberView; readonly onChanged: () => void }) {
  const [rights, setRights] = useState<Rights>({ roles: of.roles, roleScopes: of.roleScopes as Rights['roleScopes'] });
  const [orgId, setOrgId] = useState(of.orgId ?? '');
  const [wallet, setWallet] = useState(of.proposedWallet ?? of.wallet ?? '');
  const save = async (): Promise<void> => {
    const body = {
      ...granted(rights),
      orgId: orgId || null,
      ...(wallet.trim() !== (of.proposedWallet ?? of.wallet ?? '') && { wallet: wallet.trim() || null }),
    };
    await api().call('PATCH /api/v2/members/{id}', { path: { id: of.id }, body });
    onChanged();
  };
  return (
    <Section title={t('Roles and processes')}>
      <Form label={t('Save')} send={save}>
        <RightsFields value={rights} onChange={setRights} />
        <div class="pair">
          <OrganisationField value={orgId} onChange={setOrgId} />
          <Text
            label={t('Wallet')}
            placeholder="0x…"
            value={wallet}
            onChange={setWallet}
            hint={t('The member confirms a new one. To replace a wallet that has held lots, use the section below.')}
          />
        </div>
      </Form>
    </Section>
  );
}

/** The service binds at once; the contract only by what an administrator of it signs. */
function OnChain({ of, onLanded }: { readonly of: MemberView; readonly onLanded: () => void }) {
  const [calls, setCalls] = useState<readonly MemberCallView[] | null>(null);
  const { onChain } = of;
  const prepare = async (): Promise<Prepared> => {
    const { preparedTxs } = await api().call('POST /api/v2/members/{id}/grants/prepare', { path: { id: of.id }, body: {} });
    setCalls(preparedTxs);
    if (preparedTxs.length === 0) throw new Error(t('The contract already matches: nothing to sign.'));
    return signable(preparedTxs);
  };
  return (
    <Section title={t('Rights on chain')}>
      {onChain === null ? (
        <p class="empty">
          {of.wallet === null ? t('No wallet, no rights on chain. Propose a wallet above; the member confirms it.') : t('Unknown')}
        </p>
      ) : (
        <>
          <Facts
            of={[
              [t('In sync'), <Status of={onChainOf(of)} />],
              [t('Roles in the contract'), onChain.roles.join(', ') || 'none'],
              [
                t('Processes in the contract'),
                onChain.processes.join(', ') || (onChain.roles.includes('OPERATOR_ALL') ? t('every process') : 'none'),
              ],
            ]}
          />
          {!onChain.agrees && (
            <p class="notice">
              {t('The rights of this wallet in the contract differ from its roles in the service. Sign the change to bring them in sync.')}
            </p>
          )}
          <Sign
            label={t('Sign the grants')}
            type="member-grants"
            disabled={onChain.agrees}
            says={
              <p>
                {tx('The wallet {wallet} of {member} gets the rights of its roles in the contract ({roles}), and loses all others.', {
                  wallet: <code>{shortHash(of.wallet ?? '')}</code>,
                  member: <strong>{of.email}</strong>,
                  roles: of.revokedAt === null ? sayRights(of) : t('none'),
                })}
              </p>
            }
            prepare={prepare}
            onLanded={onLanded}
          />
          {calls && calls.length > 0 && (
            <p class="hint">
              {t('{count} to sign: {methods}', { count: calls.length, methods: calls.map(({ method }) => method).join(', ') })}
            </p>
          )}
        </>
      )}
    </Section>
  );
}

const signable = (calls: readonly MemberCallView[]): Prepared => {
  const preparedTxs = calls.map(({ preparedTx }) => preparedTx);
  return { preparedTx: preparedTxs[0]!, preparedTxs, warnings: calls.flatMap(({ warnings }) => warnings) };
};

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function LostWallet({ of, onLanded }: { readonly of: MemberView; readonly onLanded: () => void }) {
  const [wallet, setWallet] = useState('');
  const [replacement, setReplacement] = useState<ReplacementView | null>(null);
  const prepare = async (): Promise<Prepared> => {
    const prepared = await api().call('POST /api/v2/members/{id}/wallet/replace/prepare', { path: { id: of.id }, body: { wallet } });
    setReplacement(prepared);
    return signable(prepared.preparedTxs);
  };
  return (
    <Section title={t('Replace a lost wallet')}>
      <div class="stack">
        <p class="hint">
          {t(
            'The old wallet loses its rights, and another takes over what it holds. The contract then waits seven days, in which the old wallet may object.',
          )}
        </p>
        <Text label={t('New wallet')} placeholder="0x…" value={wallet} onChange={(text) => setWallet(text.trim())} />
        <Sign
          label={t('Replace wallet')}
          type="wallet-replacement"
          final
          disabled={!ADDRESS.test(wallet)}
          says={
            <p>
              {tx(
                'The wallet {old} of {member} loses its rights now. After seven days {wallet} takes over what it holds. Once accepted this cannot be undone.',
                {
                  old: <code>{shortHash(of.wallet ?? '')}</code>,
                  member: <strong>{of.email}</strong>,
                  wallet: <code>{wallet}</code>,
                },
              )}
            </p>
          }
          prepare={prepare}
          onLanded={onLanded}
        />
        {replacement && (
          <Field
            label={t('After seven days the new wallet sends this')}
            hint={t('To {address}', { address: replacement.acceptance.preparedTx.to })}
          >
            <textarea readOnly rows={3} value={replacement.acceptance.preparedTx.data} />
          </Field>
        )}
      </div>
    </Section>
  );
}
