import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Report } from '../reports/read-report.js';
import { type ReportDefinition, textColumn } from '../reports/report.controller.js';
import type { ReportPage, ReportScope } from '../reports/report.js';
import { AlertView, AlertsSummaryView, EngineView, InsightView, alertView } from './alerts.dto.js';
import { type AlertFilter, AlertQueries, type EvaluationState, type StoredAlert } from './alerts.queries.js';
import { ALERT_TYPES, type AlertType, SEVERITIES, type Severity } from './rules/rule.js';
import { type AlertGroup, MAX_EXAMPLES, alertFigures, insightsOf, worstGroups } from './rules/insights.rules.js';

/** docs/spec/domain.md#alerts: the stored alerts of the last evaluation. */
@Injectable()
class ReadAlerts extends Report<StoredAlert> {
  static readonly key = { name: 'alerts' } as const;

  constructor(private readonly alerts: AlertQueries) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<StoredAlert>> {
    const filter = filterOf(scope);
    const state = await this.alerts.state(tx);
    const groups = await this.alerts.groups(tx, filter);
    const found = await this.alerts.page(tx, filter, scope.after, scope.limit + 1);
    const activeLots = scope.organisation ? await this.alerts.activeLotsOf(tx, scope.organisation.wallets) : state.activeLots;
    const figures = alertFigures(groups, activeLots);
    const page = found.slice(0, scope.limit);
    return {
      summary: {
        ...figures,
        activeLots,
        acknowledged: groups.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
        evaluatedAt: state.evaluatedAt,
        evaluatedBlock: state.evaluatedBlock,
        complete: state.complete,
      },
      rows: page,
      total: figures.total,
      next: found.length > page.length ? placeOf(page.at(-1)!) : null,
      extra: { insights: await this.insights(tx, filter, groups), engine: engineOf(state, filter) },
    };
  }

  private async insights(tx: TenantTx, filter: AlertFilter, parts: readonly AlertGroup[]) {
    const groups = worstGroups(parts);
    const examples = groups.length === 0 ? [] : await this.alerts.examples(tx, filter, groups, MAX_EXAMPLES);
    return insightsOf(groups.map((group, i) => ({ ...group, alertIds: examples[i] ?? [] })));
  }
}

const placeOf = (alert: StoredAlert): readonly string[] => [
  String(SEVERITIES.indexOf(alert.severity)),
  alert.detectedAt.toISOString(),
  alert.id,
];

const filterOf = ({ from, to, organisation, processes, parameters, now }: ReportScope): AlertFilter => ({
  from,
  to,
  orgId: organisation?.orgId ?? null,
  processes,
  severity: (parameters['severity'] as Severity | undefined) ?? null,
  type: (parameters['type'] as AlertType | undefined) ?? null,
  muted: parameters['muted'] === 'true',
  now,
});

/** The narration is about all alerts of a tenant, so it is left out for a part of them. */
function engineOf(state: EvaluationState, filter: AlertFilter): EngineView {
  const { from, to, orgId, processes, severity, type, muted } = filter;
  const all = !muted && [from, to, orgId, processes, severity, type].every((one) => one === null);
  const { narration: text, narratedBy: model, narratedAt: at } = state;
  return {
    kind: 'rules',
    version: '1',
    narration: all && text !== null && model !== null && at !== null ? { text, model, writtenAt: at.toISOString() } : null,
  };
}

export const alertsReport: ReportDefinition<StoredAlert> = {
  report: ReadAlerts,
  title: 'Alerts by rules, a health score, and insights',
  parameters: [
    { name: 'severity', description: `Only alerts with this severity: ${SEVERITIES.join(', ')}`, maxLength: 20, values: SEVERITIES },
    { name: 'type', description: 'Only alerts of this rule', maxLength: 40, values: ALERT_TYPES },
    { name: 'muted', description: '`true`: muted alerts instead of those that are not muted', maxLength: 5, values: ['true', 'false'] },
  ],
  rows: 'alerts',
  rowView: AlertView,
  summaryView: AlertsSummaryView,
  lists: { insights: InsightView },
  objects: { engine: EngineView },
  viewOf: alertView,
  columns: [
    textColumn('id', 'stable id of the alert'),
    textColumn('type', 'rule'),
    textColumn('severity', SEVERITIES.join(', ')),
    textColumn('title', 'the problem in one line'),
    textColumn('detail', 'the problem with its figures'),
    textColumn('subjectKind', 'kind of the subject'),
    textColumn('subjectId', 'token id of a lot, else the id of the subject'),
    textColumn('tokenId', 'token id of the lot'),
    textColumn('tlc', 'code of the lot'),
    textColumn('detectedAt', 'open since'),
    textColumn('firstSeenAt', 'first detection'),
    textColumn('resolvedAt', 'time of the resolution'),
    textColumn('acknowledgedAt', 'time of the acknowledgement'),
    textColumn('acknowledgedBy', 'user or API key'),
    textColumn('mutedUntil', 'muted until'),
    textColumn('recommendation', 'what to do'),
    textColumn('reference', 'the regulation or standard behind the rule'),
  ],
  cursor: [/^[0-3]$/, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, /^[0-9a-f]{16}$/],
  lines: (alert) => {
    const { evidence: _evidence, threshold: _threshold, subject, acknowledged, ...view } = alertView(alert);
    const columns = { subjectKind: subject.kind, subjectId: subject.id, tokenId: subject.tokenId, tlc: subject.tlc };
    return [{ ...view, ...columns, acknowledgedAt: acknowledged?.at ?? null, acknowledgedBy: acknowledged?.by ?? null }];
  },
};
