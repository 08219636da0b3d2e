import { EnumField, IntegerField, JsonObjectField, NumberField, ObjectField, StringField, StringListField, BooleanField } from '#http';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type AlertFilter, type AlertState, Alerts, type StandingAlert, type StandingGroup } from '../../alerts.ports.js';
import { ALERT_TYPES, SEVERITIES } from '../../domain/alerts/alert.js';
import { figuresOf } from '../../domain/alerts/figures.js';
import { type AlertGroup, insightsOf, worstGroups } from '../../domain/alerts/insights.js';
import { type About, type Cell, type Outcome, Report, type Scope } from '../../ports.js';
import { AlertView, alertView } from '../http/alert.view.js';
import { REPORT_READERS } from './access.js';
import { flag, oneOf } from './parameters.js';

const MOST_EXAMPLES = 20;

class BySeverityView {
  @IntegerField({ description: 'Act now' })
  critical: number;

  @IntegerField({ description: 'Act today' })
  high: number;

  @IntegerField({ description: 'Look into it' })
  medium: number;

  @IntegerField({ description: 'Know it' })
  low: number;
}

class AlertsSummaryView {
  @IntegerField({ description: 'Alerts, muted ones left out' })
  total: number;

  @ObjectField(() => BySeverityView, { description: 'By how bad they are' })
  bySeverity: BySeverityView;

  @JsonObjectField({ description: 'Counts by `type`; a type without alerts is absent' })
  byType: object;

  @NumberField({ description: '100 without alerts; the same alerts weigh less in a larger stock' })
  healthScore: number;

  @IntegerField({ description: 'Active lots by which the score is weighed' })
  activeLots: number;

  @IntegerField({ description: 'Alerts that somebody took note of' })
  acknowledged: number;

  @StringField({ description: 'When facts were looked at last; null = not yet', format: 'date-time', nullable: true })
  evaluatedAt: string | null;

  @IntegerField({ description: 'Up to which block', nullable: true })
  evaluatedBlock: number | null;

  @BooleanField({ description: 'False while older facts are still to be looked at' })
  complete: boolean;
}

class InsightView {
  @StringField({ description: 'Stable' })
  id: string;

  @EnumField(SEVERITIES, { description: 'The worst of its alerts' })
  severity: string;

  @StringField({ description: 'What is wrong, over many alerts' })
  headline: string;

  @StringField({ description: 'Since when, and what to do' })
  narrative: string;

  @StringListField({ description: `Some of its alerts, the worst first; ${MOST_EXAMPLES} at most` })
  relatedAlertIds: readonly string[];
}

class NarrationView {
  @StringField({ description: 'Written by a language model from the counts alone' })
  text: string;

  @StringField({ description: 'Its name' })
  model: string;

  @StringField({ description: 'When', format: 'date-time' })
  writtenAt: string;
}

class EngineView {
  @EnumField(['rules'], { description: 'Alerts and insights come from rules' })
  kind: 'rules';

  @StringField({ description: 'Of the rules', example: '1' })
  version: string;

  @ObjectField(() => NarrationView, { description: 'Null where no model is asked, or of a part of the alerts', nullable: true })
  narration: NarrationView | null;
}

const COLUMN_WORDS: Readonly<Record<string, string>> = {
  id: 'Stable id of the alert',
  type: 'The rule',
  detectedAt: 'Since when it stands, this time',
  firstSeenAt: 'When it was seen for the first time',
};

