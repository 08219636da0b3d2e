import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Figure, figure, ratio } from '../../domain/figures.js';
import { type Observed, type Scored, supplierScore } from '../../domain/supplier-score.js';
import { type About, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { eventFigures } from './event-figures.js';
import { eventsIn } from './events-in.js';
import { pageAfter } from './page-after.js';
import { transferDays } from './transfer-days.js';
import {
  type EventSums,
  ORGANISATIONS,
  type Of,
  type Organisation,
  POINTERS,
  type PointerFigures,
  type RecallFigures,
  type TransferFigures,
  figuresOf,
  recallFigures,
  transfersOf,
} from './suppliers.sql.js';
import { METRICS, NUMBERS, SupplierView, SuppliersSummaryView } from './suppliers.views.js';

const text = (name: string, description: string) => ({ name, unit: null, description });

const about: About = {
  name: 'suppliers',
  title: 'How well each organisation records, delivers and documents',
  access: REPORT_READERS,
  kept: true,
  parameters: [],
  rows: 'organizations',
  rowView: () => SupplierView,
  summaryView: () => SuppliersSummaryView,
  ofOrganisation: true,
  columns: [
    text('orgId', 'organisation'),
    text('name', 'its name'),
    text('lei', 'ISO 17442'),
    text('gln', 'GS1 global location number'),
    { name: 'score', unit: '0 to 100', description: 'over metrics with five observations at least' },
    text('grade', 'A, B, C, D'),
    { name: 'massSuppliedKg', unit: 'kg', description: 'handed over to other organisations' },
    ...Object.entries(METRICS).map(([name, [unit, description]]) => ({ name, unit, description })),
    ...Object.entries(NUMBERS).map(([name, description]) => ({ name: `n_${name}`, unit: '1', description })),
  ],
  place: [/^\d{1,9}$/],
};

/** domain-decisions §6.4, by name. Events count by their own time, transfers by when they were answered. */
@Injectable()
export class SuppliersReport extends Report<SupplierView> {
  static readonly about = about;

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<SupplierView>> {
    // Yields are held against those of the whole tenant, so its events are read whoever is asked about.
    const everybody = { ...scope, organisation: null };
    const { days, dayParameters, asOf: eventsAsOf } = await eventFigures(tx, everybody);
    const { where, parameters: of } = eventsIn(tx, everybody);
    const orgId = scope.organisation?.orgId ?? null;
    const organisations = await tx.sql<Organisation>(ORGANISATIONS, [tx.tenantId, orgId]);
    const events = byOrg(await tx.sql<EventSums>(figuresOf(days, dayParameters.length), [...dayParameters, orgId]));
    const handed = await transferDays(tx, scope);
    const transfers = byOrg(
      await tx.sql<TransferFigures>(transfersOf(handed.days, handed.parameters.length), [...handed.parameters, orgId]),
    );
    const recalls = byOrg(await tx.sql<RecallFigures>(recallFigures(where), of));
    const pointers = byOrg(await tx.sql<PointerFigures>(POINTERS, [tx.tenantId, orgId]));
    const rows = organisations.map((one) =>
      supplierOf(one, { ...events.get(one.orgId), ...transfers.get(one.orgId), ...recalls.get(one.orgId), ...pointers.get(one.orgId) }),
    );
    const asOf = earlierOf(eventsAsOf, handed.asOf);
    const massSuppliedKg = figure(rows.reduce((sum, row) => sum + row.massSuppliedKg, 0))!;
    return { summary: { organizations: rows.length, massSuppliedKg }, ...pageAfter(rows, scope), ...(asOf && { asOf }) };
  }

  override lines({ n, metrics, ...row }: SupplierView) {
    return [{ ...row, ...metrics, ...Object.fromEntries(Object.entries(n).map(([name, count]) => [`n_${name}`, count])) }];
  }
}

const byOrg = <T extends Of>(rows: readonly T[]): ReadonlyMap<string, T> => new Map(rows.map((row) => [row.orgId, row]));
/** All up to here is in. */
const earlierOf = (a: ChainPosition | undefined, b: ChainPosition | undefined): ChainPosition | undefined =>
  a && b && b.head < a.head ? b : (a ?? b);
const count = (value: Figure | undefined): number => figure(value) ?? 0;

type Figures = Partial<EventSums & TransferFigures & RecallFigures & PointerFigures>;

function supplierOf(organisation: Organisation, figures: Figures): SupplierView {
  const [accepted, rejected, lots] = [count(figures.accepted), count(figures.rejected), count(figures.lots)];
  const conformity = ratio(figures.breaches, figures.judged);
  const scored: Record<Scored, Observed> = {
    acceptanceRate: { value: ratio(accepted, accepted + rejected), n: accepted + rejected },
    onTimeAcceptance: { value: ratio(figures.acceptedInTime, accepted), n: accepted },
    recordingOnTime: { value: ratio(figures.onTime, figures.timed), n: count(figures.timed) },
    kdeCompleteness: { value: ratio(figures.kdePresent, figures.kdeRequired), n: count(figures.kdeEvents) },
    documentCoverage: { value: ratio(figures.documentsPresent, figures.documentsRequired), n: count(figures.documentEvents) },
    pointerMatch: { value: ratio(figures.matching, figures.resolved), n: count(figures.resolved) },
    massBalanceConformity: { value: conformity === null ? null : figure(1 - conformity), n: count(figures.judged) },
    recallRate: { value: ratio(count(figures.roots), lots), n: lots },
  };
  const values = Object.fromEntries(Object.entries(scored).map(([name, { value }]) => [name, value])) as Record<Scored, number | null>;
  return {
    ...organisation,
    n: {
      events: count(figures.events),
      lots,
      transfersOut: count(figures.completed),
      answered: scored.acceptanceRate.n,
      accepted,
      timedEvents: scored.recordingOnTime.n,
      kdeEvents: scored.kdeCompleteness.n,
      documentEvents: scored.documentCoverage.n,
      transformations: scored.massBalanceConformity.n,
      pointers: scored.pointerMatch.n,
    },
    massSuppliedKg: count(figures.massKg),
    metrics: {
      acceptanceRate: values.acceptanceRate,
      onTimeAcceptance: values.onTimeAcceptance,
      medianPendingSeconds: figure(figures.median),
      p95PendingSeconds: figure(figures.p95),
      recordingOnTime: values.recordingOnTime,
      medianRecordingDelaySeconds: figure(figures.medianDelay),
      kdeCompleteness: values.kdeCompleteness,
      documentCoverage: values.documentCoverage,
      pointerMatch: values.pointerMatch,
      massBalanceConformity: values.massBalanceConformity,
      recallRate: values.recallRate,
      affectedRate: ratio(count(figures.affected), lots),
      yieldIndex: figure(figures.yieldIndex),
      carbonPerKg: ratio(figures.carbonKg, figures.carbonOutputKg),
    },
    ...supplierScore(scored),
  };
}
