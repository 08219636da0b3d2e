import { useState } from 'preact/hooks';
import { Empty, Section, Show } from '../../parts/basics';
import { Select } from '../../parts/inputs';
import { showTime } from '../../state/format';
import { plural, t } from '../../state/language';
import { useLoad } from '../../state/load';
import { useRepeated } from '../../state/repeated';
import { api } from '../../state/session';

interface Change {
  readonly id: string;
  readonly cursor: string;
  readonly event: string;
  readonly timestamp: string;
  readonly data: object;
}
interface Feed {
  readonly data: readonly Change[];
  readonly cursor: string;
  readonly more: boolean;
}

const AT_ONCE = 1_000;
/** So many answers are read at most. */
const ANSWERS = 10;
const SHOWN = 100;
const LIVE_MS = 3_000;

/** The newest changes of the feed, whether or not a webhook listens to them. */
async function newest(topic: string): Promise<{ readonly changes: readonly Change[]; readonly isCut: boolean }> {
  let changes: readonly Change[] = [];
  let after: string | null = null;
  for (let answer = 0; answer < ANSWERS; answer++) {
    const query = new URLSearchParams({ limit: String(AT_ONCE), ...(topic && { topics: topic }), ...(after !== null && { after }) });
    const feed: Feed = await api().get<Feed>(`/api/v1/changes?${query.toString()}`);
    changes = [...changes, ...feed.data].slice(-SHOWN);
    after = feed.cursor;
    if (!feed.more) return { changes: changes.toReversed(), isCut: false };
  }
  return { changes: changes.toReversed(), isCut: true };
}

export default function EventLogPage() {
  const [topic, setTopic] = useState('');
  const [live, setLive] = useState(false);
  const topics = useLoad('topics', () => api().call('GET /api/v1/webhooks/topics'));
  const log = useLoad(`log ${topic}`, () => newest(topic));
  useRepeated(log, live, LIVE_MS);
  const names = [...new Set((topics.data ?? []).map((one) => one.topic))];
  return (
    <>
      <h1>{t('Event log')}</h1>
      <p class="hint">
        {t('What happened in your tenant and is final, whether or not a webhook listens. Programs read it from GET /api/v1/changes.')}
      </p>
      <Section
        title={t('Newest events')}
        aside={
          <label class="tick">
            <input type="checkbox" checked={live} onChange={({ currentTarget }) => setLive(currentTarget.checked)} />
            <span>{t('Refresh by itself')}</span>
          </label>
        }
      >
        <Select label={t('Topic')} none={t('All')} of={names.map((one) => [one, one] as const)} value={topic} onChange={setTopic} />
        <Show what={log}>
          {({ changes, isCut }) =>
            changes.length === 0 ? (
              <Empty>{t('No events yet.')}</Empty>
            ) : (
              <>
                <p class="hint" role="status">
                  {plural(changes.length, 'The newest event', 'The newest {count} events')}
                  {isCut && ` ${t('(of the oldest part; the log is longer)')}`}
                </p>
                {changes.map((one) => (
                  <Entry key={one.id} of={one} />
                ))}
              </>
            )
          }
        </Show>
      </Section>
    </>
  );
}

function Entry({ of: { id, event, timestamp, data } }: { readonly of: Change }) {
  return (
    <details class="delivery">
      <summary>
        <span>
          <strong>{event}</strong>
        </span>
        <span class="when">{showTime(timestamp)}</span>
      </summary>
      <div>
        <p class="hint">
          <code>{id}</code>
        </p>
        <pre class="body" tabIndex={0} aria-label={t('Payload')}>
          {JSON.stringify(data, null, 2)}
        </pre>
      </div>
    </details>
  );
}
