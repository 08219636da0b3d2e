import { type ImportView, type ImportedEventView, listAll } from '#client';
import { Section, Show, Table } from '../../parts/basics';
import { SAID_ABOVE, Sign } from '../../parts/sign';
import { plural, t } from '../../state/language';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';

/** Calls that one signature of a passkey covers. */
const AT_ONCE = 100;
/** Events that are asked for at a time. */
const SIDE_BY_SIDE = 10;

type Prepared = NonNullable<ImportedEventView['event']>;
interface Waiting {
  readonly row: number;
  readonly event: Prepared;
}

/** The next events without a signature, at most as many as are signed at once. */
async function nextToSign(id: string): Promise<readonly Waiting[]> {
  let some: Waiting[] = [];
  for await (const { row, event } of listAll<ImportedEventView>(api(), `/api/v1/imports/${id}/events?limit=${AT_ONCE}`)) {
    if (event) some.push({ row, event });
    if (some.length < AT_ONCE) continue;
    const waiting = await thoseWaiting(some);
    if (waiting.length > 0) return waiting;
    some = [];
  }
  return thoseWaiting(some);
}

async function thoseWaiting(prepared: readonly Waiting[]): Promise<readonly Waiting[]> {
  const waiting: Waiting[] = [];
  for (let start = 0; start < prepared.length; start += SIDE_BY_SIDE) {
    const some = prepared.slice(start, start + SIDE_BY_SIDE);
    const states = await Promise.all(some.map(({ event }) => api().events.get(event.eventId)));
    waiting.push(...some.filter((_, index) => states[index]!['status'] === 'prepared'));
  }
  return waiting;
}

export function ImportedEvents({ of: { id, processType } }: { readonly of: ImportView }) {
  const next = useLoad(`to sign ${id}`, () => nextToSign(id));
  return (
    <Section title={t('Sign the events')}>
      <Show what={next}>
        {(waiting) =>
          waiting.length === 0 ? (
            <p class="notice">{t('Everything of this import is signed.')}</p>
          ) : (
            <Batch id={id} of={waiting} processType={processType} again={next.again} />
          )
        }
      </Show>
    </Section>
  );
}

function Batch({
  id,
  of: waiting,
  processType,
  again,
}: {
  readonly id: string;
  readonly of: readonly Waiting[];
  readonly processType: string | null;
  readonly again: () => void;
}) {
  const preparedTxs = waiting.map(({ event }) => event.preparedTx);
  const calls = waiting.flatMap(({ event }) => (event.hints?.preparedId ? [{ preparedTx: event.preparedTx, hints: event.hints }] : []));
  return (
    <>
      <p>
        {plural(waiting.length, 'You sign {count} event of {process}:', 'You sign {count} events of {process}:', {
          process: processType ?? 'EPCIS',
        })}
      </p>
      <Table
        caption={t('Events to sign')}
        rows={waiting.slice(0, 20)}
        keyOf={({ event }) => event.eventId}
        columns={[
          { name: t('Row'), number: true, show: ({ row }) => row },
          { name: t('New lot'), show: ({ event }) => event.outputTlc ?? '–' },
          { name: t('Warnings'), show: ({ event }) => event.warnings?.join(' ') || '–' },
        ]}
      />
      {waiting.length > 20 && <p class="hint">{plural(waiting.length - 20, 'and {count} more', 'and {count} more')}</p>}
      <Sign
        label={plural(waiting.length, 'Sign {count} event', 'Sign {count} events')}
        says={SAID_ABOVE}
        name={`import ${id}`}
        type="event"
        prepare={() => Promise.resolve({ preparedTx: preparedTxs[0]!, preparedTxs, ...(calls.length === waiting.length && { calls }) })}
        onLanded={again}
      />
    </>
  );
}
