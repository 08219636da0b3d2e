import { createHash } from 'node:crypto';
import { type AlertType, SEVERITIES, type Severity } from './rule.js';
import { textsOf } from './catalogue.js';

interface AlertCount {
  readonly type: AlertType;
  readonly severity: Severity;
  readonly count: number;
}

/** Counts without names, codes or places: all that a language model may see. */
export interface AlertFigures {
  readonly total: number;
  readonly bySeverity: Readonly<Record<Severity, number>>;
  readonly byType: Readonly<Partial<Record<AlertType, number>>>;
  readonly healthScore: number;
}

/** The summary of alerts; types in alphabetical order, so that the same alerts give the same bytes. */
export function alertFigures(counts: readonly AlertCount[], activeLots: number): AlertFigures {
  const bySeverity = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])) as Record<Severity, number>;
  const byType: Partial<Record<AlertType, number>> = {};
  for (const { type, severity, count } of counts.toSorted((a, b) => (a.type < b.type ? -1 : 1))) {
    bySeverity[severity] += count;
    byType[type] = (byType[type] ?? 0) + count;
  }
  const total = Object.values(bySeverity).reduce((sum, count) => sum + count, 0);
  return { total, bySeverity, byType, healthScore: healthScore(bySeverity, activeLots) };
}

const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 8, high: 4, medium: 2, low: 1 };

/**
 * 100 × exp(−(8·critical + 4·high + 2·medium + low) / (10·max(1, √activeLots))), two decimals: 100 without alerts; the same alerts
 * weigh less in a larger stock (docs/spec/domain.md#alerts).
 */
export function healthScore(bySeverity: Readonly<Record<Severity, number>>, activeLots: number): number {
  const weight = Object.entries(WEIGHTS).reduce((sum, [severity, each]) => sum + each * bySeverity[severity as Severity], 0);
  return Math.round(100 * Math.exp(-weight / (10 * Math.max(1, Math.sqrt(activeLots)))) * 100) / 100;
}

/** Open alerts of one type and group: an asset type or a process by its name. */
export interface AlertGroup extends AlertCount {
  readonly group: string;
  readonly acknowledged: number;
  readonly earliest: Date;
}

/** A group with some of its alerts. */
interface ExampleGroup extends AlertGroup {
  /** The most severe first. */
  readonly alertIds: readonly string[];
}
interface Insight {
  readonly id: string;
  readonly severity: Severity;
  readonly headline: string;
  readonly narrative: string;
  readonly relatedAlertIds: readonly string[];
}

/** Insights of a report, and examples of an insight. */
const MAX_INSIGHTS = 20;
export const MAX_EXAMPLES = 20;

/** The groups for insights: severities of one type and group are merged; the twenty most severe remain. */
export function worstGroups(parts: readonly AlertGroup[]): readonly AlertGroup[] {
  const groups = new Map<string, AlertGroup>();
  for (const part of parts) {
    const key = `${part.type}|${part.group}`;
    const other = groups.get(key);
    groups.set(key, other ? merged(other, part) : part);
  }
  return [...groups.values()].toSorted(worstFirst).slice(0, MAX_INSIGHTS);
}

const merged = (a: AlertGroup, b: AlertGroup): AlertGroup => ({
  ...a,
  severity: rank(a.severity) < rank(b.severity) ? a.severity : b.severity,
  count: a.count + b.count,
  acknowledged: a.acknowledged + b.acknowledged,
  earliest: a.earliest < b.earliest ? a.earliest : b.earliest,
});

/** The most severe groups first. The same groups give the same text. */
export const insightsOf = (groups: readonly ExampleGroup[]): readonly Insight[] =>
  groups.toSorted(worstFirst).slice(0, MAX_INSIGHTS).map(insightOf);

function insightOf(group: ExampleGroup): Insight {
  const texts = textsOf(group.type);
  const open = group.count - group.acknowledged;
  const seen = group.count === 1 ? 'Open since' : 'The first is open since';
  return {
    id: createHash('sha256').update(`${group.type}|${group.group}`).digest('hex').slice(0, 16),
    severity: group.severity,
    headline: texts.headline(group.count, group.group),
    narrative: [
      `${seen} ${group.earliest.toISOString().slice(0, 10)}${open === 0 ? ', and all are acknowledged' : group.acknowledged > 0 ? `, and ${open} of ${group.count} are not acknowledged` : ''}.`,
      texts.recommendation,
      ...(texts.reference === null ? [] : [`Required by ${texts.reference}.`]),
    ].join(' '),
    relatedAlertIds: group.alertIds,
  };
}

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity);
const worstFirst = (a: AlertGroup, b: AlertGroup): number =>
  rank(a.severity) - rank(b.severity) || b.count - a.count || (a.type < b.type ? -1 : a.type > b.type ? 1 : a.group < b.group ? -1 : 1);
