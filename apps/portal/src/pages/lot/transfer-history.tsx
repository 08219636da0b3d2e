import { useState } from 'preact/hooks';
import type { CustodyHistoryView } from '#client';
import { Empty, Show, Status, Table } from '../../parts/basics';
import { More } from '../../parts/more';
import { showTime, words } from '../../state/format';
import { useList } from '../../state/list';
import { Documents, type Document } from './documents';
import { t } from '../../state/language';

type Entry = CustodyHistoryView['data'][number];

/** Who held the lot before, with the documents of each hand-over; read when it is opened. */
export function TransferHistory({ tokenId }: { readonly tokenId: number }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Documents and history')}</summary>
      {open && <Custody tokenId={tokenId} />}
    </details>
  );
}

export function Custody({ tokenId }: { readonly tokenId: number }) {
  const custody = useList<Entry>(`/api/v1/nfts/${tokenId}/custody?limit=100`);
  return (
    <Show what={custody}>
      {({ data }) => {
        const documents = data.flatMap(({ documents: of, transferId, toLabel }, entry) =>
          (of as readonly Document[]).map((document, i) => ({
            ...document,
            key: `${transferId ?? 'mint'}/${entry}/${i}`,
            of: t('To {company}', { company: toLabel }),
          })),
        );
        return (
          <>
            <Table
              caption={t('Custody of this lot')}
              rows={data}
              keyOf={({ transferId, txHash }) => transferId ?? txHash}
              columns={[
                { name: t('When'), show: ({ timestamp }) => showTime(timestamp) },
                { name: t('From'), show: ({ from, fromLabel }) => <span title={from}>{fromLabel ?? '–'}</span> },
                { name: t('To'), show: ({ to, toLabel }) => <span title={to}>{toLabel}</span> },
                { name: t('Status'), show: ({ status }) => <Status of={status === 'mint' ? 'created' : status} /> },
                { name: t('Reason'), show: ({ reason }) => words(reason) },
              ]}
            />
            <More of={custody} />
            {documents.length === 0 ? (
              <Empty>{t('No documents of its hand-overs')}</Empty>
            ) : (
              <Documents caption={t('Documents of its hand-overs')} of={documents} where={t('Hand-over')} />
            )}
          </>
        );
      }}
    </Show>
  );
}
