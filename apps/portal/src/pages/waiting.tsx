import { ApiProblem } from '#client';
import { Action } from '../parts/action';
import { Empty, Section } from '../parts/basics';
import { explain } from '../parts/problem';
import { SAID_ABOVE, Sign } from '../parts/sign';
import { showTime } from '../state/format';
import { keep } from '../state/kept';
import { useLine } from '../state/line';
import { go } from '../state/router';
import type { WaitingRecord } from '../waiting/store';
import { change, forget, isRecorded, prepareWaiting, waiting } from '../waiting/waiting';
import { t } from '../state/language';

/** Records that were made without a line, until they are on the chain. */
export default function WaitingPage() {
  const records = waiting();
  const isOnline = useLine(records.length > 0);
  return (
    <>
      <h1>{t('Waiting to be sent')}</h1>
      {records.length === 0 ? (
        <Empty>{t('Nothing waits on this device.')}</Empty>
      ) : (
        <p class="lead" role="status">
          {t(
            isOnline
              ? 'The service answers. Each record is sent once.'
              : 'The service does not answer. The records are safe on this device.',
          )}
        </p>
      )}
      {records.map((record, index) => (
        // One after the other: transactions of one wallet have an order.
        <WaitingOne
          key={record.id}
          record={record}
          isOnline={isOnline}
          isFirst={records.findIndex(({ refusal }) => refusal === null) === index}
        />
      ))}
    </>
  );
}

function WaitingOne({
  record,
  isOnline,
  isFirst,
}: {
  readonly record: WaitingRecord;
  readonly isOnline: boolean;
  readonly isFirst: boolean;
}) {
  const onRefused = async (problem: unknown): Promise<void> => {
    if (await isRecorded(record).catch(() => false)) return forget(record);
    if (problem instanceof ApiProblem && problem.status < 500 && problem.status !== 401 && problem.status !== 429)
      await change(record, { refusal: explain(problem).words });
  };
  return (
    <Section title={record.title} aside={<span class="hint">{showTime(record.savedAt)}</span>}>
      <div class="stack">
        {record.sentences.map((sentence) => (
          <p key={sentence} class="said">
            {sentence}
          </p>
        ))}
        {record.isUnseen && <p class="notice">{t('Recorded on this device while nobody was signed in. Check it before you send it.')}</p>}
        {record.files.length > 0 && <p class="hint">{record.files.map(({ name }) => name).join(', ')}</p>}
        {record.refusal !== null && <p class="problem">{record.refusal}</p>}
        <div class="actions">
          {isOnline && (
            <Sign
              label={t('Sign and send')}
              type={record.processType.slice(0, 64)}
              says={SAID_ABOVE}
              name={`waiting ${record.id}`}
              keeping="device"
              auto={isFirst && record.refusal === null && !record.isUnseen}
              prepare={() => prepareWaiting(record)}
              onLanded={() => void forget(record)}
              onRefused={(problem) => void onRefused(problem)}
            />
          )}
          <button
            type="button"
            onClick={() => {
              keep(`draft.record ${record.processType}`, record.draft, 'device');
              void forget(record).then(() => go(`/record?process=${encodeURIComponent(record.processType)}`));
            }}
          >
            {t('Correct it')}
          </button>
          <Action label={t('Delete')} sure={t('It is on this device only, and will not be recorded.')} run={() => forget(record)} />
        </div>
      </div>
    </Section>
  );
}
