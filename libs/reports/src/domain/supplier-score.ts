import { figure } from './figures.js';

/** Metrics that count towards the score, with their weights (domain-decisions §6.4). */
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

/** A value 0 to 1, and of how many observations it is. */
export interface Observed {
  readonly value: number | null;
  readonly n: number;
}

/** Fewer observations say nothing about a supplier. */
const ENOUGH = 5;

/** 100 × Σ w·m / Σ w over the metrics with enough observations; null where none has. Recalls count twentyfold, the other way round. */
export function supplierScore(metrics: Readonly<Record<Scored, Observed>>): {
  readonly score: number | null;
  readonly grade: string | null;
} {
  let [sum, weights] = [0, 0];
  for (const [name, weight] of Object.entries(WEIGHTS) as [Scored, number][]) {
    const { value, n } = metrics[name];
    if (value === null || n < ENOUGH) continue;
    sum += weight * (name === 'recallRate' ? 1 - Math.min(1, 20 * value) : value);
    weights += weight;
  }
  const score = weights === 0 ? null : figure((100 * sum) / weights);
  return { score, grade: gradeOf(score) };
}

const gradeOf = (score: number | null): string | null =>
  score === null ? null : score >= 90 ? 'A' : score >= 75 ? 'B' : score >= 60 ? 'C' : 'D';
