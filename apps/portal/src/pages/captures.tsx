import type { PreparedTx, RelayableCall } from '#client';
import { Empty, Field, Link, Section, Show, Status, Table } from '../parts/basics';
import { SAID_ABOVE, Sign } from '../parts/sign';
import { showTime } from '../state/format';
import { type Loaded, useLoad } from '../state/load';
import { api, me } from '../state/session';
import { useState } from 'preact/hooks';
import { plural, t } from '../state/language';
import { Form } from '../parts/action';
import { go } from '../state/router';

interface Job {
  readonly captureID: string;
  readonly createdAt: string;
  readonly running: boolean;
  readonly success: boolean;
}

interface CapturedEvent {
  readonly pointer: string;
  readonly eventID: string | null;
  readonly state: string;
  readonly preparedTx: PreparedTx | null;
  readonly hints: RelayableCall['hints'] | null;
  readonly problems: readonly { readonly message: string }[];
}

interface Page {
  readonly jobs: readonly Job[];
  readonly nextPageToken: string | null;
}

const resultOf = ({ running, success }: Job): string => (running ? 'running' : success ? 'captured' : 'refused');

const repository = (): string => `/epcis/${me.value!.tid}/capture`;

/** EPCIS documents that were captured, newest first. */
export default function CapturesPage({ id }: { readonly id: string | null }) {
  return id === null ? <Documents /> : <Document key={id} id={id} />;
}

function Documents() {
  const [tokens, setTokens] = useState<readonly (string | null)[]>([null]);
  const token = tokens.at(-1)!;
  const page = useLoad(`captures ${token}`, () =>
    api().get<Page>(`${repository()}?perPage=50${token === null ? '' : `&nextPageToken=${encodeURIComponent(token)}`}`),
  );
  return (
    <>
      <h1>{t('Captured documents')}</h1>
      <p>
        <Link to="/exchange/import">{t('Import and export')}</Link>
      </p>
      <Capture />
      <Show what={page}>
        {({ jobs, nextPageToken }) =>
          jobs.length === 0 ? (
            <Empty>
              {t('No EPCIS documents yet. What your systems send to /epcis/{tenant}/capture appears here.', {
                tenant: me.value!.tid ?? '',
              })}
            </Empty>
          ) : (
            <>
              <Table
                caption={t('Captured documents')}
                rows={jobs}
                keyOf={({ captureID }) => captureID}
                columns={[
                  {
                    name: t('Captured'),
                    show: ({ captureID, createdAt }) => <Link to={`/captures/${captureID}`}>{showTime(createdAt)}</Link>,
                  },
                  { name: t('Result'), show: (job) => <Status of={resultOf(job)} /> },
                ]}
              />
              <div class="pages">
                <button type="button" disabled={tokens.length === 1} onClick={() => setTokens(tokens.slice(0, -1))}>
                  {t('Newer')}
                </button>
                <button type="button" disabled={nextPageToken === null} onClick={() => setTokens([...tokens, nextPageToken])}>
                  {t('Older')}
                </button>
              </div>
            </>
          )
        }
      </Show>
    </>
  );
}

/** A document of a partner, from a file; a program sends it to the same address. */
function Capture() {
  const [file, setFile] = useState<File | null>(null);
  const capture = async (): Promise<void> => {
    const { captureID } = await api().post<Job>(repository(), JSON.parse(await file!.text()) as object);
    go(`/captures/${captureID}`);
  };
  return (
    <Section title={t('Capture an EPCIS document')}>
      <Form label={t('Capture the document')} send={capture} disabled={file === null}>
        <Field label={t('File')} hint={t('EPCIS 2.0 in JSON. For XML, choose Import. Nothing is recorded before you sign.')}>
          <input type="file" accept=".json,.jsonld" required onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)} />
        </Field>
      </Form>
    </Section>
  );
}

/** Calls that one signature of a passkey covers. */
const AT_ONCE = 100;
const SHOWN = 200;

function Document({ id }: { readonly id: string }) {
  const job = useLoad(`capture ${id}`, () => api().get<Job & { readonly events: readonly CapturedEvent[] }>(`${repository()}/${id}`));
  return (
    <>
      <h1>{t('Captured document')}</h1>
      <button type="button" onClick={job.again}>
        {t('Refresh')}
      </button>
      <Show what={job}>
        {({ running, events }) => (
          <>
            {running && (
              <p class="hint" role="status">
                {t('The service reads the document. Refresh to see what became of its events.')}
              </p>
            )}
            <Waiting id={id} events={events} again={job.again} />
            <Table
              caption={t('Events of the document')}
              rows={events.slice(0, SHOWN)}
              keyOf={({ pointer }) => pointer}
              columns={[
                { name: t('Event'), show: ({ eventID, pointer }) => eventID ?? pointer },
                { name: t('Status'), show: ({ state }) => <Status of={state} /> },
                { name: t('Problems'), show: ({ problems }) => problems.map(({ message }) => message).join(' ') || '–' },
              ]}
            />
            {events.length > SHOWN && (
              <p class="hint">{t('The first {shown} of {total} events.', { shown: SHOWN, total: events.length })}</p>
            )}
          </>
        )}
      </Show>
    </>
  );
}

function Waiting({
  id,
  events,
  again,
}: {
  readonly id: string;
  readonly events: readonly CapturedEvent[];
  readonly again: Loaded<unknown>['again'];
}) {
  const waiting = events.filter(({ state, preparedTx }) => state === 'awaiting_signature' && preparedTx !== null);
  const next = waiting.slice(0, AT_ONCE);
  if (next.length === 0) return <p class="hint">{t('Nothing waits for your signature.')}</p>;
  const preparedTxs = next.map(({ preparedTx }) => preparedTx!);
  const relayable = next.flatMap(({ preparedTx, hints }) => (hints?.preparedId ? [{ preparedTx: preparedTx!, hints }] : []));
  const calls = relayable.length === next.length ? { calls: relayable } : {};
  return (
    <section class="card" aria-label={t('Waiting for your signature')}>
      <p>
        {plural(waiting.length, '{count} event waits for your signature.', '{count} events wait for your signature.')}{' '}
        {waiting.length > next.length && t('The next {count} are signed together.', { count: next.length })}
      </p>
      <Sign
        label={plural(next.length, 'Sign {count} event', 'Sign {count} events')}
        says={SAID_ABOVE}
        name={`capture ${id}`}
        type="event"
        prepare={() => Promise.resolve({ preparedTx: preparedTxs[0]!, preparedTxs, ...calls })}
        onLanded={again}
      />
    </section>
  );
}
