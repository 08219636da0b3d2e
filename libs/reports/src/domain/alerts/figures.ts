import { type AlertType, SEVERITIES, type Severity } from './alert.js';
import { healthScore } from './health-score.js';

interface Sum {
  readonly type: AlertType;
  readonly severity: Severity;
  readonly count: number;
}

export interface AlertSums {
  readonly total: number;
  readonly bySeverity: Readonly<Record<Severity, number>>;
  readonly byType: Readonly<Partial<Record<AlertType, number>>>;
  readonly healthScore: number;
}

/** The summary of alerts; types in alphabetical order, so that the same alerts give the same bytes. */
export function figuresOf(sums: readonly Sum[], activeLots: number): AlertSums {
  const bySeverity = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])) as Record<Severity, number>;
  const byType: Partial<Record<AlertType, number>> = {};
  for (const { type, severity, count } of sums.toSorted((a, b) => (a.type < b.type ? -1 : 1))) {
    bySeverity[severity] += count;
    byType[type] = (byType[type] ?? 0) + count;
  }
  const total = Object.values(bySeverity).reduce((sum, count) => sum + count, 0);
  return { total, bySeverity, byType, healthScore: healthScore(bySeverity, activeLots) };
}
