import { useState } from 'preact/hooks';
import { Action } from '../../parts/action';
import { Facts, Link, Section, Show } from '../../parts/basics';
import { showTime } from '../../state/format';
import { t } from '../../state/language';
import { useLoad } from '../../state/load';
import { go } from '../../state/router';
import { api } from '../../state/session';
import { Deliveries } from '../admin/deliveries';
import { type Subscription, addressesOf, sayWhen, subscriptionsOf } from './subscription-view';

/** One subscription to a query, with what was sent. */
export default function SubscriptionPage({ query, id }: { readonly query: string; readonly id: string }) {
  const path = `${subscriptionsOf(query)}/${id}`;
  const back = `/exchange/queries/${encodeURIComponent(query)}`;
  const [tested, setTested] = useState(0);
  const subscription = useLoad(path, async () => {
    const found = await api().get<Subscription>(path);
    return { ...found, url: (await addressesOf([found])).get(found.webhookId) ?? '–' };
  });
  const test = async (webhookId: string): Promise<void> => {
    await api().call('POST /api/v1/webhooks/{id}/test', { path: { id: webhookId } });
    setTested(tested + 1);
  };
  const remove = async (): Promise<void> => {
    await api().request<void>('DELETE', path);
    go(back, { replace: true });
  };
  return (
    <>
      <p>
        <Link to={back}>{t('Query {name}', { name: query })}</Link>
      </p>
      <Show what={subscription}>
        {(shown) => (
          <>
            <h1>{shown.url}</h1>
            <Section title={t('Subscription')}>
              <Facts
                of={[
                  [t('Sends'), sayWhen(shown)],
                  [t('Without new events'), shown.stream ? null : shown.reportIfEmpty ? t('Sends an empty document') : t('Sends nothing')],
                  [t('Next'), shown.nextDueAt ? showTime(shown.nextDueAt) : null],
                  [t('Last sent'), showTime(shown.sentAt)],
                  [t('Added'), showTime(shown.createdAt)],
                  [t('Webhook'), <Link to={`/admin/webhooks/${shown.webhookId}`}>{t('Address, secret and state')}</Link>],
                ]}
              />
              <div class="actions">
                <Action label={t('Send a test')} main run={() => test(shown.webhookId)} />
                <Action label={t('Delete')} sure={t('Nothing is sent any more. The query stays.')} run={remove} />
              </div>
            </Section>
            <Deliveries id={shown.webhookId} reload={tested} onSettled={subscription.again} />
          </>
        )}
      </Show>
    </>
  );
}
