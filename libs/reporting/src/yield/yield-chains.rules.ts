import { figure, ratio } from '../reports/report.js';

/** What one process used of the output of another. Kilograms. */
export interface Link {
  /** Process that made the lots; null if none of the period did. */
  readonly from: string | null;
  readonly to: string;
  readonly kg: number;
  /** Part of kg that is raw material. */
  readonly rawKg: number;
}

export interface ProcessOutput {
  readonly processType: string;
  readonly yield: number | null;
  readonly mainOutputKg: number;
  readonly coProductKg: number;
  /** Whether its main output is a finished good. */
  readonly finished: boolean;
}

interface YieldChain {
  readonly from: string;
  readonly to: string;
  readonly route: readonly string[];
  /** Product of the yields along the route. */
  readonly rolledYield: number | null;
  /** The smallest amount between two consecutive processes. */
  readonly throughKg: number;
}

/** More outliers of a process are counted, but not listed. */
export const MAX_OUTLIERS = 100;
export const MAX_CHAINS = 100;
const ITERATIONS = 200;

/**
 * Routes from processes without a predecessor to processes without a successor; a process is at most once on a route. Sorted by beginning,
 * end and route; the first hundred.
 */
export function yieldChains(made: readonly ProcessOutput[], links: readonly Link[]): YieldChain[] {
  const yields = new Map(made.map((one) => [one.processType, one.yield]));
  const onward = new Map<string, Link[]>();
  const fed = new Set<string>();
  for (const link of links) {
    if (link.from === null || link.from === link.to || !yields.has(link.from)) continue;
    onward.set(
      link.from,
      [...(onward.get(link.from) ?? []), link].toSorted((a, b) => compare(a.to, b.to)),
    );
    fed.add(link.to);
  }
  const chains: YieldChain[] = [];
  const walk = (route: readonly string[], throughKg: number): void => {
    if (chains.length >= MAX_CHAINS) return;
    const next = (onward.get(route.at(-1)!) ?? []).filter(({ to }) => !route.includes(to));
    for (const link of next) walk([...route, link.to], Math.min(throughKg, link.kg));
    if (next.length > 0 || route.length < 2) return;
    const rolledYield = route.reduce<number | null>((product, process) => times(product, yields.get(process) ?? null), 1);
    chains.push({ from: route[0]!, to: route.at(-1)!, route, rolledYield: figure(rolledYield), throughKg: figure(throughKg)! });
  };
  for (const start of [...onward.keys()].filter((process) => !fed.has(process)).toSorted(compare)) walk([start], Number.POSITIVE_INFINITY);
  return chains;
}

/**
 * Σ finished goods / Σ raw materials in them, both in kg. Each process assigns its inputs to its outputs by mass, as an average over the
 * period; rework is iterated until it converges. Null if an input is no raw material and no process of the period made it.
 */
export function finishedPerRaw(made: readonly ProcessOutput[], links: readonly Link[]): number | null {
  const byProcess = new Map(made.map((one) => [one.processType, one]));
  if (links.some(({ from, kg, rawKg }) => (from === null || !byProcess.has(from)) && kg > rawKg)) return null;
  const raw = new Map(made.map(({ processType }) => [processType, 0]));
  for (let i = 0; i < ITERATIONS; i++)
    for (const { processType, mainOutputKg, coProductKg } of made) {
      const drawn = links.filter(({ to }) => to === processType);
      const rawKg = drawn.reduce((sum, link) => sum + (link.from === null ? link.rawKg : link.kg * raw.get(link.from)!), 0);
      if (mainOutputKg + coProductKg > 0) raw.set(processType, rawKg / (mainOutputKg + coProductKg));
    }
  const finished = made.filter((one) => one.finished);
  const kilograms = finished.reduce((sum, one) => sum + one.mainOutputKg, 0);
  return ratio(
    kilograms,
    finished.reduce((sum, one) => sum + one.mainOutputKg * raw.get(one.processType)!, 0),
  );
}

const times = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
