import './acting.css';
import { useState } from 'preact/hooks';
import type { DrillView, RecallView } from '#client';
import { Form } from '../parts/action';
import { Empty, Field, Link, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { showNumber, showTime } from '../state/format';
import { classOf, recallState } from '../state/recall-words';
import { useList } from '../state/list';
import { More } from '../parts/more';
import { FindLot } from './recall/search';
import { go } from '../state/router';
import { api, me } from '../state/session';
import { plural, t } from '../state/language';

const ROWS = 50;
const MANY = 3;

/** Recalls and mock recalls (drills). A drill changes nothing; its report is kept. */
export default function RecallsPage() {
  return (
    <>
      <h1>{t('Recalls')}</h1>
      <FindLot />
      <Recalls />
      <Drills />
    </>
  );
}

function Recalls() {
  const recalls = useList<RecallView>(`/api/v1/recalls?limit=${ROWS}`);
  return (
    <Section title={t('Recalls')}>
      <Show what={recalls}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('No recalls. Find the goods above to start one.')}</Empty>
          ) : (
            <>
              <Table
                caption={t('Recalls, newest first')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: t('When'), show: ({ id, recalledAt }) => <Link to={`/recalls/${id}`}>{showTime(recalledAt)}</Link> },
                  {
                    name: t('Lots'),
                    show: ({ lots }) => (
                      <>
                        {lots.slice(0, MANY).map(({ tokenId, tlc }) => (
                          <span key={tokenId}>
                            <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink>{' '}
                          </span>
                        ))}
                        {lots.length > MANY && plural(lots.length - MANY, 'and {count} more', 'and {count} more')}
                      </>
                    ),
                  },
                  { name: t('Reason'), show: ({ reason }) => reason ?? '–' },
                  { name: t('Class'), show: ({ recallClass }) => classOf(recallClass) ?? '–' },
                  { name: t('Affected'), number: true, show: ({ affectedCount }) => showNumber(affectedCount) },
                  { name: t('Answered'), number: true, show: ({ acknowledgedCount }) => showNumber(acknowledgedCount) },
                  { name: t('Status'), show: ({ open }) => <Status of={recallState(open)} /> },
                ]}
              />
              <More of={recalls} />
            </>
          )
        }
      </Show>
    </Section>
  );
}

function Drills() {
  const drills = useList<DrillView>(`/api/v1/recall/drills?limit=${ROWS}`);
  const mayRun = me.value!.roles.some((role) => role === 'COMPLIANCE' || role === 'TENANT_ADMIN');
  return (
    <Section title={t('Drills')}>
      <p class="hint">
        {t(
          'A drill (mock recall) follows a lot back to its origins and forward to its products, as a recall would, and reports how complete the result is. It changes nothing.',
        )}
      </p>
      {mayRun && <RunDrill />}
      <Show what={drills}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{mayRun ? t('No drills yet.') : t('No drills yet. Administrators and compliance users can run them.')}</Empty>
          ) : (
            <>
              <Table
                caption={t('Drills, newest first')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: t('When'), show: ({ id, startedAt }) => <Link to={`/recalls/drills/${id}`}>{showTime(startedAt)}</Link> },
                  { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
                  { name: t('Chosen'), show: ({ drawn }) => (drawn ? t('At random') : t('By code')) },
                  { name: t('Score'), number: true, show: ({ score }) => `${showNumber(score)} of 100` },
                ]}
              />
              <More of={drills} />
            </>
          )
        }
      </Show>
    </Section>
  );
}

function RunDrill() {
  const [code, setCode] = useState('');
  const [ask, setAsk] = useState(false);
  const run = async (): Promise<void> => {
    // A code as people write it on labels; the service wants the lot's number.
    const lot = code.trim() === '' ? null : await api().lots.byTlc(code.trim());
    const { id } = await api().post<DrillView>('/api/v1/recall/drills', { ask, ...(lot !== null && { tokenId: lot.tokenId }) });
    go(`/recalls/drills/${id}`);
  };
  return (
    <Form label={t('Run a drill')} send={run}>
      <Field label={t('Lot code')} hint={t('Leave empty to choose a lot at random')}>
        <input value={code} spellcheck={false} onInput={({ currentTarget }) => setCode(currentTarget.value)} />
      </Field>
      <label class="check">
        <input type="checkbox" checked={ask} onChange={({ currentTarget }) => setAsk(currentTarget.checked)} />
        {t('Ask the holders to answer, as in a recall, and time them')}
      </label>
    </Form>
  );
}
