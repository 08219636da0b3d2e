import type { TrackedView } from '#client';
import { Empty, LotLink, Show, Status, Table } from '../parts/basics';
import { shortHash, showTime, words } from '../state/format';
import { useList } from '../state/list';
import { More } from '../parts/more';

const ROWS = 50;

/** From the hash that was sent to the block that is final, or to what went wrong. */
export default function TransactionsPage() {
  const transactions = useList<TrackedView>(`/api/v1/tx?limit=${ROWS}`);
  return (
    <>
      <h1>Transactions</h1>
      <button type="button" onClick={transactions.again}>
        Refresh
      </button>
      <Show what={transactions}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No transactions yet. Transactions that you sign here appear on this page.</Empty>
          ) : (
            <>
              <Table
                caption="Your transactions"
                rows={data}
                keyOf={({ trackingId, txHash }) => trackingId ?? txHash ?? ''}
                columns={[
                  {
                    name: 'Transaction',
                    show: ({ txHash }) => (txHash === null ? 'Waits to be sent' : <code title={txHash}>{shortHash(txHash)}</code>),
                  },
                  { name: 'Type', show: ({ type }) => words(type) },
                  { name: 'Status', show: ({ status }) => <Status of={status} /> },
                  {
                    name: 'Confirmations',
                    number: true,
                    show: ({ confirmations, requiredConfirmations }) => `${confirmations} of ${requiredConfirmations}`,
                  },
                  {
                    name: 'Lots',
                    show: ({ effects }) =>
                      (effects.tokenIds as unknown as number[]).slice(0, 3).map((id) => (
                        <span key={id}>
                          <LotLink id={id}>{id}</LotLink>{' '}
                        </span>
                      )),
                  },
                  { name: 'Sent', show: ({ submittedAt }) => showTime(submittedAt) },
                  { name: 'Final', show: ({ confirmedAt }) => showTime(confirmedAt) },
                  { name: 'Failure reason', show: ({ revertReason, error }) => revertReason ?? error ?? '–' },
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
