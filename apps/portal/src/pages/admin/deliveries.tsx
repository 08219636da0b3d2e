import { useEffect, useRef, useState } from 'preact/hooks';
import { type DeliveryView, addressOf } from '#client';
import { Action } from '../../parts/action';
import { Empty, Section, Show, Status } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { showNumber, showTime, words } from '../../state/format';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';
import { DeliveryRequest } from './delivery-request';
import { plural, t, tx } from '../../state/language';

const STATUSES = ['pending', 'sending', 'retrying', 'delivered', 'failed', 'discarded'] as const;
type DeliveryStatus = (typeof STATUSES)[number];
const ON_THEIR_WAY = new Set<string>(['pending', 'sending', 'retrying']);
const POLL_MS = 2000;

/**
 * @param reload another number reloads the list: something was sent
 * @param onSettled when nothing is on its way any more: the service may have paused the address
 */
export function Deliveries({ id, reload, onSettled }: { readonly id: string; readonly reload: number; readonly onSettled: () => void }) {
  const [status, setStatus] = useState('');
  // The addresses of the pages up to the one that is shown.
  const [older, setOlder] = useState<readonly string[]>([]);
  const query = status === '' ? {} : { status: status as DeliveryStatus };
  const first = addressOf('GET /api/v1/webhooks/{id}/deliveries', { path: { id }, query }).path;
  const at = older.at(-1) ?? first;
  const page = useLoad(`${at} ${reload}`, () => pageAt(at));
  const moved = useRef(false);
  const moving = page.data?.deliveries.some((one) => ON_THEIR_WAY.has(one.status)) ?? false;
  useEffect(() => {
    if (!moving || page.busy) return undefined;
    moved.current = true;
    const timer = setTimeout(page.again, POLL_MS);
    return () => clearTimeout(timer);
  }, [moving, page.busy]);
  useEffect(() => {
    if (moving || page.data === null || !moved.current) return;
    moved.current = false;
    onSettled();
  }, [moving, page.data]);
  return (
    <Section
      title={t('Deliveries')}
      aside={
        <button type="button" onClick={page.again}>
          {t('Refresh')}
        </button>
      }
    >
      <Select
        label={t('Status')}
        none={t('All')}
        value={status}
        of={STATUSES.map((one) => [one, words(one)])}
        onChange={(next) => {
          setOlder([]);
          setStatus(next);
        }}
      />
      <Show what={page}>
        {({ deliveries, next }) => (
          <>
            {deliveries.length === 0 ? (
              <Empty>{t(status === '' ? 'No deliveries yet. Send a test.' : 'No deliveries with this status.')}</Empty>
            ) : (
              deliveries.map((delivery) => <Delivery key={delivery.id} of={delivery} onResent={page.again} />)
            )}
            <div class="pages">
              {older.length > 0 && (
                <button type="button" onClick={() => setOlder(older.slice(0, -1))}>
                  {t('Newer')}
                </button>
              )}
              {next && (
                <button type="button" onClick={() => setOlder([...older, next])}>
                  {t('Older')}
                </button>
              )}
            </div>
          </>
        )}
      </Show>
      <Recover id={id} onRecovered={page.again} />
    </Section>
  );
}

async function pageAt(at: string): Promise<{ readonly deliveries: readonly DeliveryView[]; readonly next: string | null }> {
  const { data, headers } = await api().getWithHeaders<readonly DeliveryView[]>(at);
  return { deliveries: data, next: /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null };
}

function Delivery({ of, onResent }: { readonly of: DeliveryView; readonly onResent: () => void }) {
  const resend = async (): Promise<void> => {
    await api().call('POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/resend', { path: { id: of.subscriptionId, deliveryId: of.id } });
    onResent();
  };
  return (
    <details class="delivery">
      <summary>
        <Status of={of.status} />
        <span>
          <strong>{of.event}</strong>{' '}
          {of.error ?? (of.statusCode === null ? '' : t('The receiver returned status {status}.', { status: String(of.statusCode) }))}
        </span>
        <span class="when">{showTime(of.createdAt)}</span>
      </summary>
      <div>
        <p class="hint">
          {tx('{id} to {url}', { id: <code>{of.id}</code>, url: of.url })}
          {of.nextAttemptAt && t('; next attempt {time}', { time: showTime(of.nextAttemptAt) })}
          {of.resends > 0 && plural(of.resends, '; resent {count} time', '; resent {count} times')}
        </p>
        <ol>
          {of.attempts.map((attempt) => (
            <li key={attempt.number}>
              {sayAttempt(attempt)}
              {attempt.error && <p class="hint">{attempt.error}</p>}
              {attempt.responseBody && (
                <pre class="body" tabIndex={0} aria-label={t('Answer to attempt {number}', { number: attempt.number })}>
                  {attempt.responseBody}
                </pre>
              )}
            </li>
          ))}
        </ol>
        <DeliveryRequest id={of.subscriptionId} deliveryId={of.id} />
        {of.status !== 'pending' && of.status !== 'sending' && <Action label={t('Resend')} run={resend} />}
      </div>
    </details>
  );
}

function sayAttempt({ number, manual, statusCode, durationMs, startedAt }: DeliveryView['attempts'][number]): string {
  const values = {
    number,
    answer: statusCode === null ? t('no answer') : String(statusCode),
    length: showNumber(durationMs),
    time: showTime(startedAt),
  };
  return manual
    ? t('Attempt {number} (manual): {answer} in {length} ms, {time}', values)
    : t('Attempt {number}: {answer} in {length} ms, {time}', values);
}

/** All that failed in an outage of the receiver, at once. */
function Recover({ id, onRecovered }: { readonly id: string; readonly onRecovered: () => void }) {
  const [since, setSince] = useState('');
  const [count, setCount] = useState<number | null>(null);
  const recover = async (): Promise<void> => {
    const body = { since: new Date(since).toISOString() };
    setCount((await api().call('POST /api/v1/webhooks/{id}/recover', { path: { id }, body })).deliveries);
    onRecovered();
  };
  return (
    <details>
      <summary>{t('Resend all failed deliveries')}</summary>
      <div class="stack">
        <Text label={t('Since')} type="datetime-local" value={since} onChange={setSince} />
        <Action label={t('Resend all')} disabled={since === ''} run={recover} />
        {count !== null && (
          <p role="status">
            {count === 0 ? t('No failed deliveries since then.') : plural(count, '{count} delivery queued.', '{count} deliveries queued.')}
          </p>
        )}
      </div>
    </details>
  );
}
