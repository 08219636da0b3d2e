import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Form } from '../../parts/action';
import { Empty, Link, Section, Show, Table } from '../../parts/basics';
import { Checks, Select, Text } from '../../parts/inputs';
import { Secret } from '../../parts/secret';
import { showTime } from '../../state/format';
import { phrase, t } from '../../state/language';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';
import { type Subscription, addressesOf, sayWhen, subscriptionsOf } from './subscription-view';

/** Where new events that the query finds are sent. */
export function Subscriptions({ of: query }: { readonly of: string }) {
  const path = subscriptionsOf(query);
  const all = useLoad(path, async () => {
    const { subscriptions } = await api().get<{ readonly subscriptions: readonly Subscription[] }>(path);
    return { subscriptions, addresses: await addressesOf(subscriptions) };
  });
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Section title={t('Subscriptions')}>
        <p class="hint">
          {t('New events that this query finds are sent to a URL, as an EPCIS query document, signed like every webhook.')}
        </p>
        <Show what={all}>
          {({ subscriptions, addresses }) =>
            subscriptions.length === 0 ? (
              <Empty>{t('No subscriptions yet.')}</Empty>
            ) : (
              <Table
                caption={t('Subscriptions')}
                rows={subscriptions}
                keyOf={({ subscriptionID }) => subscriptionID}
                columns={[
                  {
                    name: t('Address'),
                    show: ({ subscriptionID, webhookId }) => (
                      <Link to={`/exchange/queries/${encodeURIComponent(query)}/${subscriptionID}`}>
                        {addresses.get(webhookId) ?? subscriptionID}
                      </Link>
                    ),
                  },
                  { name: t('Sends'), show: sayWhen },
                  { name: t('Last sent'), show: ({ sentAt }) => showTime(sentAt) },
                  { name: t('Added'), show: ({ createdAt }) => showTime(createdAt) },
                ]}
              />
            )
          }
        </Show>
      </Section>
      <Subscribe
        path={path}
        onDone={(made) => {
          setSecret(made);
          all.again();
        }}
      >
        {secret && <Secret title={t('Signing secret of the subscription.')} value={secret} onDone={() => setSecret(null)} />}
      </Subscribe>
    </>
  );
}

const TIMES = [
  ['stream', phrase('At once')],
  ['hourly', phrase('Every hour')],
  ['daily', phrase('Every day')],
  ['weekly', phrase('Every Monday')],
] as const;

/** Times of the service are UTC. */
function scheduleOf(when: string, hour: string): object {
  if (when === 'hourly') return { second: '0', minute: '0' };
  return { second: '0', minute: '0', hour, ...(when === 'weekly' && { dayOfWeek: '1' }) };
}

/** @param children what comes of it, below the button that was pressed */
function Subscribe({
  path,
  onDone,
  children,
}: {
  readonly path: string;
  readonly onDone: (secret: string) => void;
  readonly children: ComponentChildren;
}) {
  const [dest, setDest] = useState('');
  const [when, setWhen] = useState('stream');
  const [hour, setHour] = useState('6');
  const [empty, setEmpty] = useState<readonly string[]>([]);
  const [since, setSince] = useState('');
  const subscribe = async (): Promise<void> => {
    const { secret } = await api().post<{ readonly secret: string }>(path, {
      dest: dest.trim(),
      ...(when === 'stream' ? { stream: true } : { schedule: scheduleOf(when, hour), reportIfEmpty: empty.length > 0 }),
      ...(since !== '' && { initialRecordTime: new Date(since).toISOString() }),
    });
    setDest('');
    onDone(secret);
  };
  return (
    <Section title={t('New subscription')}>
      <Form label={t('Subscribe')} send={subscribe}>
        <Text
          label={t('Address')}
          type="url"
          required
          placeholder="https://"
          hint={t('We send a test request to this URL when you save.')}
          value={dest}
          onChange={setDest}
        />
        <Select label={t('Sends')} of={TIMES} value={when} onChange={setWhen} />
        {(when === 'daily' || when === 'weekly') && (
          <Select
            label={t('Hour (UTC)')}
            of={Array.from({ length: 24 }, (_, one) => [String(one), `${String(one).padStart(2, '0')}:00`] as const)}
            value={hour}
            onChange={setHour}
          />
        )}
        {when !== 'stream' && (
          <Checks label={t('Without new events')} of={[['empty', t('Send an empty document')]]} chosen={empty} onChange={setEmpty} />
        )}
        <Text label={t('Also events written since (optional)')} type="datetime-local" value={since} onChange={setSince} />
      </Form>
      {children}
    </Section>
  );
}
