import type { PreparedCustodyView, TransferView } from '#client';
import { Empty, LotLink, Section, Show, Table } from '../parts/basics';
import { Sign } from '../parts/sign';
import { shortHash, showTime } from '../state/format';
import { useList } from '../state/list';
import { More } from '../parts/more';
import { api, me } from '../state/session';

type Action = 'accept' | 'reject' | 'cancel';
const LABELS: Readonly<Record<Action, string>> = { accept: 'Accept', reject: 'Reject', cancel: 'Cancel' };

export default function OffersPage() {
  const { orgId } = me.value!;
  return (
    <>
      <h1>Offers</h1>
      {orgId === null ? (
        <Empty>You do not act for an organisation. Transfers go to the wallets of organisations.</Empty>
      ) : (
        <>
          <Offers orgId={orgId} direction="in" title="Incoming transfers" actions={['accept', 'reject']} empty="No incoming transfers" />
          <Offers
            orgId={orgId}
            direction="out"
            title="Outgoing transfers"
            actions={['cancel']}
            empty="No outgoing transfers. Open a lot to transfer it."
          />
        </>
      )}
    </>
  );
}

function Offers({
  orgId,
  direction,
  title,
  actions,
  empty,
}: {
  readonly orgId: string;
  readonly direction: 'in' | 'out';
  readonly title: string;
  readonly actions: readonly Action[];
  readonly empty: string;
}) {
  const at = `/api/v1/custody/org/${orgId}/offers?direction=${direction}&limit=100`;
  const offers = useList<TransferView>(at);
  const prepare =
    ({ tokenId }: TransferView, action: Action) =>
    (): Promise<PreparedCustodyView> =>
      api().post('/api/v1/custody/prepare', { action, tokenIds: [tokenId] });
  return (
    <Section title={title}>
      <Show what={offers}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{empty}</Empty>
          ) : (
            <>
              <Table
                caption={title}
                rows={data}
                keyOf={({ transferId }) => transferId}
                columns={[
                  { name: 'Lot', show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink> },
                  { name: 'From', show: ({ from }) => <span title={from}>{shortHash(from)}</span> },
                  { name: 'To', show: ({ to }) => <span title={to}>{shortHash(to)}</span> },
                  { name: 'Since', show: ({ offeredAt, timestamp }) => showTime(offeredAt ?? timestamp) },
                  {
                    name: 'Actions',
                    show: (offer) =>
                      actions.map((action) => (
                        <Sign
                          key={action}
                          label={LABELS[action]}
                          type={`custody-${action}`}
                          name={`${action} ${offer.transferId}`}
                          prepare={prepare(offer, action)}
                          onLanded={offers.again}
                        />
                      )),
                  },
                ]}
              />
              <More of={offers} />
            </>
          )
        }
      </Show>
    </Section>
  );
}
