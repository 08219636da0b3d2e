import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type ReportPage, type ReportScope, figure, pageOf } from '../reports/report.js';
import { Report } from '../reports/read-report.js';
import { type Column, type ReportDefinition, textColumn } from '../reports/report.controller.js';
import { MAX_CHAINS, type ProcessOutput, finishedPerRaw, yieldChains } from './yield-chains.rules.js';
import { ProcessYieldView, YieldChainView, YieldFlowView, YieldSummaryView } from './yield.dto.js';
import { type ProcessRow, YieldQueries } from './yield.queries.js';

/** docs/spec/domain.md#yield. Sums are divided, ratios are not averaged: a mean of ratios would weigh a handful like a shipload. */
@Injectable()
class ReadYield extends Report<ProcessYieldView> {
  static readonly key = { name: 'yield', cached: true, lasting: true } as const;

  constructor(private readonly yields: YieldQueries) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<ProcessYieldView>> {
    const { processes, links: drawn, asOf } = await this.yields.read(tx, scope);
    const rows = processes.map(processOf);
    const made = rows.flatMap((row, i) => outputsOf(row, processes[i]!.finished));
    // Lots that were made before the period have no yield in it.
    const links = drawn.map((link) => (made.some(({ processType }) => processType === link.from) ? link : { ...link, from: null }));
    const chains = yieldChains(made, links);
    const total = (value: (row: ProcessYieldView) => number): number => rows.reduce((sum, row) => sum + value(row), 0);
    return {
      summary: {
        processes: rows.length,
        n: total(({ n }) => n),
        unmeasured: total(({ unmeasured }) => unmeasured),
        outlierCount: total(({ outlierCount }) => outlierCount),
        finishedPerRaw: finishedPerRaw(made, links),
        chainsTruncated: chains.length === MAX_CHAINS,
      },
      extra: { chains, flows: drawn.map(({ from, to, kg }) => ({ from, to, kg: figure(kg) ?? 0 })) },
      ...pageOf(rows, scope),
      ...(asOf && { asOf }),
    };
  }
}

const outputsOf = ({ processType, inputKg, mainOutputKg, coProductKg }: ProcessYieldView, finished: boolean): ProcessOutput[] =>
  processType === null ? [] : [{ processType, yield: inputKg > 0 ? mainOutputKg / inputKg : null, mainOutputKg, coProductKg, finished }];

function processOf(row: ProcessRow): ProcessYieldView {
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

const number = (name: string, unit: string, description: string): Column => ({ name, unit, description });

export const yieldReport: ReportDefinition<ProcessYieldView> = {
  report: ReadYield,
  title: 'Yield of each process: output by input, and what is unexplained',
  parameters: [],
  rows: 'processes',
  rowView: ProcessYieldView,
  summaryView: YieldSummaryView,
  lists: { chains: YieldChainView, flows: YieldFlowView },
  columns: [
    textColumn('processType', 'process'),
    textColumn('label', 'label in the process map'),
    number('n', '1', 'measured events'),
    number('unmeasured', '1', 'events with a lot without a mass'),
    number('inputKg', 'kg', 'used inputs'),
    number('mainOutputKg', 'kg', 'main output'),
    number('coProductKg', 'kg', 'co-products'),
    number('declaredLossKg', 'kg', 'declared losses'),
    number('gapKg', 'kg', 'unexplained difference'),
    number('yield', 'ratio', 'main output / input'),
    number('materialYield', 'ratio', '(main output + co-products) / input'),
    number('gapRatio', 'ratio', 'gap / input'),
    ...['min', 'p10', 'median', 'p90', 'max', 'mean', 'sd'].map((name) => number(`yield_${name}`, 'ratio', `${name} over the events`)),
    number('expectedMin', 'ratio', 'least yield that the process map expects'),
    number('expectedMax', 'ratio', 'greatest yield that the process map expects'),
    number('outlierCount', '1', 'outliers'),
  ],
  cursor: [/^\d{1,9}$/],
  lines: ({ distribution, expected, outliers: _outliers, byMonth: _byMonth, ...row }) => {
    const spread = Object.fromEntries(Object.entries(distribution).map(([name, value]) => [`yield_${name}`, value as number | null]));
    return [{ ...row, ...spread, expectedMin: expected?.min, expectedMax: expected?.max }];
  },
};
