import { IntegerField, NumberField, ObjectField, StringField } from '#http';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Figure, figure, ratio } from '../../domain/figures.js';
import { type Observed, type Scored, supplierScore } from '../../domain/supplier-score.js';
import { type About, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { eventFigures } from './event-figures.js';
import { eventsIn } from './events-in.js';
import { pageAfter } from './page-after.js';

const NUMBERS = {
  events: 'Events it recorded',
  lots: 'Lots they made, containers not counted',
  transfersOut: 'Transfers to other organisations that were completed; a container is one',
  answered: 'Offers to others that were accepted or rejected',
  accepted: 'Of those, accepted',
  timedEvents: 'Events with a time of their own',
  kdeEvents: 'Events of processes that require key data elements',
  documentEvents: 'Events of processes that require documents',
  transformations: 'Events whose mass balance can be judged',
  pointers: 'Data references that resolved when they were checked last',
} as const;

class CountsView {}
for (const [name, description] of Object.entries(NUMBERS)) IntegerField({ description })(CountsView.prototype, name);

const METRICS = {
  acceptanceRate: ['ratio', 'accepted / (accepted + rejected)'],
  onTimeAcceptance: ['ratio', 'accepted within custodyAcceptWithin of the process map / accepted'],
  medianPendingSeconds: ['s', 'half of the accepted offers waited less'],
  p95PendingSeconds: ['s', '95 % of the accepted offers waited less'],
  recordingOnTime: ['ratio', 'events recorded within lateAfter of the process map / events'],
  medianRecordingDelaySeconds: ['s', 'from the time of an event to its recording'],
  kdeCompleteness: ['ratio', 'Σ present / Σ required key data elements'],
  documentCoverage: ['ratio', 'required documents present / required'],
  pointerMatch: ['ratio', 'data references that match / resolved, at their last check'],
  massBalanceConformity: ['ratio', '1 − breaches / transformations'],
  recallRate: ['ratio', 'lots recalled by their own fault / lots made'],
  affectedRate: ['ratio', 'lots that a recall affects / lots made'],
  yieldIndex: ['ratio', 'mean over its processes of own yield / yield of the tenant'],
  carbonPerKg: ['kgCO2e/kg', 'gate to gate, by mass of the main output'],
} as const;
type Metric = keyof typeof METRICS;

class MetricsView {}
for (const [name, [unit, description]] of Object.entries(METRICS))
  NumberField({ description: `${description} (${unit}); null where there is none`, nullable: true })(MetricsView.prototype, name);

class SupplierView {
  @StringField({ description: 'Organisation' })
  orgId: string;

  @StringField({ description: 'Its name' })
  name: string;

  @StringField({ description: 'ISO 17442', nullable: true })
  lei: string | null;

  @StringField({ description: 'GS1 global location number', nullable: true })
  gln: string | null;

  @ObjectField(() => CountsView, { description: 'Of how many observations the metrics are' })
  n: Readonly<Record<keyof typeof NUMBERS, number>>;

  @NumberField({ description: 'Handed over to other organisations, of lots whose mass is known, kg' })
  massSuppliedKg: number;

  @ObjectField(() => MetricsView, { description: 'domain-decisions §6.4' })
  metrics: Readonly<Record<Metric, number | null>>;

  @NumberField({ description: '0 to 100, over metrics with five observations at least', nullable: true })
  score: number | null;

  @StringField({ description: 'A from 90, B from 75, C from 60, D below', nullable: true })
  grade: string | null;
}

class SuppliersSummaryView {
  @IntegerField({ description: 'Organisations' })
  organizations: number;

  @NumberField({ description: 'Handed over between organisations, kg' })
  massSuppliedKg: number;
}

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
    const { days, dayParameters, asOf } = await eventFigures(tx, everybody);
    const { where, parameters: of } = eventsIn(tx, everybody);
    const orgId = scope.organisation?.orgId ?? null;
    const organisations = await tx.sql<Organisation>(ORGANISATIONS, [tx.tenantId, orgId]);
    const events = byOrg(await tx.sql<EventSums>(figuresOf(days, dayParameters.length), [...dayParameters, orgId]));
    const transfers = byOrg(await tx.sql<TransferFigures>(TRANSFERS, [tx.tenantId, scope.from, scope.to, orgId]));
    const recalls = byOrg(await tx.sql<RecallFigures>(recallFigures(where), of));
    const pointers = byOrg(await tx.sql<PointerFigures>(POINTERS, [tx.tenantId, orgId]));
    const rows = organisations.map((one) =>
      supplierOf(one, { ...events.get(one.orgId), ...transfers.get(one.orgId), ...recalls.get(one.orgId), ...pointers.get(one.orgId) }),
    );
    const massSuppliedKg = figure(rows.reduce((sum, row) => sum + row.massSuppliedKg, 0))!;
    return { summary: { organizations: rows.length, massSuppliedKg }, ...pageAfter(rows, scope), ...(asOf && { asOf }) };
  }

  override lines({ n, metrics, ...row }: SupplierView) {
    return [{ ...row, ...metrics, ...Object.fromEntries(Object.entries(n).map(([name, count]) => [`n_${name}`, count])) }];
  }
}

