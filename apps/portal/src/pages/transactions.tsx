import type { TrackedView } from '#client';
import { Empty, LotLink, Show, Status, Table } from '../parts/basics';
import { shortHash, showTime, words } from '../state/format';
import { useList } from '../state/list';
import { More } from '../parts/more';
import { t } from '../state/language';

const ROWS = 50;

/** From the hash that was sent to the block that is final, or to what went wrong. */
export default function TransactionsPage() {
  const transactions = useList<TrackedView>(`/api/v1/tx?limit=${ROWS}`);
  return (
    <>
      <h1>{t('Transactions')}</h1>
      <button type="button" onClick={transactions.again}>
        {t('Refresh')}
      </button>
      <Show what={transactions}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('No transactions yet. Transactions that you sign here appear on this page.')}</Empty>
          ) : (
            <>
              <Table
                caption={t('Your transactions')}
                rows={data}
                keyOf={({ trackingId, txHash }) => trackingId ?? txHash ?? ''}
                columns={[
                  {
                    name: t('Transaction'),
                    show: ({ txHash }) => (txHash === null ? t('Waits to be sent') : <code title={txHash}>{shortHash(txHash)}</code>),
                  },
                  { name: t('Type'), show: ({ type }) => words(type) },
                  { name: t('Status'), show: ({ status }) => <Status of={status} /> },
                  {
                    name: t('Confirmations'),
                    number: true,
                    show: ({ confirmations, requiredConfirmations }) => `${confirmations} of ${requiredConfirmations}`,
                  },
                  {
                    name: t('Lots'),
                    show: ({ effects }) =>
                      (effects.tokenIds as unknown as number[]).slice(0, 3).map((id) => (
                        <span key={id}>
                          <LotLink id={id}>{id}</LotLink>{' '}
                        </span>
                      )),
                  },
                  { name: t('Sent'), show: ({ submittedAt }) => showTime(submittedAt) },
                  { name: t('Final'), show: ({ confirmedAt }) => showTime(confirmedAt) },
                  { name: t('Failure reason'), show: ({ revertReason, error }) => revertReason ?? error ?? '–' },
                ]}
              />
              <More of={transactions} />
            </>
          )
        }
      </Show>
    </>
  );
}
