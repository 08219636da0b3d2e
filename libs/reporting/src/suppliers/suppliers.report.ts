import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Figure, type ReportPage, type ReportScope, figure, pageOf, ratio } from '../reports/report.js';
import { Report } from '../reports/read-report.js';
import { type ReportDefinition, textColumn } from '../reports/report.controller.js';
import { type Observations, type Scored, supplierScore } from './supplier-score.rules.js';
import { METRICS, NUMBERS, SupplierView, SuppliersSummaryView } from './suppliers.dto.js';
import { type Organisation, type SupplierFigures, SupplierQueries } from './suppliers.queries.js';

/** docs/spec/domain.md#suppliers, by name. Events count by their own time, transfers by the time of the answer. */
@Injectable()
class ReadSuppliers extends Report<SupplierView> {
  static readonly key = { name: 'suppliers', cached: true } as const;

  constructor(private readonly suppliers: SupplierQueries) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<SupplierView>> {
    const { organisations, figuresOf, asOf } = await this.suppliers.read(tx, scope);
    const rows = organisations.map((one) => supplierOf(one, figuresOf(one.orgId)));
    const massSuppliedKg = figure(rows.reduce((sum, row) => sum + row.massSuppliedKg, 0))!;
    return { summary: { organizations: rows.length, massSuppliedKg }, ...pageOf(rows, scope), ...(asOf && { asOf }) };
  }
}

const count = (value: Figure | undefined): number => figure(value) ?? 0;

function supplierOf(organisation: Organisation, figures: SupplierFigures): SupplierView {
  const scored = scoredOf(figures);
  return {
    ...organisation,
    n: countsOf(figures, scored),
    massSuppliedKg: count(figures.massKg),
    metrics: metricsOf(figures, scored),
    ...supplierScore(scored, count(figures.completed)),
  };
}

function scoredOf(figures: SupplierFigures): Record<Scored, Observations> {
  const [accepted, rejected, lots] = [count(figures.accepted), count(figures.rejected), count(figures.lots)];
  const conformity = ratio(figures.breaches, figures.judged);
  return {
    acceptanceRate: { value: ratio(figures.taken, accepted + rejected), n: accepted + rejected },
    onTimeAcceptance: { value: ratio(figures.acceptedInTime, accepted), n: accepted },
    recordingOnTime: { value: ratio(figures.onTime, figures.timed), n: count(figures.timed) },
    kdeCompleteness: { value: ratio(figures.kdePresent, figures.kdeRequired), n: count(figures.kdeEvents) },
    documentCoverage: { value: ratio(figures.documentsPresent, figures.documentsRequired), n: count(figures.documentEvents) },
    pointerMatch: { value: ratio(figures.matching, figures.resolved), n: count(figures.resolved) },
    massBalanceConformity: { value: conformity === null ? null : figure(1 - conformity), n: count(figures.judged) },
    recallRate: { value: ratio(count(figures.roots), lots), n: lots },
  };
}

const countsOf = (figures: SupplierFigures, scored: Record<Scored, Observations>): SupplierView['n'] => ({
  events: count(figures.events),
  lots: scored.recallRate.n,
  transfersOut: count(figures.completed),
  answered: scored.acceptanceRate.n,
  accepted: scored.onTimeAcceptance.n,
  timedEvents: scored.recordingOnTime.n,
  kdeEvents: scored.kdeCompleteness.n,
  documentEvents: scored.documentCoverage.n,
  transformations: scored.massBalanceConformity.n,
  pointers: scored.pointerMatch.n,
});

const metricsOf = (figures: SupplierFigures, scored: Record<Scored, Observations>): SupplierView['metrics'] => ({
  acceptanceRate: scored.acceptanceRate.value,
  onTimeAcceptance: scored.onTimeAcceptance.value,
  medianPendingSeconds: figure(figures.median),
  p95PendingSeconds: figure(figures.p95),
  recordingOnTime: scored.recordingOnTime.value,
  medianRecordingDelaySeconds: figure(figures.medianDelay),
  kdeCompleteness: scored.kdeCompleteness.value,
  documentCoverage: scored.documentCoverage.value,
  pointerMatch: scored.pointerMatch.value,
  massBalanceConformity: scored.massBalanceConformity.value,
  recallRate: scored.recallRate.value,
  affectedRate: ratio(count(figures.affected), scored.recallRate.n),
  yieldIndex: figure(figures.yieldIndex),
  carbonPerKg: ratio(figures.carbonKg, figures.carbonOutputKg),
});

export const suppliersReport: ReportDefinition<SupplierView> = {
  report: ReadSuppliers,
  title: 'How well each organisation records, delivers and documents',
  parameters: [],
  rows: 'organizations',
  rowView: SupplierView,
  summaryView: SuppliersSummaryView,
  ofOrganisation: true,
  columns: [
    textColumn('orgId', 'organisation'),
    textColumn('name', 'name of the organisation'),
    textColumn('lei', 'ISO 17442'),
    textColumn('gln', 'GS1 global location number'),
    { name: 'score', unit: '0 to 100', description: 'over metrics with at least five observations, if they carry half of the weight' },
    textColumn('grade', 'A, B, C, D'),
    { name: 'massSuppliedKg', unit: 'kg', description: 'transferred to other organisations' },
    ...Object.entries(METRICS).map(([name, [unit, description]]) => ({ name, unit, description })),
    ...Object.entries(NUMBERS).map(([name, description]) => ({ name: `n_${name}`, unit: '1', description })),
    textColumn('gradeReason', 'why there is no grade'),
  ],
  cursor: [/^\d{1,9}$/],
  lines: ({ n, metrics, ...row }) => [
    { ...row, ...metrics, ...Object.fromEntries(Object.entries(n).map(([name, number]) => [`n_${name}`, number])) },
  ],
};
