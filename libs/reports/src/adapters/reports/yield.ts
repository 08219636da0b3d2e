import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Figure, figure } from '../../domain/figures.js';
import { type Link, type Made, MOST_CHAINS, finishedPerRaw, yieldChains } from '../../domain/yield-chains.js';
import { type About, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { eventFigures } from './event-figures.js';
import { pageAfter } from './page-after.js';
import { linksOf, newestOf, spreadsOf } from './yield.sql.js';
import { YieldChainView, type MonthView, type OutlierView, ProcessYieldView, YieldSummaryView } from './yield.views.js';

const about: About = {
  name: 'yield',
  title: 'Yield of each process: what came out of what went in, and what nobody explained',
  access: REPORT_READERS,
  kept: true,
  parameters: [],
  rows: 'processes',
  rowView: () => ProcessYieldView,
  summaryView: () => YieldSummaryView,
  beside: { chains: () => YieldChainView },
  columns: [
    { name: 'processType', unit: null, description: 'process' },
    { name: 'label', unit: null, description: 'what the map calls it' },
    { name: 'n', unit: '1', description: 'measured events' },
    { name: 'unmeasured', unit: '1', description: 'events with a lot that has no mass' },
    { name: 'inputKg', unit: 'kg', description: 'drawn from inputs' },
    { name: 'mainOutputKg', unit: 'kg', description: 'main output' },
    { name: 'coProductKg', unit: 'kg', description: 'co-products' },
    { name: 'declaredLossKg', unit: 'kg', description: 'losses that the events declared' },
    { name: 'gapKg', unit: 'kg', description: 'what nobody explained' },
    { name: 'yield', unit: 'ratio', description: 'main output / input' },
    { name: 'materialYield', unit: 'ratio', description: '(main output + co-products) / input' },
    { name: 'gapRatio', unit: 'ratio', description: 'gap / input' },
    ...['min', 'p10', 'median', 'p90', 'max', 'mean', 'sd'].map((name) => ({
      name: `yield_${name}`,
      unit: 'ratio',
      description: `${name} over the events`,
    })),
    { name: 'expectedMin', unit: 'ratio', description: 'least that the map expects' },
    { name: 'expectedMax', unit: 'ratio', description: 'most that the map expects' },
    { name: 'outlierCount', unit: '1', description: 'events outside' },
  ],
  place: [/^\d{1,9}$/],
};

/** domain-decisions §6.5. Sums come first and are divided then: a mean of ratios would weigh a handful like a shipload. */
@Injectable()
export class YieldReport extends Report<ProcessYieldView> {
  static readonly about = about;

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<ProcessYieldView>> {
    const figures = await eventFigures(tx, scope);
    const { days, draws, factParameters, dayParameters, asOf } = figures;
    const spreads = await tx.sql<Spread>(spreadsOf(days), dayParameters);
    const columns = [spreads.map(({ processType }) => processType), spreads.map(({ median }) => median), spreads.map(({ mad }) => mad)];
    const newest = await tx.sql<Newest>(newestOf(figures, factParameters.length), [...factParameters, ...columns]);
    const found = spreads.map((spread, i) => ({ ...spread, ...newest[i]! }));
    const drawn = await tx.sql<Link>(linksOf(draws, dayParameters.length), [
      ...dayParameters,
      scope.organisation?.orgId ?? null,
      scope.processes,
    ]);
    const rows = found.map(processOf);
    const made = rows.flatMap((row, i) => madeBy(row, found[i]!.finished));
    // What was made before the period has no yield in it.
    const links = drawn.map((link) => (made.some(({ processType }) => processType === link.from) ? link : { ...link, from: null }));
    const chains = yieldChains(made, links);
    const total = (of: (row: ProcessYieldView) => number): number => rows.reduce((all, row) => all + of(row), 0);
    return {
      summary: {
        processes: rows.length,
        n: total(({ n }) => n),
        unmeasured: total(({ unmeasured }) => unmeasured),
        outlierCount: total(({ outlierCount }) => outlierCount),
        finishedPerRaw: finishedPerRaw(made, links),
        chainsTruncated: chains.length === MOST_CHAINS,
      },
      beside: { chains },
      ...pageAfter(rows, scope),
      ...(asOf && { asOf }),
    };
  }

  override lines({ distribution, expected, outliers: _, byMonth: __, ...row }: ProcessYieldView) {
    const spread = Object.fromEntries(Object.entries(distribution).map(([name, value]) => [`yield_${name}`, value as number | null]));
    return [{ ...row, ...spread, expectedMin: expected?.min, expectedMax: expected?.max }];
  }
}

interface Spread {
  readonly processType: string | null;
  readonly n: string;
  readonly unmeasured: string;
  readonly sums: readonly Figure[];
  readonly ratios: readonly Figure[];
  readonly spread: readonly Figure[];
  readonly median: number | null;
  readonly mad: number | null;
  readonly outlierCount: string;
  readonly byMonth: readonly MonthView[] | null;
}

interface Newest {
  readonly finished: boolean;
  readonly label: string | null;
  readonly expected: readonly Figure[];
  readonly outliers: readonly OutlierView[] | null;
}

const madeBy = ({ processType, inputKg, mainOutputKg, coProductKg }: ProcessYieldView, finished: boolean): Made[] =>
  processType === null ? [] : [{ processType, yield: inputKg > 0 ? mainOutputKg / inputKg : null, mainOutputKg, coProductKg, finished }];

function processOf(row: Spread & Newest): ProcessYieldView {
  const [inputKg, mainOutputKg, coProductKg, declaredLossKg, gapKg] = row.sums.map((one) => figure(one) ?? 0);
  const [overall, materialYield, gapRatio] = row.ratios.map(figure);
  const [min, p10, median, p90, max, mean, sd] = row.spread.map(figure);
  const [least, most] = row.expected.map(figure);
  return {
    processType: row.processType,
    label: row.label,
    n: Number(row.n),
    unmeasured: Number(row.unmeasured),
    inputKg: inputKg!,
    mainOutputKg: mainOutputKg!,
    coProductKg: coProductKg!,
    declaredLossKg: declaredLossKg!,
    gapKg: gapKg!,
    yield: overall!,
    materialYield: materialYield!,
    gapRatio: gapRatio!,
    distribution: { min: min!, p10: p10!, median: median!, p90: p90!, max: max!, mean: mean!, sd: sd! },
    expected: least == null || most == null ? null : { min: least, max: most },
    outlierCount: Number(row.outlierCount),
    outliers: row.outliers ?? [],
    byMonth: row.byMonth ?? [],
  };
}
