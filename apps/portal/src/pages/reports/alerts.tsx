import { useState } from 'preact/hooks';
import type { AlertView, AlertsReportView } from '#client';
import { Action } from '../../parts/action';
import { Bars } from '../../parts/bars';
import { Empty, Facts, Link, LotLink, Section, Status, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { showNumber, showTime, words } from '../../state/format';
import { administersAll, coversEveryProcess } from '../../state/rights';
import { api, me } from '../../state/session';
import { alertTitle, recommendationInWords } from './alert-words';
import { Report } from './report';
import { phrase, t } from '../../state/language';

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

export default function AlertsPage() {
  return (
    <Report
      operation="GET /api/v1/reports/alerts"
      about={t('Problems and upcoming deadlines, most severe first, with recommendations.')}
      filters={{
        severity: { label: t('Severity'), of: SEVERITIES.map((one) => [one, words(one)]) },
        muted: { label: t('Muted alerts'), of: [['true', t('Show')]], none: t('Hide') },
      }}
    >
      {(report, again) => <Alerts of={report} again={again} />}
    </Report>
  );
}

function Alerts({ of: { summary, alerts, insights }, again }: { readonly of: AlertsReportView; readonly again: () => void }) {
  return (
    <>
      <Section title={t('Summary')}>
        <Facts
          of={[
            [t('Health, of 100'), showNumber(summary.healthScore)],
            [t('Open alerts'), showNumber(summary.total)],
            [t('Acknowledged'), showNumber(summary.acknowledged)],
            [t('Active lots'), showNumber(summary.activeLots)],
            [t('Last evaluated'), showTime(summary.evaluatedAt)],
          ]}
        />
        {!summary.complete && <p class="notice">{t('The evaluation is not complete yet; there may be more alerts.')}</p>}
        {summary.total > 0 && (
          <div class="charts">
            <Bars caption={t('By severity')} unit="" ordered values={{ ...summary.bySeverity }} />
            <Bars caption={t('By type')} unit="" values={summary.byType as Record<string, number>} />
          </div>
        )}
      </Section>
      {insights.length > 0 && (
        <Section title={t('Insights')}>
          <dl class="facts">
            {insights.map(({ id, severity, headline, narrative }) => (
              <div key={id}>
                <dt>
                  <Status of={severity} /> {headline}
                </dt>
                <dd>{narrative}</dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
      <Section title={t('Alerts')}>
        {alerts.length === 0 ? (
          <Empty>{t('No open alerts')}</Empty>
        ) : (
          <Table
            caption={t('Alerts')}
            rows={alerts}
            keyOf={({ id }) => id}
            columns={[
              { name: t('Severity'), show: ({ severity }) => <Status of={severity} /> },
              {
                name: t('Alert'),
                show: ({ title, detail, reference }) => (
                  <div>
                    <strong>{alertTitle(title)}</strong>
                    <div class="details hint" lang="en">
                      {detail} {reference}
                    </div>
                  </div>
                ),
              },
              { name: t('Subject'), show: (alert) => <Subject of={alert} /> },
              {
                name: t('Recommendation'),
                show: ({ recommendation }) => <div class="details">{recommendationInWords(recommendation)}</div>,
              },
              { name: t('Since'), show: ({ firstSeenAt }) => showTime(firstSeenAt) },
              { name: t('Actions'), show: (alert) => <Answer of={alert} onAnswered={again} /> },
            ]}
          />
        )}
      </Section>
    </>
  );
}

export function Subject({ of: { subject } }: { readonly of: AlertView }) {
  if (subject.tokenId) return <LotLink id={subject.tokenId}>{subject.tlc ?? subject.tokenId}</LotLink>;
  if (subject.kind === 'subscription' && administersAll.value) return <Link to={`/admin/webhooks/${subject.id}`}>{t('Webhook')}</Link>;
  if (subject.kind === 'transaction') return <Link to="/transactions">{t('Transaction')}</Link>;
  if (subject.kind === 'event') return <Link to={`/events/${subject.id}`}>{subject.tlc ?? t('Event')}</Link>;
  return <>{subject.tlc ?? words(subject.kind)}</>;
}

/** Who reads the alerts of the whole tenant answers them with a role for every process; an ADMIN those of the own organisation. */
function mayAnswer(): boolean {
  const { roles } = me.value!;
  const readsAll = (['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] as const).some((role) => roles.includes(role));
  return readsAll ? coversEveryProcess('COMPLIANCE', 'TENANT_ADMIN') : roles.includes('ADMIN');
}

const DAY_MS = 86_400_000;
const SILENCES = [
  ['0', phrase('Keep showing')],
  ['1', phrase('Mute for a day')],
  ['7', phrase('Mute for a week')],
  ['30', phrase('Mute for 30 days')],
] as const;

function Answer({ of, onAnswered }: { readonly of: AlertView; readonly onAnswered: () => void }) {
  const [note, setNote] = useState('');
  const [days, setDays] = useState('0');
  const path = { alertId: of.id };
  if (!mayAnswer()) return <>{of.acknowledged ? t('Acknowledged') : '–'}</>;
  const acknowledge = async (): Promise<void> => {
    const muteUntil = days !== '0' && { muteUntil: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
    await api().call('POST /api/v1/reports/alerts/{alertId}/ack', {
      path,
      body: { ...(note.trim() && { note: note.trim() }), ...muteUntil },
    });
    onAnswered();
  };
  if (of.acknowledged)
    return (
      <div>
        <p class="hint">
          {t('Acknowledged {time}', { time: showTime(of.acknowledged.at) })}
          {of.acknowledged.note && `: ${of.acknowledged.note}`}
          {of.mutedUntil && `; ${t('muted until {time}', { time: showTime(of.mutedUntil) })}`}
        </p>
        <Action label={t('Undo')} run={() => api().call('DELETE /api/v1/reports/alerts/{alertId}/ack', { path }).then(onAnswered)} />
      </div>
    );
  return (
    <details>
      <summary>{t('Answer')}</summary>
      <div class="stack">
        <Text label={t('Note')} maxLength={500} value={note} onChange={setNote} />
        <Select label={t('Mute')} value={days} of={SILENCES} onChange={setDays} />
        <Action label={t('Acknowledge')} main run={acknowledge} />
      </div>
    </details>
  );
}
