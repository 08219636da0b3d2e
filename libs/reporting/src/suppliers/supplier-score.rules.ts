import { figure } from '../reports/report.js';

/** The metrics in the score, with their weights (docs/spec/domain.md#suppliers). */
export const WEIGHTS = {
  kdeCompleteness: 0.25,
  recordingOnTime: 0.2,
  acceptanceRate: 0.15,
  onTimeAcceptance: 0.1,
  pointerMatch: 0.1,
  documentCoverage: 0.05,
  massBalanceConformity: 0.1,
  recallRate: 0.05,
} as const;
export type Scored = keyof typeof WEIGHTS;

/** A value from 0 to 1 and the number of its observations. */
export interface Observations {
  readonly value: number | null;
  readonly n: number;
}

/** A metric with fewer observations is left out. */
const ENOUGH = 5;

/** Of the weights, which are 1 in all: a score of less would be one metric's. */
const HALF = 0.5;

/** Why an organisation has no grade. */
export const UNGRADED = {
  nothing_supplied: 'it transferred nothing to another organisation',
  too_few_observations: 'metrics with at least five observations carry less than half of the weight',
} as const;

export interface Score {
  readonly score: number | null;
  readonly grade: string | null;
  readonly gradeReason: keyof typeof UNGRADED | null;
}

/**
 * 100 × Σ w·m / Σ w over the metrics with enough observations. Recalls count twentyfold and negatively.
 * @param supplied transfers to other organisations
 */
export function supplierScore(metrics: Readonly<Record<Scored, Observations>>, supplied: number): Score {
  let [sum, weights] = [0, 0];
  for (const [name, weight] of Object.entries(WEIGHTS) as [Scored, number][]) {
    const { value, n } = metrics[name];
    if (value === null || n < ENOUGH) continue;
    sum += weight * (name === 'recallRate' ? 1 - Math.min(1, 20 * value) : value);
    weights += weight;
  }
  if (supplied === 0) return { score: null, grade: null, gradeReason: 'nothing_supplied' };
  // A rounding error of the sum is no missing metric.
  if (weights < HALF - 1e-9) return { score: null, grade: null, gradeReason: 'too_few_observations' };
  const score = figure((100 * sum) / weights)!;
  return { score, grade: gradeOf(score), gradeReason: null };
}

const gradeOf = (score: number): string => (score >= 90 ? 'A' : score >= 75 ? 'B' : score >= 60 ? 'C' : 'D');
