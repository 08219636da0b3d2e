-- The same function as before, as one that the planner writes into the statement (a set-returning one in FROM): called a million
-- times, it was most of the time of every read of the view.
drop view traceability.event_v1;
drop function traceability.mass_balance(numeric, numeric, numeric, numeric, numeric, numeric, numeric);
create function traceability.mass_balance(
  input_kg numeric, main_output_kg numeric, co_product_kg numeric, declared_loss_kg numeric,
  yield_min numeric, yield_max numeric, mass_tolerance numeric
) returns table (gap_kg numeric, gap_ratio numeric, yield numeric, material_yield numeric, yield_outside boolean, balance_outside boolean)
language sql immutable parallel safe rows 1 as $$
  select gap, round(gap / used, 6), round(main_output_kg / used, 6), round((main_output_kg + co_product_kg) / used, 6),
    main_output_kg / used not between yield_min and yield_max,
    case when mass_tolerance is not null then main_output_kg + co_product_kg > used or abs(gap) / used > mass_tolerance end
  from (select nullif(input_kg, 0) as used) u,
    lateral (select used - main_output_kg - co_product_kg - declared_loss_kg as gap) g
$$;
create view traceability.event_v1 with (security_invoker = true) as
select e.tenant_id, e.id, e.status, e.block_number is not null and e.void_block is null and e.supersedes is null as counts,
  e.process_type, e.process_id, e.process_label, e.process_map_name, e.process_map_version, e.kind, e.containment_mode,
  coalesce(w.event_time, e.event_time) as event_time, coalesce(w.event_time_zone_offset, e.event_time_zone_offset) as event_time_zone_offset,
  e.record_time, e.landed_at, coalesce(w.late, e.late) as late, e.actor_address, e.org_id,
  e.input_token_ids, e.inputs, e.output_tlc, e.output_custodian, e.output_token_ids, e.outputs,
  case when w.id is null then e.location else w.location end as location,
  case when w.id is null then e.metadata else w.metadata end as metadata, e.metadata as own_metadata,
  case when w.id is null then e.documents else w.documents end as documents,
  case when w.id is null then e.kde else w.kde end as kde,
  e.warnings, e.ipfs_cid, e.data_hash, e.prepared_by, e.expires_at, e.tx_hash, e.block_number, e.block_hash, e.log_index, e.chain_id,
  e.contract_address, e.calldata_mismatch, e.resolved, e.error_declaration, e.supersedes, e.superseded_by, e.voided_at,
  e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg, e.yield_min, e.yield_max, e.mass_tolerance,
  b.gap_kg, b.gap_ratio, b.yield, b.material_yield, b.yield_outside, b.balance_outside,
  cardinality(e.output_token_ids) > 0 and e.containment_mode = 0
    and num_nulls(e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg) > 0 as unmeasured,
  e.event_time as own_event_time -- as it first said: the one that has an index
from traceability.event e
left join lateral (
  with recursive corrected as (
    select e.superseded_by as id, 1 as step
    union all
    select a.superseded_by, c.step + 1 from corrected c
    join traceability.event a on a.tenant_id = e.tenant_id and a.id = c.id
    where a.superseded_by is not null and c.step < 100
  )
  select a.* from corrected c join traceability.event a on a.tenant_id = e.tenant_id and a.id = c.id order by c.step desc limit 1
) w on e.superseded_by is not null
cross join lateral (select case when w.id is null then e.declared_loss_kg else w.declared_loss_kg end as declared_loss_kg) m
cross join lateral traceability.mass_balance(
  e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg, e.yield_min, e.yield_max, e.mass_tolerance) b;