/** domain-decisions §6.1: what rules found, read from where the rounds keep it. */
@Injectable()
export class AlertsReport extends Report<AlertView> {
  static readonly about: About = {
    name: 'alerts',
    title: 'What is wrong: alerts by rules, a health score, and what they come to in sentences',
    access: REPORT_READERS,
    parameters: [
      { name: 'severity', description: `Only these: ${SEVERITIES.join(', ')}`, maxLength: 20 },
      { name: 'type', description: 'Only those of one rule', maxLength: 40 },
      { name: 'muted', description: '`true`: those that are muted, instead of those that are not', maxLength: 5 },
    ],
    rows: 'alerts',
    rowView: () => AlertView,
    summaryView: () => AlertsSummaryView,
    beside: { insights: () => InsightView },
    alone: { engine: () => EngineView },
    columns: [
      'id',
      'type',
      'severity',
      'title',
      'detail',
      'subjectKind',
      'subjectId',
      'tokenId',
      'tlc',
      'detectedAt',
      'firstSeenAt',
      'resolvedAt',
    ]
      .concat(['acknowledgedAt', 'acknowledgedBy', 'mutedUntil', 'recommendation', 'reference'])
      .map((name) => ({ name, unit: null, description: COLUMN_WORDS[name] ?? 'As in JSON' })),
    place: [/^[0-3]$/, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, /^[0-9a-f]{16}$/],
  };

  constructor(private readonly alerts: Alerts) {
    super();
  }

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<AlertView>> {
    const filter = filterOf(scope);
    const [state, sums, found] = [
      await this.alerts.state(tx),
      await this.alerts.sums(tx, filter),
      await this.alerts.page(tx, filter, scope.after, scope.limit + 1),
    ];
    const activeLots = scope.organisation ? await this.alerts.activeLotsOf(tx, scope.organisation.wallets) : state.activeLots;
    const figures = figuresOf(sums, activeLots);
    const page = found.slice(0, scope.limit);
    return {
      summary: {
        ...figures,
        activeLots,
        acknowledged: sums.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
        evaluatedAt: state.evaluatedAt,
        evaluatedBlock: state.evaluatedBlock,
        complete: state.complete,
      },
      rows: page.map(alertView),
      total: figures.total,
      next: found.length > page.length ? placeOf(page.at(-1)!) : null,
      beside: { insights: await this.insights(tx, filter, sums), engine: engineOf(state, filter) },
    };
  }

  override lines({
    subject,
    acknowledged,
    evidence: _evidence,
    threshold: _threshold,
    ...alert
  }: AlertView): readonly Readonly<Record<string, Cell>>[] {
    const of = { subjectKind: subject.kind, subjectId: subject.id, tokenId: subject.tokenId, tlc: subject.tlc };
    return [{ ...alert, ...of, acknowledgedAt: acknowledged?.at ?? null, acknowledgedBy: acknowledged?.by ?? null }];
  }

  private async insights(tx: TenantTx, filter: AlertFilter, sums: readonly StandingGroup[]): Promise<readonly InsightView[]> {
    const groups = worstGroups(sums);
    const examples = groups.length === 0 ? [] : await this.alerts.examples(tx, filter, groups, MOST_EXAMPLES);
    return insightsOf(groups.map((group, i): AlertGroup => ({ ...group, alertIds: examples[i] ?? [] })));
  }
}

const placeOf = (alert: StandingAlert): readonly string[] => [
  String(SEVERITIES.indexOf(alert.severity)),
  alert.detectedAt.toISOString(),
  alert.id,
];

function filterOf({ from, to, organisation, processes, parameters, now }: Scope): AlertFilter {
  return {
    from,
    to,
    orgId: organisation?.orgId ?? null,
    processes,
    severity: oneOf(SEVERITIES, parameters['severity'], '/severity'),
    type: oneOf(ALERT_TYPES, parameters['type'], '/type'),
    muted: flag(parameters['muted'], '/muted'),
    now,
  };
}

/** The words of a model are about all of a tenant's alerts; beside a part of them they would be wrong. */
function engineOf(state: AlertState, filter: AlertFilter): EngineView {
  const { from, to, orgId, processes, severity, type, muted } = filter;
  const whole = !muted && [from, to, orgId, processes, severity, type].every((one) => one === null);
  const { narration: text, narratedBy: model, narratedAt: at } = state;
  return {
    kind: 'rules',
    version: '1',
    narration: whole && text !== null && model !== null && at !== null ? { text, model, writtenAt: at.toISOString() } : null,
  };
}
