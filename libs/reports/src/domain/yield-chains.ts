import { figure, ratio } from './figures.js';

/** What a process drew from lots that another one made. Kilograms. */
export interface Link {
  /** Process that made the lots; null where none of the period did. */
  readonly from: string | null;
  readonly to: string;
  readonly kg: number;
  /** Of kg: raw materials. */
  readonly rawKg: number;
}

export interface Made {
  readonly processType: string;
  readonly yield: number | null;
  readonly mainOutputKg: number;
  readonly coProductKg: number;
  /** Whether its main output is a finished good. */
  readonly finished: boolean;
}

export interface YieldChain {
  readonly from: string;
  readonly to: string;
  readonly route: readonly string[];
  /** Product of the yields along the route. */
  readonly rolledYield: number | null;
  /** The least that was handed on between two of its steps. */
  readonly throughKg: number;
}

export const MOST_CHAINS = 100;
const ROUNDS = 200;

/**
 * Routes from processes that draw from no other to processes that no other draws from, each process once a route. By beginning, end and
 * steps; the first hundred.
 */
export function yieldChains(made: readonly Made[], links: readonly Link[]): YieldChain[] {
  const yields = new Map(made.map((one) => [one.processType, one.yield]));
  const onward = new Map<string, Link[]>();
  const fed = new Set<string>();
  for (const link of links) {
    if (link.from === null || link.from === link.to || !yields.has(link.from)) continue;
    onward.set(
      link.from,
      [...(onward.get(link.from) ?? []), link].toSorted((a, b) => order(a.to, b.to)),
    );
    fed.add(link.to);
  }
  const chains: YieldChain[] = [];
  const walk = (route: readonly string[], throughKg: number): void => {
    if (chains.length >= MOST_CHAINS) return;
    const next = (onward.get(route.at(-1)!) ?? []).filter(({ to }) => !route.includes(to));
    for (const link of next) walk([...route, link.to], Math.min(throughKg, link.kg));
    if (next.length > 0 || route.length < 2) return;
    const rolledYield = route.reduce<number | null>((product, step) => times(product, yields.get(step) ?? null), 1);
    chains.push({ from: route[0]!, to: route.at(-1)!, route, rolledYield: figure(rolledYield), throughKg: figure(throughKg)! });
  };
  for (const start of [...onward.keys()].filter((process) => !fed.has(process)).toSorted(order)) walk([start], Number.POSITIVE_INFINITY);
  return chains;
}

/**
 * Σ finished goods / Σ raw materials in them, both in kg. Each process hands what it drew to its outputs by mass, as an average over the
 * period; rework goes round until it settles. Null where something was drawn that is no raw material and that no process of the period made.
 */
export function finishedPerRaw(made: readonly Made[], links: readonly Link[]): number | null {
  const byProcess = new Map(made.map((one) => [one.processType, one]));
  if (links.some(({ from, kg, rawKg }) => (from === null || !byProcess.has(from)) && kg > rawKg)) return null;
  const raw = new Map(made.map(({ processType }) => [processType, 0]));
  for (let round = 0; round < ROUNDS; round++)
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
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