interface Of {
  readonly orgId: string;
}
type Organisation = Pick<SupplierView, 'orgId' | 'name' | 'lei' | 'gln'>;
type EventSums = Of & Readonly<Record<(typeof EVENT_FIGURES)[number], Figure>>;
type TransferFigures = Of &
  Readonly<Record<'completed' | 'accepted' | 'rejected' | 'acceptedInTime' | 'median' | 'p95' | 'massKg', Figure>>;
type PointerFigures = Of & Readonly<Record<'resolved' | 'matching', Figure>>;
type RecallFigures = Of & Readonly<Record<'roots' | 'affected', Figure>>;

const EVENT_FIGURES = [
  'events',
  'lots',
  'timed',
  'onTime',
  'medianDelay',
  'kdeEvents',
  'kdeRequired',
  'kdePresent',
  'documentEvents',
  'documentsRequired',
  'documentsPresent',
  'judged',
  'breaches',
  'yieldIndex',
  'carbonKg',
  'carbonOutputKg',
] as const;

const byOrg = <T extends Of>(rows: readonly T[]): ReadonlyMap<string, T> => new Map(rows.map((row) => [row.orgId, row]));
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

const ORGANISATIONS = `
  select o.id as "orgId", o.name, o.lei, o.gln from identity.organisation_v1 o
  where o.tenant_id = $1 and ($2::uuid is null or o.id = $2) order by o.name collate "C", o.id`;

/** How long an offer may wait where the process map does not say. */
const ACCEPT_WITHIN = 'PT72H';

/** @param days the relation of `EventFigures`, of the whole tenant; the parameter behind `before` is the organisation */
const figuresOf = (days: string, before: number): string => `
  with days as materialized (
    select * from ${days} d
  ), yields as (
    select process_type, org_id, sum(main_output_kg) / nullif(sum(input_kg), 0) as own,
      sum(sum(main_output_kg)) over (partition by process_type) / nullif(sum(sum(input_kg)) over (partition by process_type), 0) as everybody
    from days where measured > 0 group by process_type, org_id
  ), indexes as (
    select org_id, avg(own / nullif(everybody, 0)) as yield_index from yields group by org_id
  ), sums as (
    select d.org_id, sum(events) as events, sum(lots) as lots, sum(coalesce(cardinality(delays), 0)) as timed, sum(on_time) as on_time,
      sum(kde_events) as kde_events, sum(kde_required) as kde_required, sum(kde_present) as kde_present,
      sum(document_events) as document_events, sum(documents_required) as documents_required, sum(documents_present) as documents_present,
      sum(judged) as judged, sum(breaches) as breaches, sum(carbon_kg) as carbon_kg, sum(carbon_output_kg) as carbon_output_kg
    from days d where d.org_id is not null and ($${before + 1}::text is null or d.org_id = $${before + 1}) group by d.org_id
  )
  select s.org_id as "orgId", s.events, s.lots, s.timed, s.on_time as "onTime", s.kde_events as "kdeEvents", s.kde_required as "kdeRequired",
    s.kde_present as "kdePresent", s.document_events as "documentEvents", s.documents_required as "documentsRequired",
    s.documents_present as "documentsPresent", s.judged, s.breaches, i.yield_index as "yieldIndex", s.carbon_kg as "carbonKg",
    s.carbon_output_kg as "carbonOutputKg",
    (select percentile_cont(0.5) within group (order by y.delay) from days d cross join lateral unnest(d.delays) y(delay)
     where d.org_id = s.org_id) as "medianDelay"
  from sums s left join indexes i on i.org_id = s.org_id`;

