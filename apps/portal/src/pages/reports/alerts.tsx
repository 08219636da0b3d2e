import { useState } from 'preact/hooks';
import type { AlertView, AlertsReportView } from '#client';
import { Action } from '../../parts/action';
import { Bars } from '../../parts/bars';
import { Empty, Facts, Link, LotLink, Section, Status, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { showNumber, showTime, words } from '../../state/format';
import { api, me } from '../../state/session';
import { Report } from './report';

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

export default function AlertsPage() {
  return (
    <Report
      operation="GET /api/v1/reports/alerts"
      about="What is wrong or soon will be, the gravest first, and what to do about it."
      filters={{
        severity: { label: 'How grave', of: SEVERITIES.map((one) => [one, words(one)]) },
        muted: { label: 'Silent ones', of: [['true', 'Show them too']], none: 'Leave them out' },
      }}
    >
      {(report, again) => <Alerts of={report} again={again} />}
    </Report>
  );
}

function Alerts({ of: { summary, alerts, insights }, again }: { readonly of: AlertsReportView; readonly again: () => void }) {
  return (
    <>
      <Section title="In all">
        <Facts
          of={[
            ['Health, of 100', showNumber(summary.healthScore)],
            ['Open alerts', showNumber(summary.total)],
            ['Taken note of', showNumber(summary.acknowledged)],
            ['Live lots', showNumber(summary.activeLots)],
            ['Last looked', showTime(summary.evaluatedAt)],
          ]}
        />
        {!summary.complete && <p class="notice">Not everything was looked at yet; there may be more.</p>}
        {summary.total > 0 && (
          <div class="charts">
            <Bars caption="By gravity" unit="" ordered values={{ ...summary.bySeverity }} />
            <Bars caption="By kind" unit="" values={summary.byType as Record<string, number>} />
          </div>
        )}
      </Section>
      {insights.length > 0 && (
        <Section title="What stands behind them">
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
      <Section title="Alerts">
        {alerts.length === 0 ? (
          <Empty>Nothing is wrong. Alerts appear here when something needs you.</Empty>
        ) : (
          <Table
            caption="Alerts"
            rows={alerts}
            keyOf={({ id }) => id}
            columns={[
              { name: 'How grave', show: ({ severity }) => <Status of={severity} /> },
              {
                name: 'What',
                show: ({ title, detail, reference }) => (
                  <div>
                    <strong>{title}</strong>
                    <div class="details hint">
                      {detail} {reference}
                    </div>
                  </div>
                ),
              },
              { name: 'Of', show: (alert) => <Subject of={alert} /> },
              { name: 'What to do', show: ({ recommendation }) => <div class="details">{recommendation}</div> },
              { name: 'Since', show: ({ firstSeenAt }) => showTime(firstSeenAt) },
              { name: 'Answer', show: (alert) => <Answer of={alert} onAnswered={again} /> },
            ]}
          />
        )}
      </Section>
    </>
  );
}

export function Subject({ of: { subject } }: { readonly of: AlertView }) {
  if (subject.tokenId) return <LotLink id={subject.tokenId}>{subject.tlc ?? subject.tokenId}</LotLink>;
  if (subject.kind === 'subscription') return <Link to={`/admin/webhooks/${subject.id}`}>Webhook</Link>;
  if (subject.kind === 'transaction') return <Link to="/transactions">Transaction</Link>;
  return <>{subject.tlc ?? words(subject.kind)}</>;
}

const ANSWERS = new Set(['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN']);
const DAY_MS = 86_400_000;
const SILENCES = [
  ['0', 'Keep showing it'],
  ['1', 'Silent for a day'],
  ['7', 'Silent for a week'],
  ['30', 'Silent for 30 days'],
] as const;

function Answer({ of, onAnswered }: { readonly of: AlertView; readonly onAnswered: () => void }) {
  const [note, setNote] = useState('');
  const [days, setDays] = useState('0');
  const path = { alertId: of.id };
  if (!me.value!.roles.some((role) => ANSWERS.has(role))) return <>{of.acknowledged ? 'Taken note of' : '–'}</>;
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
          Taken note of {showTime(of.acknowledged.at)}
          {of.acknowledged.note && `: ${of.acknowledged.note}`}
          {of.mutedUntil && `; silent until ${showTime(of.mutedUntil)}`}
        </p>
        <Action label="Take it back" run={() => api().call('DELETE /api/v1/reports/alerts/{alertId}/ack', { path }).then(onAnswered)} />
      </div>
    );
  return (
    <details>
      <summary>Answer</summary>
      <div class="stack">
        <Text label="Note" maxLength={500} value={note} onChange={setNote} />
        <Select label="And then" value={days} of={SILENCES} onChange={setDays} />
        <Action label="Take note" main run={acknowledge} />
      </div>
    </details>
  );
}
