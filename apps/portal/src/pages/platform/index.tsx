import '../work.css';
import { useState } from 'preact/hooks';
import type { Operations, PreparedTx } from '#client';
import { Action } from '../../parts/action';
import { Empty, Section, Show, Status, Table } from '../../parts/basics';
import { Text } from '../../parts/inputs';
import { More } from '../../parts/more';
import { showDay } from '../../state/format';
import { t } from '../../state/language';
import { useList } from '../../state/list';
import { api, me } from '../../state/session';
import { CreateTenant } from './create-tenant';
import { ContractTransaction } from './contract-transaction';

type TenantView = Operations['GET /api/v2/tenants']['answer']['data'][number];

interface Contract {
  readonly tenant: string;
  readonly preparedTx: PreparedTx;
}

/** The tenants of the service, for who administers the platform. */
export default function PlatformPage() {
  const tenants = useList<TenantView>('/api/v2/tenants?limit=50');
  const [contract, setContract] = useState<Contract | null>(null);
  if (!me.value!.isPlatformAdmin) return <Empty>{t('Only a platform administrator manages tenants.')}</Empty>;
  return (
    <>
      <h1>{t('Tenants of the service')}</h1>
      {contract && <ContractTransaction key={contract.tenant} of={contract} onDone={() => setContract(null)} again={tenants.again} />}
      <Section title={t('Tenants')}>
        <Show what={tenants}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>{t('No tenants yet. Create the first one below.')}</Empty>
            ) : (
              <Table
                caption={t('Tenants')}
                rows={data}
                keyOf={({ tenantId }) => tenantId}
                columns={[
                  {
                    name: t('Tenant'),
                    show: ({ name, tenantId }) => (
                      <>
                        {name} <code>{tenantId}</code>
                      </>
                    ),
                  },
                  { name: t('State'), show: ({ status }) => <Status of={status} /> },
                  { name: t('Contract'), show: (one) => <ContractOf of={one} onPrepared={setContract} /> },
                  { name: t('Environment'), show: ({ environment }) => environment },
                  { name: t('Created'), show: ({ createdAt }) => showDay(createdAt) },
                  { name: t('Change'), show: (one) => <Change of={one} after={tenants.again} /> },
                ]}
              />
            )
          }
        </Show>
        <More of={tenants} />
      </Section>
      <CreateTenant
        onCreated={(created) => {
          setContract(created);
          tenants.again();
        }}
      />
    </>
  );
}

/** Without a contract nothing can be recorded. */
function ContractOf({ of: { tenantId, contract }, onPrepared }: { readonly of: TenantView; readonly onPrepared: (one: Contract) => void }) {
  const [wallet, setWallet] = useState('');
  if (contract) return <code title={contract}>{`${contract.slice(0, 8)}…`}</code>;
  const prepare = async (): Promise<void> => {
    const path = { id: tenantId };
    const { preparedTx } = await api().call('POST /api/v2/tenants/{id}/contract/prepare', { path, body: { wallet: wallet.trim() } });
    onPrepared({ tenant: tenantId, preparedTx });
  };
  return (
    <details>
      <summary>{t('Not on chain yet')}</summary>
      <Text label={t('Wallet of the first administrator')} placeholder="0x…" value={wallet} onChange={setWallet} />
      <Action label={t('Prepare the transaction again')} disabled={wallet.trim() === ''} run={prepare} />
    </details>
  );
}

function Change({ of: { tenantId, status, tier }, after }: { readonly of: TenantView; readonly after: () => void }) {
  const [next, setNext] = useState(tier);
  const path = { id: tenantId };
  const setTier = () =>
    api()
      .call('POST /api/v2/tenants/{id}/tier', { path, body: { tier: next.trim() } })
      .then(after);
  return (
    <div class="stack">
      {status === 'active' ? (
        <Action
          label={t('Suspend')}
          sure={t('All members and API keys of {tenant} are refused at once. Nothing is deleted.', { tenant: tenantId })}
          run={() => api().call('POST /api/v2/tenants/{id}/suspend', { path, body: {} }).then(after)}
        />
      ) : (
        <Action label={t('Resume')} main run={() => api().call('POST /api/v2/tenants/{id}/resume', { path }).then(after)} />
      )}
      <details>
        <summary>{t('Tier: {tier}', { tier })}</summary>
        <Text label={t('Tier of rates and quotas')} value={next} onChange={setNext} />
        <Action label={t('Change the tier')} disabled={next.trim() === '' || next === tier} run={setTier} />
      </details>
    </div>
  );
}
