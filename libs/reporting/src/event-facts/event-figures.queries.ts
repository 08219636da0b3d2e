import type { TenantTx } from '#persistence';
import type { AsOf, ReportScope } from '../reports/report.js';
import { eventsIn, partialDays, wholeDays } from '../reports/scope.queries.js';
import { asOfDays } from './fact.queries.js';

/** Default of the process map: an event may be recorded this long after its own time. */
const LATE_AFTER = 'PT24H';
/** A number in the metadata; null for anything else. */
const numberAt = (path: string): string =>
  `case when jsonb_typeof(e.metadata #> '{${path}}') = 'number' then (e.metadata #>> '{${path}}')::numeric end`;

const EVENTS = '(select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e';
const transforms = (e: string): string =>
  `${e}.containment_mode = 0 and cardinality(${e}.output_token_ids) > 0 and cardinality(${e}.input_token_ids) > 0`;
/** Every mass is known and something was used; creations use nothing and have no yield. */
const measured = (e: string): string => `coalesce(${transforms(e)} and not ${e}.unmeasured and ${e}.input_kg > 0, false)`;

/** The columns of `reporting.event_fact`. @param where on `e`, with its time as `e.at`; $1 is the tenant */
export const eventFacts = (where: string): string => `
  with rules as materialized (
    select p.map_name, p.map_version, p.process_type, coalesce(p.defaults ->> 'lateAfter', '${LATE_AFTER}')::interval as late_after,
      array(select d ->> 'type' from jsonb_array_elements(p.documents) d where (d ->> 'required')::boolean) as documents
    from traceability.process_v1 p where p.tenant_id = $1
  )
  select e.tenant_id, e.id as event_id, e.at, e.process_type, e.org_id,
    case when e.containment_mode = 0 then cardinality(e.output_token_ids) else 0 end as lots,
    extract(epoch from e.record_time - e.event_time)::float8 as delay,
    e.record_time - e.event_time <= coalesce(r.late_after, '${LATE_AFTER}') as on_time,
    (e.kde ->> 'required')::integer as kde_required, (e.kde ->> 'present')::integer as kde_present,
    coalesce(cardinality(r.documents), 0) as documents_required,
    (select count(*) from unnest(r.documents) as t(type) where exists (
      select from jsonb_array_elements(e.documents) d where d ->> 'type' = t.type))::integer as documents_present,
    e.balance_outside, c.carbon_kg::float8, (case when c.carbon_kg is not null then e.main_output_kg end)::float8 as carbon_output_kg,
    ${transforms('e')} as transforms, ${measured('e')} as measured, e.input_kg::float8, e.main_output_kg::float8, e.co_product_kg::float8,
    e.declared_loss_kg::float8, e.gap_kg::float8, e.yield::float8, coalesce(e.yield_outside, false) as yield_outside
  from ${EVENTS}
  left join rules r on r.map_name = e.process_map_name and r.map_version = e.process_map_version and r.process_type = e.process_type
  cross join lateral (
    select case when e.metadata #>> '{footprint,boundary}' = 'gate_to_gate' and e.main_output_kg > 0
      then ${numberAt('footprint,carbon,value')} * case e.metadata #>> '{footprint,carbon,unit}' when 'kgCO2e' then 1 when 'gCO2e' then 0.001 when 'tCO2e' then 1000 end
    end as carbon_kg) c
  where ${where} and e.counts`;

/** It names where its lots come from: what it made is measured, or made of nothing. */
const namesItself = (e: string): string => `(${measured(e)} or cardinality(${e}.input_token_ids) = 0)`;

/** What measured events used of lots, by the process and organisation that made them. An input line is in the unit of its lot. */
export const drawFacts = (where: string): string => `
  with raw as materialized (
    select distinct a.map_name, a.map_version, a.asset_type from traceability.asset_type_v1 a where a.tenant_id = $1 and a.category = 'raw_material'
  )
  select e.tenant_id, e.id as event_id, e.at, e.process_type, e.org_id, m.process_type as from_process, m.org_id as from_org,
    sum((line ->> 'quantity')::numeric * l.unit_kg)::float8 as kg,
    coalesce(sum((line ->> 'quantity')::numeric * l.unit_kg) filter (where raw.asset_type is not null), 0)::float8 as raw_kg
  from ${EVENTS} cross join lateral jsonb_array_elements(e.inputs) line
  cross join lateral (
    -- Lot by lot by the index: for the lots of a few events the planner expects a large part of the tenant's lots.
    select l.* from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = (line ->> 'tokenId')::bigint offset 0
  ) l
  left join traceability.event_v1 m on m.tenant_id = $1 and m.id = l.mint_event_id and m.counts and ${namesItself('m')}
  left join raw on raw.map_name = l.process_map_name and raw.map_version = l.process_map_version and raw.asset_type = l.asset_type
  where ${where} and e.counts and ${measured('e')} and e.process_type is not null and line ->> 'quantity' is not null and l.unit_kg is not null
  group by 1, 2, 3, 4, 5, 6, 7`;

