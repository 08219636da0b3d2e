import type { AlertsReportView, LotPageView, TrackedPageView, TransferPageView, WebhookView } from '#client';
import { Empty, Link, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { shortHash, showNumber, showTime, words } from '../state/format';
import { type Loaded, useLoad } from '../state/load';
import { Action } from '../parts/action';
import { administersAll } from '../state/rights';
import { api, confirmWallet, me, readsReports } from '../state/session';
import { aboutService, signerOf } from '../state/wallet';

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** What needs somebody now. Each part asks for itself: one that is refused or slow hides no other. */
export function HomePage() {
  const { orgId } = me.value!;
  return (
    <>
      <h1>Home</h1>
      {me.value!.proposedWallet && <ProposedWallet address={me.value!.proposedWallet} />}
      {readsReports.value && <Alerts />}
      {orgId && <Offers orgId={orgId} />}
      <Transactions />
      <Expiring />
      {administersAll.value && <Webhooks />}
    </>
  );
}

/** A wallet can sign in as somebody, so they confirm it themselves. */
function ProposedWallet({ address }: { readonly address: string }) {
  const confirm = async (): Promise<void> => confirmWallet(await signerOf(address), (await aboutService()).chainId);
  return (
    <Section title="Confirm your wallet">
      <p class="notice">
        An administrator proposes <code>{address}</code> as your wallet. If it is yours, sign a message with it. Anybody who has this wallet
        can then sign in as you.
      </p>
      <Action label="Confirm the wallet" main run={confirm} />
    </Section>
  );
}

const SHOWN = 10;

function Alerts() {
  const alerts = useLoad('alerts', () => api().get<AlertsReportView>(`/api/v1/reports/alerts?limit=${SHOWN}`));
  return (
    <Section title="Alerts" aside={<Link to="/reports">All alerts</Link>}>
      <Show what={alerts}>
        {(report) =>
          report.alerts.length === 0 ? (
            <Empty>No open alerts</Empty>
          ) : (
            <Table
              caption="Open alerts, most severe first"
              rows={report.alerts}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Severity', show: ({ severity }) => <Status of={severity} /> },
                { name: 'Alert', show: ({ title, detail }) => <span title={detail}>{title}</span> },
                {
                  name: 'Of',
                  show: ({ subject }) =>
                    subject.kind === 'subscription' && administersAll.value ? (
                      <Link to={`/admin/webhooks/${subject.id}`}>Webhook</Link>
                    ) : subject.tokenId ? (
                      <LotLink id={subject.tokenId}>{subject.tlc ?? subject.tokenId}</LotLink>
                    ) : (
                      '–'
                    ),
                },
                { name: 'Recommendation', show: ({ recommendation }) => recommendation },
                { name: 'Since', show: ({ firstSeenAt }) => showTime(firstSeenAt) },
              ]}
            />
          )
        }
      </Show>
    </Section>
  );
}

function Offers({ orgId }: { readonly orgId: string }) {
  const offers = useLoad('offers', () => api().get<TransferPageView>(`/api/v1/custody/org/${orgId}/offers?direction=in&limit=${SHOWN}`));
  return (
    <Section title="Incoming transfers" aside={<Link to="/offers">All transfers</Link>}>
      <Show what={offers}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No incoming transfers</Empty>
          ) : (
            <Table
              caption="Incoming transfers"
              rows={data}
              keyOf={({ transferId }) => transferId}
              columns={[
                { name: 'Lot', show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink> },
                { name: 'From', show: ({ from }) => <span title={from}>{shortHash(from)}</span> },
                { name: 'Since', show: ({ offeredAt, timestamp }) => showTime(offeredAt ?? timestamp) },
              ]}
            />
          )
        }
      </Show>
    </Section>
  );
}

/** What has not landed, or will not. */
const UNSETTLED = ['submitted', 'pending', 'failed', 'dropped', 'replaced'];

function Transactions() {
  const open = useLoad('open transactions', async () => {
    const pages = await Promise.all(UNSETTLED.map((status) => api().get<TrackedPageView>(`/api/v1/tx?status=${status}&limit=${SHOWN}`)));
    return pages.flatMap(({ data }) => data);
  });
  return (
    <Section title="Failed or pending transactions" aside={<Link to="/transactions">All transactions</Link>}>
      <Show what={open}>
        {(transactions) =>
          transactions.length === 0 ? (
            <Empty>All your transactions are confirmed.</Empty>
          ) : (
            <Table
              caption="Transactions"
              rows={transactions}
              keyOf={({ trackingId, txHash }) => trackingId ?? txHash ?? ''}
              columns={[
                {
                  name: 'Transaction',
                  show: ({ txHash }) => (txHash === null ? 'Waits to be sent' : <code title={txHash}>{shortHash(txHash)}</code>),
                },
                { name: 'Type', show: ({ type }) => words(type) },
                { name: 'Status', show: ({ status }) => <Status of={status} /> },
                { name: 'Failure reason', show: ({ error, revertReason }) => revertReason ?? error ?? '–' },
                { name: 'Sent', show: ({ submittedAt }) => showTime(submittedAt) },
              ]}
            />
          )
        }
      </Show>
    </Section>
  );
}

function Expiring() {
  const before = new Date(Date.now() + SOON_DAYS * DAY_MS).toISOString().slice(0, 10);
  const lots: Loaded<LotPageView> = useLoad(before, () =>
    api().get<LotPageView>(`/api/v1/nfts?expiringBefore=${before}&sort=expiresAt&limit=${SHOWN}`),
  );
  return (
    <Section title="Lots that expire soon">
      <Show what={lots}>
        {({ data, total }) =>
          data.length === 0 ? (
            <Empty>No lot expires within {SOON_DAYS} days.</Empty>
          ) : (
            <>
              <Table
                caption="Expiring lots"
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: 'Lot', show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
                  { name: 'Product', show: ({ assetTypeName }) => assetTypeName ?? '–' },
                  { name: 'Held by', show: ({ custodianLabel }) => custodianLabel },
                  { name: 'Expires', show: ({ expiresAt }) => showTime(expiresAt) },
                ]}
              />
              {total > data.length && (
                <p class="hint">
                  First {data.length} of {showNumber(total)}.
                </p>
              )}
            </>
          )
        }
      </Show>
    </Section>
  );
}

function Webhooks() {
  const webhooks = useLoad('webhooks', async () => {
    const all = await api().get<readonly WebhookView[]>('/api/v1/webhooks');
    return { all, failing: all.filter(({ paused }) => paused !== null) };
  });
  return (
    <Section title="Failing webhooks">
      <Show what={webhooks}>
        {({ all, failing }) =>
          failing.length === 0 ? (
            <Empty>
              {all.length === 0 ? 'No webhooks yet. ' : `No paused webhooks. `}
              <Link to="/admin/webhooks">{all.length === 0 ? 'Add one' : 'Show webhooks'}</Link>
            </Empty>
          ) : (
            <Table
              caption="Paused webhooks"
              rows={failing}
              keyOf={({ id }) => id}
              columns={[
                { name: 'URL', show: ({ id, url }) => <Link to={`/admin/webhooks/${id}`}>{url}</Link> },
                { name: 'Paused since', show: ({ paused }) => showTime(paused?.since) },
                { name: 'Reason', show: ({ paused }) => paused?.reason },
              ]}
            />
          )
        }
      </Show>
    </Section>
  );
}