/**
 * Transfers to other organisations. What was offered is one transfer, container or lot; its mass is that of the goods that went with it,
 * as much as was left of them then.
 */
const TRANSFERS = `
  with accept as materialized (
    select p.map_name, p.map_version, max(coalesce(p.defaults ->> 'custodyAcceptWithin', '${ACCEPT_WITHIN}'))::interval as within
    from traceability.process_v1 p where p.tenant_id = $1 group by 1, 2
  ), handed as materialized (
    select t.id, t.token_id, t.via_container_token_id, t.status, t.closed_at - t.offered_at as pending, t.closed_block, t.closed_log, f.org_id
    from custody.transfer_v1 t
    join identity.wallet_v1 f on f.tenant_id = $1 and f.address = t.from_address and f.org_id is not null
    left join identity.wallet_v1 r on r.tenant_id = $1 and r.address = t.to_address
    where t.tenant_id = $1 and t.status in ('accepted', 'direct', 'rejected') and r.org_id is distinct from f.org_id
      and ($2::timestamptz is null or t.closed_at >= $2) and ($3::timestamptz is null or t.closed_at < $3)
      and ($4::uuid is null or f.org_id = $4)
  ), weighed as (
    select h.org_id, sum(v.remaining * v.unit_kg) as mass_kg
    from handed h
    join traceability.lot_version_v1 v on v.tenant_id = $1 and v.token_id = h.token_id and not v.is_container
      and (v.from_block, v.from_log) <= (h.closed_block, h.closed_log)
      and (v.to_block is null or (v.to_block, v.to_log) > (h.closed_block, h.closed_log))
    where h.status <> 'rejected' group by h.org_id
  )
  select h.org_id as "orgId", count(*) filter (where h.status <> 'rejected') as completed, count(*) filter (where h.status = 'accepted') as accepted,
    count(*) filter (where h.status = 'rejected') as rejected,
    count(*) filter (where h.status = 'accepted' and h.pending <= coalesce(a.within, '${ACCEPT_WITHIN}')) as "acceptedInTime",
    extract(epoch from percentile_cont(0.5) within group (order by h.pending) filter (where h.status = 'accepted')) as median,
    extract(epoch from percentile_cont(0.95) within group (order by h.pending) filter (where h.status = 'accepted')) as p95,
    max(w.mass_kg) as "massKg"
  from handed h
  left join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = h.token_id
  left join accept a on a.map_name = l.process_map_name and a.map_version = l.process_map_version
  left join weighed w on w.org_id = h.org_id
  where h.via_container_token_id is null
  group by h.org_id`;

const POINTERS = `
  select t.org_id as "orgId", sum(t.n) filter (where t.status in ('ok', 'mismatch')) as resolved, sum(t.matching) as matching
  from reports.pointer_tally t
  where t.tenant_id = $1 and t.day = '-infinity' and t.org_id <> '' and ($2::text is null or t.org_id = $2) group by t.org_id`;

/** A root was recalled itself and lies behind no other recalled lot; both by the organisation that made the lot. */
const recallFigures = (where: string): string => `
  with affected as materialized (
    select distinct a.token_id from traceability.recall_affected_v1 a where a.tenant_id = $1 and a.root_token_id <> a.token_id
  ), roots as (
    select l.token_id from traceability.lot_v1 l
    where l.tenant_id = $1 and l.recalled_at is not null and not l.is_container and not exists (select from affected a where a.token_id = l.token_id)
  ), named as (
    select token_id, true as root from roots union all select token_id, false from affected
  )
  select e.org_id as "orgId", count(*) filter (where n.root) as roots, count(*) filter (where not n.root and not l.is_container) as affected
  from named n
  join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = n.token_id
  join (select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e on e.id = l.mint_event_id
  where ${where} and e.org_id is not null
  group by e.org_id`;
