import type { PreparedTx } from '#client';
import { Action } from '../../parts/action';
import { Review } from '../../parts/review';
import { Section } from '../../parts/basics';
import { t, tx } from '../../state/language';
import { browserWallet, connectBrowserWallet, ownerWallet, useAbout } from '../../state/wallet';

/** The owner of the registry signs it; a platform administrator need not be the owner. */
export function ContractTransaction({
  of: { tenant, preparedTx },
  onDone,
  again,
}: {
  readonly of: { readonly tenant: string; readonly preparedTx: PreparedTx };
  readonly onDone: () => void;
  readonly again: () => void;
}) {
  const about = useAbout();
  const sent = (): void => {
    again();
    onDone();
  };
  return (
    <Section title={t('Create the contract of {tenant}', { tenant })}>
      <p>
        {t(
          'The owner of the registry signs this transaction. Then the tenant can record. It may take a minute until the contract is seen here.',
        )}
      </p>
      <pre class="body" tabIndex={0} aria-label={t('Transaction')}>
        {JSON.stringify(preparedTx, null, 2)}
      </pre>
      {(browserWallet() !== null || about.data?.demoWallet) && (
        <Review
          label={t('Create the contract')}
          final
          says={
            <p>
              {tx('You create the contract of {tenant} with the registry {registry}. It stays on the chain: it cannot be deleted.', {
                tenant: <strong>{tenant}</strong>,
                registry: <code>{preparedTx.to}</code>,
              })}
            </p>
          }
        >
          {() => (
            <>
              {browserWallet() && (
                <Action
                  label={t('Send with my wallet')}
                  main
                  run={async () =>
                    connectBrowserWallet()
                      .then((wallet) => wallet.send(preparedTx))
                      .then(sent)
                  }
                />
              )}
              {about.data?.demoWallet && (
                <Action
                  label={t('Send with the operator’s demo wallet')}
                  main
                  run={async () => (await ownerWallet()).send(preparedTx).then(sent)}
                />
              )}
            </>
          )}
        </Review>
      )}
      <div class="actions">
        <Action label={t('Copy the transaction')} run={() => navigator.clipboard.writeText(JSON.stringify(preparedTx))} />
        <button type="button" onClick={onDone}>
          {t('Close')}
        </button>
      </div>
    </Section>
  );
}
