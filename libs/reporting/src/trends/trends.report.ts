import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Report } from '../reports/read-report.js';
import { type Column, type ReportDefinition, textColumn } from '../reports/report.controller.js';
import { type ReportPage, type ReportScope, pageOf } from '../reports/report.js';
import { TrendPeriodView, TrendsSummaryView } from './trends.dto.js';
import { TrendsQueries } from './trends.queries.js';
import { INTERVALS, type Interval, trendRows, trendTotals } from './trends.rules.js';

/** docs/spec/domain.md#trends */
@Injectable()
class ReadTrends extends Report<TrendPeriodView> {
  static readonly key = { name: 'trends', cached: true } as const;

  constructor(private readonly trends: TrendsQueries) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<TrendPeriodView>> {
    const interval = (scope.parameters['interval'] ?? 'month') as Interval;
    const { events, transfers, recalls, asOf } = await this.trends.read(tx, scope, interval);
    const rows = trendRows([...events, ...transfers, ...recalls]);
    return { summary: trendTotals(rows), ...pageOf(rows, scope), ...(asOf && { asOf }) };
  }
}

const number = (name: string, unit: string, description: string): Column => ({ name, unit, description });

export const trendsReport: ReportDefinition<TrendPeriodView> = {
  report: ReadTrends,
  title: 'What was recorded, moved and recalled over time, the newest first',
  parameters: [{ name: 'interval', description: '`day`, `week` or `month` (default)', maxLength: 10, values: INTERVALS }],
  rows: 'periods',
  rowView: TrendPeriodView,
  summaryView: TrendsSummaryView,
  columns: [
    textColumn('start', 'first day, UTC'),
    number('events', '1', 'recorded events'),
    number('lots', '1', 'lots that they made'),
    number('recordedKg', 'kg', 'mass of the lots that they made'),
    number('unweighedEvents', '1', 'events that made a lot without a known mass'),
    number('inputKg', 'kg', 'inputs of measured transformations'),
    number('mainOutputKg', 'kg', 'main output of measured transformations'),
    number('yield', 'ratio', 'main output / input'),
    number('transfers', '1', 'completed transfers'),
    number('rejectedTransfers', '1', 'rejected transfers'),
    number('recalls', '1', 'recalls'),
    number('recalledLots', '1', 'lots that they recalled'),
  ],
  cursor: [/^\d{1,9}$/],
  lines: ({ ...row }) => [row],
};
