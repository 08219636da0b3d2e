import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { eventFigures } from '../event-facts/event-figures.queries.js';
import { type AsOf, type Figure, type ReportScope, earlierOf } from '../reports/report.js';
import { eventsIn } from '../reports/scope.queries.js';
import { transferDays } from '../event-facts/transfer-facts.queries.js';

interface OfOrganisation {
  readonly orgId: string;
}
export interface Organisation extends OfOrganisation {
  readonly name: string;
  readonly lei: string | null;
  readonly gln: string | null;
}
type EventFigures = Readonly<Record<(typeof EVENT_FIGURES)[number], Figure>>;
type TransferFigures = Readonly<
  Record<'completed' | 'accepted' | 'rejected' | 'acceptedInTime' | 'taken' | 'median' | 'p95' | 'massKg', Figure>
>;
type PointerFigures = Readonly<Record<'resolved' | 'matching', Figure>>;
type RecallFigures = Readonly<Record<'roots' | 'affected', Figure>>;
/** Figures of one organisation; absent without observations. */
export type SupplierFigures = Partial<EventFigures & TransferFigures & RecallFigures & PointerFigures>;

interface Suppliers {
  readonly organisations: readonly Organisation[];
  readonly figuresOf: (orgId: string) => SupplierFigures;
  readonly asOf: AsOf | undefined;
}

@Injectable()
export class SupplierQueries {
  async read(tx: TenantTx, scope: ReportScope): Promise<Suppliers> {
    // Yields are compared with those of the whole tenant, so all of its events are read for each organisation.
    const tenant = { ...scope, organisation: null };
    const orgId = scope.organisation?.orgId ?? null;
    const { days, dayParameters, asOf } = await eventFigures(tx, tenant);
    const { where, parameters } = eventsIn(tx, tenant);
    const transfers = await transferDays(tx, scope);
    const organisations = await tx.sql<Organisation>(ORGANISATIONS, [tx.tenantId, orgId]);
    const parts = [
      await tx.sql<OfOrganisation>(eventSums(days, dayParameters.length), [...dayParameters, orgId]),
      await tx.sql<OfOrganisation>(transferSums(transfers.days, transfers.parameters.length), [...transfers.parameters, orgId]),
      await tx.sql<OfOrganisation>(recallSums(where), parameters),
      await tx.sql<OfOrganisation>(POINTERS, [tx.tenantId, orgId]),
    ].map((rows) => new Map(rows.map((row) => [row.orgId, row])));
    return {
      organisations,
      figuresOf: (id) => Object.assign({}, ...parts.map((part) => part.get(id))) as SupplierFigures,
      asOf: earlierOf(asOf, transfers.asOf),
    };
  }
}

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

const ORGANISATIONS = `
  select o.id as "orgId", o.name, o.lei, o.gln from identity.organisation_v1 o
  where o.tenant_id = $1 and ($2::uuid is null or o.id = $2) order by o.name collate "C", o.id`;

/** @param days the relation of `eventFigures`, of the whole tenant; the parameter behind `before` is the organisation */
const eventSums = (days: string, before: number): string => `
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

/** Transfers to other organisations. @param days the relation of `TransferDays`; the parameter behind `before` is the organisation */
const transferSums = (days: string, before: number): string => `
  with wallets as materialized (
    select w.address, w.org_id from identity.wallet_v1 w where w.tenant_id = $1 and w.org_id is not null
  ), days as materialized (
    select g.org_id, d.* from ${days} d join wallets g on g.address = d.giver left join wallets r on r.address = d.taker
    where r.org_id is distinct from g.org_id and ($${before + 1}::uuid is null or g.org_id = $${before + 1})
  ), sums as (
    select org_id, sum(completed) as completed, sum(accepted) as accepted, sum(rejected) as rejected, sum(in_time) as in_time,
      sum(taken) as taken, sum(mass_kg) as mass_kg
    from days group by org_id
  )
  select s.org_id as "orgId", s.completed, s.accepted, s.rejected, s.in_time as "acceptedInTime", s.taken, p.spread[1] as median, p.spread[2] as p95,
    s.mass_kg as "massKg"
  from sums s cross join lateral (
    select percentile_cont(array[0.5, 0.95]) within group (order by y.pending) as spread
    from (select unnest(d.pendings) as pending from days d where d.org_id = s.org_id) y) p`;

const POINTERS = `
  select t.org_id as "orgId", sum(t.n) filter (where t.status in ('ok', 'mismatch')) as resolved, sum(t.matching) as matching
  from reporting.pointer_tally t
  where t.tenant_id = $1 and t.day = '-infinity' and t.org_id <> '' and ($2::text is null or t.org_id = $2) group by t.org_id`;

/** A root was recalled itself and is not affected by the recall of another lot. By the organisation that made the lot; its parts are one lot. */
const recallSums = (where: string): string => `
  with affected as materialized (
    select distinct a.token_id from traceability.recall_affected_v1 a
    join traceability.lot_v1 r on r.tenant_id = $1 and r.token_id = a.root_token_id
    join traceability.lot_v1 t on t.tenant_id = $1 and t.token_id = a.token_id
    where a.tenant_id = $1 and a.root_token_id <> a.token_id and (r.tlc_hash <> t.tlc_hash or r.contract <> t.contract)
  ), roots as (
    select l.token_id from traceability.lot_v1 l
    where l.tenant_id = $1 and l.recalled_at is not null and not l.is_container and not exists (select from affected a where a.token_id = l.token_id)
  ), named as (
    select token_id, true as root from roots union all select token_id, false from affected
  ), goods as (
    select l.mint_event_id, l.tlc_hash, l.is_container, bool_or(n.root) as root from named n
    join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = n.token_id group by 1, 2, 3
  )
  select e.org_id as "orgId", count(*) filter (where n.root) as roots, count(*) filter (where not n.root and not n.is_container) as affected
  from goods n
  join (select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e on e.id = n.mint_event_id
  where ${where} and e.org_id is not null
  group by e.org_id`;