-- `unit_kg`: kilograms of one unit of the lot; null = unknown.
create or replace view traceability.lot_v1 with (security_invoker = true) as
select l.tenant_id, l.token_id, l.id, l.chain_id, l.contract, l.tlc, l.resolved, l.asset_type, l.asset_type_name, l.gtin,
  l.process_map_name, l.process_map_version, l.uom, l.quantity / 1000000 as quantity, l.remaining / 1000000 as remaining, l.used_up,
  l.depth > 0 as is_container, l.container_token_id, l.custodian, l.pending_custodian, l.offer_no, l.expires_at, l.retired_at,
  l.retire_reason, l.recalled_at, l.holds_recalled, h.held_at, l.mint_event_id, l.mint_tx, l.mint_block, l.minted_at, l.data_hash,
  l.metadata_cid,
  exists (select from traceability.recall_affected r
          where r.tenant_id = l.tenant_id and r.token_id = l.token_id and r.to_block is null) as recall_affected,
  case when l.retired_at is not null then 'retired'
       when l.recalled_at is not null then 'recalled'
       when l.used_up then 'consumed'
       when l.pending_custodian is not null then 'in_transit'
       when l.container_token_id is not null then 'aggregated'
       when h.held_at is not null then 'on_hold'
       when l.expires_at <= now() then 'expired'
       else 'active' end as status,
  l.unit_kg
from traceability.lot l
left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id
where l.to_block is null;

-- When which lot lay in which container, at any depth; `until` null = it still does, or was retired in it.
create view traceability.lot_container_v1 with (security_invoker = true) as
with recursive held as (
  select l.tenant_id, l.token_id, l.container_token_id as container, l.from_block as since, l.to_block as until, 1 as level
  from traceability.lot l where l.container_token_id is not null
  union all
  select h.tenant_id, h.token_id, o.container_token_id, greatest(h.since, o.from_block), least(h.until, o.to_block), h.level + 1
  from held h
  join traceability.lot o on o.tenant_id = h.tenant_id and o.token_id = h.container and o.container_token_id is not null
  where h.level < 8 and o.from_block <= coalesce(h.until, o.from_block) and h.since <= coalesce(o.to_block, h.since)
)
select tenant_id, token_id, container, since, until, level from held;

-- Where each lot was last: the place of the latest event, by its own time, that names the lot or a container it lay in then. Events
-- without a place are passed over; a lot that no event places is not there.
create view traceability.lot_place_v1 with (security_invoker = true) as
with named as (
  select n.tenant_id, n.token_id, n.event_id from traceability.event_lot n
  union all
  select h.tenant_id, h.token_id, n.event_id from traceability.lot_container_v1 h
  join traceability.event_lot n on n.tenant_id = h.tenant_id and n.token_id = h.container
    and n.block_number >= h.since and n.block_number <= coalesce(h.until, n.block_number)
)
select distinct on (n.tenant_id, n.token_id) n.tenant_id, n.token_id, e.id as event_id, coalesce(e.event_time, e.landed_at) as at, e.location,
  e.org_id
from named n
join traceability.event_v1 e on e.tenant_id = n.tenant_id and e.id = n.event_id
where e.counts and e.location is not null
order by n.tenant_id, n.token_id, coalesce(e.event_time, e.landed_at) desc, e.block_number desc, e.log_index desc;

-- Which events name which lot.
create view traceability.event_lot_v1 with (security_invoker = true) as
select tenant_id, token_id, event_id, block_number from traceability.event_lot;

grant select on traceability.event_v1, traceability.lot_v1, traceability.lot_container_v1, traceability.lot_place_v1, traceability.event_lot_v1 to trace_tenant, trace_system;

-- What published process maps say of their processes and asset types, every version; small, so parsed when read.
create view traceability.process_v1 with (security_invoker = true) as
select m.tenant_id, m.name as map_name, m.version as map_version, m.published_at, p.key as process_type, p.value ->> 'label' as label,
  p.value ->> 'kind' as kind, coalesce(p.value -> 'documents', '[]') as documents, coalesce(p.value -> 'kdes', '[]') as kdes,
  p.value -> 'fsma204' as fsma204, coalesce(p.value -> 'fields', '{}') as fields, coalesce(m.document -> 'defaults', '{}') as defaults
from traceability.process_map m cross join lateral jsonb_each(m.document -> 'processes') p;

create view traceability.asset_type_v1 with (security_invoker = true) as
select m.tenant_id, m.name as map_name, m.version as map_version, m.published_at, a.key as asset_type, a.value ->> 'name' as name,
  a.value ->> 'category' as category, a.value ->> 'uom' as uom, a.value ->> 'gtin' as gtin, a.value as words
from traceability.process_map m cross join lateral jsonb_each(m.document -> 'assetTypes') a;

grant select on traceability.process_v1, traceability.asset_type_v1 to trace_tenant, trace_system;
