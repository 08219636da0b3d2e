import type { AlertsReportView, LotPageView, TrackedPageView, TransferPageView, WebhookView } from '#client';
import { Empty, Link, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { shortHash, showNumber, showTime, words } from '../state/format';
import { type Loaded, useLoad } from '../state/load';
import { api, isAdmin, me, readsReports } from '../state/session';

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** What needs somebody now. Each part asks for itself: one that is refused or slow hides no other. */
export function HomePage() {
  const { orgId } = me.value!;
  return (
    <>
      <h1>Home</h1>
      {readsReports.value && <Alerts />}
      {orgId && <Offers orgId={orgId} />}
      <Transactions />
      <Expiring />
      {isAdmin.value && <Webhooks />}
    </>
  );
}

const SHOWN = 10;

function Alerts() {
  const alerts = useLoad('alerts', () => api().get<AlertsReportView>(`/api/v1/reports/alerts?limit=${SHOWN}`));
  return (
    <Section title="Alerts" aside={<Link to="/reports">See all and answer them</Link>}>
      <Show what={alerts}>
        {(report) =>
          report.alerts.length === 0 ? (
            <Empty>Nothing is wrong. Alerts appear here when something needs you.</Empty>
          ) : (
            <Table
              caption="Open alerts, the gravest first"
              rows={report.alerts}
              keyOf={({ id }) => id}
              columns={[
                { name: 'How grave', show: ({ severity }) => <Status of={severity} /> },
                { name: 'What', show: ({ title, detail }) => <span title={detail}>{title}</span> },
                {
                  name: 'Of',
                  show: ({ subject }) =>
                    subject.kind === 'subscription' && isAdmin.value ? (
                      <Link to={`/admin/webhooks/${subject.id}`}>Webhook</Link>
                    ) : subject.tokenId ? (
                      <LotLink id={subject.tokenId}>{subject.tlc ?? subject.tokenId}</LotLink>
                    ) : (
                      '–'
                    ),
                },
                { name: 'What to do', show: ({ recommendation }) => recommendation },
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
    <Section title="Offers waiting for you" aside={<Link to="/offers">All offers</Link>}>
      <Show what={offers}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nobody offers you a lot.</Empty>
          ) : (
            <Table
              caption="Offers"
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
    <Section title="Transactions that did not land" aside={<Link to="/transactions">All transactions</Link>}>
      <Show what={open}>
        {(transactions) =>
          transactions.length === 0 ? (
            <Empty>All your transactions have landed.</Empty>
          ) : (
            <Table
              caption="Transactions"
              rows={transactions}
              keyOf={({ trackingId, txHash }) => trackingId ?? txHash}
              columns={[
                { name: 'Transaction', show: ({ txHash }) => <code title={txHash}>{shortHash(txHash)}</code> },
                { name: 'What', show: ({ type }) => words(type) },
                { name: 'State', show: ({ status }) => <Status of={status} /> },
                { name: 'Why', show: ({ error, revertReason }) => revertReason ?? error ?? '–' },
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
                  { name: 'What', show: ({ assetTypeName }) => assetTypeName ?? '–' },
                  { name: 'Held by', show: ({ custodianLabel }) => custodianLabel },
                  { name: 'Expires', show: ({ expiresAt }) => showTime(expiresAt) },
                ]}
              />
              {total > data.length && (
                <p class="hint">
                  The first {data.length} of {showNumber(total)}.
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
              {all.length === 0 ? 'There are no webhooks yet. ' : `The service pauses none of your ${all.length} webhooks. `}
              <Link to="/admin/webhooks">{all.length === 0 ? 'Add one' : 'See them'}</Link>
            </Empty>
          ) : (
            <Table
              caption="Webhooks that the service paused"
              rows={failing}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Address', show: ({ id, url }) => <Link to={`/admin/webhooks/${id}`}>{url}</Link> },
                { name: 'Paused since', show: ({ paused }) => showTime(paused?.since) },
                { name: 'Why', show: ({ paused }) => paused?.reason },
              ]}
            />
          )
        }
      </Show>
    </Section>
  );
}
