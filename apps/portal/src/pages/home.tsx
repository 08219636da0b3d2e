import './acting.css';
import type { AlertsReportView, LotPageView, TrackedPageView, TransferPageView, WebhookView } from '#client';
import { Empty, Link, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { shortHash, showNumber, showQuantity, showTime, words } from '../state/format';
import { type Loaded, useLoad } from '../state/load';
import { Action } from '../parts/action';
import { MyRecalls } from '../parts/my-recalls';
import { administersAll } from '../state/rights';
import { api, confirmWallet, me, readsReports } from '../state/session';
import { aboutService, signerOf } from '../state/wallet';
import { t, tx } from '../state/language';

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** What needs somebody now. Each part asks for itself: one that is refused or slow hides no other. */
export function HomePage() {
  const { orgId } = me.value!;
  return (
    <>
      <h1>{t('Home')}</h1>
      {me.value!.proposedWallet && <ProposedWallet address={me.value!.proposedWallet} />}
      <MyRecalls />
      {orgId && <Offers orgId={orgId} />}
      {readsReports.value && <Alerts />}
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
    <Section title={t('Confirm your wallet')}>
      <p class="notice">
        {tx(
          'An administrator proposes {address} as your wallet. If it is yours, sign a message with it. Anybody who has this wallet can then sign in as you.',
          { address: <code>{address}</code> },
        )}
      </p>
      <Action label={t('Confirm the wallet')} main run={confirm} />
    </Section>
  );
}

const SHOWN = 10;

function Alerts() {
  const alerts = useLoad('alerts', () => api().get<AlertsReportView>(`/api/v1/reports/alerts?limit=${SHOWN}`));
  return (
    <Section title={t('Alerts')} aside={<Link to="/reports">{t('All alerts')}</Link>}>
      <Show what={alerts}>
        {(report) => {
          const pressing = report.alerts.filter(({ severity }) => severity !== 'low');
          const { low } = report.summary.bySeverity;
          if (pressing.length === 0)
            return <Empty>{low > 0 ? t('No pressing alerts; {count} of low severity.', { count: low }) : t('No open alerts')}</Empty>;
          return (
            <Table
              caption={t('Open alerts, most severe first')}
              rows={pressing}
              keyOf={({ id }) => id}
              columns={[
                { name: t('Severity'), show: ({ severity }) => <Status of={severity} /> },
                { name: t('Alert'), show: ({ title, detail }) => <span title={detail}>{title}</span> },
                {
                  name: t('Of'),
                  show: ({ subject }) =>
                    subject.kind === 'subscription' && administersAll.value ? (
                      <Link to={`/admin/webhooks/${subject.id}`}>{t('Webhook')}</Link>
                    ) : subject.tokenId ? (
                      <LotLink id={subject.tokenId}>{subject.tlc ?? subject.tokenId}</LotLink>
                    ) : (
                      '–'
                    ),
                },
                { name: t('Recommendation'), show: ({ recommendation }) => recommendation },
                { name: t('Since'), show: ({ firstSeenAt }) => showTime(firstSeenAt) },
              ]}
            />
          );
        }}
      </Show>
    </Section>
  );
}

function Offers({ orgId }: { readonly orgId: string }) {
  const offers = useLoad('offers', () => api().get<TransferPageView>(`/api/v1/custody/org/${orgId}/offers?direction=in&limit=${SHOWN}`));
  return (
    <Section title={t('Incoming transfers')} aside={<Link to="/offers">{t('All transfers')}</Link>}>
      <Show what={offers}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('No incoming transfers')}</Empty>
          ) : (
            <Table
              caption={t('Incoming transfers')}
              rows={data}
              keyOf={({ transferId }) => transferId}
              columns={[
                { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink> },
                { name: t('Product'), show: ({ assetTypeName, assetType }) => assetTypeName ?? assetType ?? '–' },
                { name: t('Quantity'), number: true, show: ({ remainingQuantity, uom }) => showQuantity(remainingQuantity, uom) },
                { name: t('From'), show: ({ from, fromLabel }) => <span title={from}>{fromLabel}</span> },
                { name: t('Since'), show: ({ offeredAt, timestamp }) => showTime(offeredAt ?? timestamp) },
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
    <Section title={t('Failed or pending transactions')} aside={<Link to="/transactions">{t('All transactions')}</Link>}>
      <Show what={open}>
        {(transactions) =>
          transactions.length === 0 ? (
            <Empty>{t('All your transactions are confirmed.')}</Empty>
          ) : (
            <Table
              caption={t('Transactions')}
              rows={transactions}
              keyOf={({ trackingId, txHash }) => trackingId ?? txHash ?? ''}
              columns={[
                {
                  name: t('Transaction'),
                  show: ({ txHash }) => (txHash === null ? t('Waits to be sent') : <code title={txHash}>{shortHash(txHash)}</code>),
                },
                { name: t('Type'), show: ({ type }) => words(type) },
                { name: t('Status'), show: ({ status }) => <Status of={status} /> },
                { name: t('Failure reason'), show: ({ error, revertReason }) => revertReason ?? error ?? '–' },
                { name: t('Sent'), show: ({ submittedAt }) => showTime(submittedAt) },
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
    <Section title={t('Lots that expire soon')}>
      <Show what={lots}>
        {({ data, total }) =>
          data.length === 0 ? (
            <Empty>{t('No lot expires within {count} days.', { count: SOON_DAYS })}</Empty>
          ) : (
            <>
              <Table
                caption={t('Expiring lots')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
                  { name: t('Product'), show: ({ assetTypeName }) => assetTypeName ?? '–' },
                  { name: t('Held by'), show: ({ custodianLabel }) => custodianLabel },
                  { name: t('Expires'), show: ({ expiresAt }) => showTime(expiresAt) },
                ]}
              />
              {total > data.length && <p class="hint">{t('First {shown} of {total}.', { shown: data.length, total })}</p>}
            </>
          )
        }
      </Show>
    </Section>
  );
}

/** Of so many webhooks the failed deliveries are counted here: the page of each has all. */
const COUNTED = 10;
const FIRST_PAGE = 100;

interface Failing {
  readonly webhook: WebhookView;
  readonly failed: number;
}

/** Paused, or with deliveries that failed for good. */
async function failingWebhooks(): Promise<{ readonly count: number; readonly failing: readonly Failing[] }> {
  const all = await api().get<readonly WebhookView[]>('/api/v1/webhooks');
  const counted = await Promise.all(
    all.slice(0, COUNTED).map(async (webhook): Promise<Failing> => {
      const failed = await api().get<readonly unknown[]>(`/api/v1/webhooks/${webhook.id}/deliveries?status=failed`);
      return { webhook, failed: failed.length };
    }),
  );
  const rest = all.slice(COUNTED).map((webhook): Failing => ({ webhook, failed: 0 }));
  return { count: all.length, failing: [...counted, ...rest].filter(({ webhook, failed }) => webhook.paused !== null || failed > 0) };
}

function Webhooks() {
  const webhooks = useLoad('webhooks', failingWebhooks);
  return (
    <Section title={t('Failing webhooks')}>
      <Show what={webhooks}>
        {({ count, failing }) =>
          failing.length === 0 ? (
            <Empty>
              {count === 0 ? t('No webhooks yet.') : t('No paused webhooks and no failed deliveries.')}{' '}
              <Link to="/admin/webhooks">{count === 0 ? t('Add one') : t('Show webhooks')}</Link>
            </Empty>
          ) : (
            <Table
              caption={t('Webhooks that are paused or whose deliveries failed')}
              rows={failing}
              keyOf={({ webhook }) => webhook.id}
              columns={[
                { name: t('URL'), show: ({ webhook }) => <Link to={`/admin/webhooks/${webhook.id}`}>{webhook.url}</Link> },
                {
                  name: t('Failed deliveries'),
                  number: true,
                  show: ({ failed }) => (failed < FIRST_PAGE ? showNumber(failed) : t('{count} or more', { count: failed })),
                },
                { name: t('Paused since'), show: ({ webhook }) => showTime(webhook.paused?.since) },
                { name: t('Reason'), show: ({ webhook }) => webhook.paused?.reason ?? '–' },
              ]}
            />
          )
        }
      </Show>
    </Section>
  );
}
