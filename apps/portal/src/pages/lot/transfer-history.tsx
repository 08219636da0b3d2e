import { useState } from 'preact/hooks';
import type { CustodyHistoryView } from '#client';
import { Empty, Show, Status, Table } from '../../parts/basics';
import { More } from '../../parts/more';
import { showTime, words } from '../../state/format';
import { useList } from '../../state/list';
import { Documents, type Document } from './documents';

type Entry = CustodyHistoryView['data'][number];

/** Who held the lot before, with the documents of each hand-over; read when it is opened. */
export function TransferHistory({ tokenId }: { readonly tokenId: number }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Documents and history</summary>
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
            of: `To ${toLabel}`,
          })),
        );
        return (
          <>
            <Table
              caption="Custody of this lot"
              rows={data}
              keyOf={({ transferId, txHash }) => transferId ?? txHash}
              columns={[
                { name: 'When', show: ({ timestamp }) => showTime(timestamp) },
                { name: 'From', show: ({ from, fromLabel }) => <span title={from}>{fromLabel ?? '–'}</span> },
                { name: 'To', show: ({ to, toLabel }) => <span title={to}>{toLabel}</span> },
                { name: 'Status', show: ({ status }) => <Status of={status === 'mint' ? 'created' : status} /> },
                { name: 'Reason', show: ({ reason }) => words(reason) },
              ]}
            />
            <More of={custody} />
            {documents.length === 0 ? (
              <Empty>No documents of its hand-overs</Empty>
            ) : (
              <Documents caption="Documents of its hand-overs" of={documents} where="Hand-over" />
            )}
          </>
        );
      }}
    </Show>
  );
}