const DAY = `(f.at at time zone 'utc')::date`;

/** Facts by day, process and organisation: the columns of `reporting.event_day` but for the tenant. @param facts a relation with `where`, named f */
export const daysOf = (facts: string): string => `
  select ${DAY} as day, f.process_type, f.org_id, count(*) as events, sum(f.lots) as lots, count(*) filter (where f.on_time) as on_time,
    array_agg(f.delay) filter (where f.delay is not null) as delays,
    count(*) filter (where f.kde_required > 0) as kde_events, coalesce(sum(f.kde_required), 0) as kde_required,
    coalesce(sum(f.kde_present), 0) as kde_present, count(*) filter (where f.documents_required > 0) as document_events,
    sum(f.documents_required) as documents_required, sum(f.documents_present) as documents_present,
    count(f.balance_outside) as judged, count(*) filter (where f.balance_outside) as breaches,
    sum(f.carbon_kg) as carbon_kg, sum(f.carbon_output_kg) as carbon_output_kg,
    count(*) filter (where f.transforms) as transforming, count(*) filter (where f.measured) as measured,
    sum(f.input_kg) filter (where f.measured) as input_kg, sum(f.main_output_kg) filter (where f.measured) as main_output_kg,
    sum(f.co_product_kg) filter (where f.measured) as co_product_kg, sum(f.declared_loss_kg) filter (where f.measured) as declared_loss_kg,
    sum(f.gap_kg) filter (where f.measured) as gap_kg,
    array_agg(f.yield) filter (where f.measured and not f.yield_outside) as yields,
    array_agg(f.yield) filter (where f.measured and f.yield_outside) as yields_outside
  from ${facts} group by ${DAY}, f.process_type, f.org_id`;

export const DAY_COLUMNS = `day, process_type, org_id, events, lots, on_time, delays, kde_events, kde_required, kde_present, document_events,
  documents_required, documents_present, judged, breaches, carbon_kg, carbon_output_kg, transforming, measured, input_kg, main_output_kg,
  co_product_kg, declared_loss_kg, gap_kg, yields, yields_outside`;

/** Relations about the events of a scope, for use in a statement that adds its own parameters behind theirs. */
export interface EventFigures {
  /** One row per event: `reporting.event_fact`. */
  readonly facts: string;
  readonly factParameters: readonly unknown[];
  /** One row per day, process and organisation: `reporting.event_day`. */
  readonly days: string;
  /** What was used: process_type, from_process, from_org, kg, raw_kg. */
  readonly draws: string;
  /** Of days and draws. */
  readonly dayParameters: readonly unknown[];
  /** What stored days are based on; undefined = computed from the events. */
  readonly asOf?: AsOf;
}

/** From stored days and the events of partial days if the tenant has stored days, else from the events. */
export async function eventFigures(tx: TenantTx, scope: ReportScope): Promise<EventFigures> {
  const { where, parameters } = eventsIn(tx, scope);
  const asOf = await asOfDays(tx, 'reporting.fact_cursor');
  if (!asOf) {
    const facts = `(${eventFacts(where)})`;
    const draws = `(${drawFacts(where)})`;
    return { facts, factParameters: parameters, days: `(${daysOf(`${facts} f`)})`, draws, dayParameters: parameters };
  }
  const whole = wholeDays(scope);
  const [first, last] = [`$${parameters.length + 1}::date`, `$${parameters.length + 2}::date`];
  const inDays = whole && eventsIn(tx, { ...scope, from: null, to: null }, [...parameters, whole.from, whole.to]);
  const day = inDays ? `${inDays.where} and (${first} is null or e.day >= ${first}) and (${last} is null or e.day < ${last})` : 'false';
  const partial = `(select * from reporting.event_fact e where ${where} and ${partialDays('e.at', scope, whole, first, last)})`;
  return {
    facts: `(select * from reporting.event_fact e where ${where})`,
    factParameters: parameters,
    days: `(select ${DAY_COLUMNS} from reporting.event_day e where ${day} union all ${daysOf(`${partial} f`)})`,
    draws: `(select e.process_type, e.from_process, e.from_org, e.kg, e.raw_kg from reporting.draw_day e where ${day}
      union all select e.process_type, d.from_process, d.from_org, d.kg, d.raw_kg from ${partial} e
      join reporting.draw_fact d on d.tenant_id = $1 and d.event_id = e.event_id where e.process_type is not null)`,
    dayParameters: inDays?.parameters ?? parameters,
    asOf,
  };
}
