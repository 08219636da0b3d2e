import type { Severity } from './alert.js';

const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 8, high: 4, medium: 2, low: 1 };

/**
 * 100 × exp(−(8·critical + 4·high + 2·medium + low) / (10·max(1, √activeLots))), two decimals: a hundred without alerts, and the same
 * few alerts weigh less in a larger stock (domain-decisions §6.1).
 */
export function healthScore(bySeverity: Readonly<Record<Severity, number>>, activeLots: number): number {
  const burden = Object.entries(WEIGHTS).reduce((sum, [severity, weight]) => sum + weight * bySeverity[severity as Severity], 0);
  return Math.round(100 * Math.exp(-burden / (10 * Math.max(1, Math.sqrt(activeLots)))) * 100) / 100;
}
