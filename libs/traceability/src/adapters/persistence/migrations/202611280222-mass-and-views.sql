-- Yield and mass balance of an event, in kilograms (domain-decisions §6.5). The sums are those of the chain's quantities, written
-- when it lands; losses, the expected range and the tolerance are words of the event and its process. Null = a quantity without a mass.
alter table traceability.event
  add column input_kg numeric(24, 6),
  add column main_output_kg numeric(24, 6),
  add column co_product_kg numeric(24, 6),
  add column declared_loss_kg numeric(24, 6),
  add column yield_min numeric,
  add column yield_max numeric,
  add column mass_tolerance numeric; -- share of the input; null = the process keeps no mass balance

-- What follows from the sums, written down once for every reader. A gain is outside the balance whatever the tolerance.
create function traceability.mass_balance(
  input_kg numeric, main_output_kg numeric, co_product_kg numeric, declared_loss_kg numeric,
  yield_min numeric, yield_max numeric, mass_tolerance numeric,
  out gap_kg numeric, out gap_ratio numeric, out yield numeric, out material_yield numeric, out yield_outside boolean, out balance_outside boolean
) language sql immutable parallel safe as $$
  select gap, round(gap / used, 6), round(main_output_kg / used, 6), round((main_output_kg + co_product_kg) / used, 6),
    main_output_kg / used not between yield_min and yield_max,
    case when mass_tolerance is not null then main_output_kg + co_product_kg > used or abs(gap) / used > mass_tolerance end
  from (select nullif(input_kg, 0) as used) u,
    lateral (select used - main_output_kg - co_product_kg - declared_loss_kg as gap) g
$$;

-- The published views: what reports and other contexts may read of this one. They run with the rights of the reader.
-- Quantities are in the lot's own unit.
create view traceability.lot_v1 with (security_invoker = true) as
select l.tenant_id, l.token_id, l.id, l.chain_id, l.contract, l.tlc, l.resolved, l.asset_type, l.asset_type_name, l.gtin,
  l.process_map_name, l.process_map_version, l.uom, l.quantity / 1000000 as quantity, l.remaining / 1000000 as remaining, l.used_up,
  l.depth > 0 as is_container, l.container_token_id, l.custodian, l.pending_custodian, l.offer_no, l.expires_at, l.retired_at,
  l.retire_reason, l.recalled_at, l.holds_recalled, h.held_at, l.mint_event_id, l.mint_tx, l.mint_block, l.minted_at, l.data_hash,
  l.metadata_cid,
  exists (select from traceability.recall_affected r
          where r.tenant_id = l.tenant_id and r.token_id = l.token_id and r.to_block is null) as recall_affected,
  -- The same precedence as domain/lot-status.ts; a test holds the two together.
  case when l.retired_at is not null then 'retired'
       when l.recalled_at is not null then 'recalled'
       when l.used_up then 'consumed'
       when l.pending_custodian is not null then 'in_transit'
       when l.container_token_id is not null then 'aggregated'
       when h.held_at is not null then 'on_hold'
       when l.expires_at <= now() then 'expired'
       else 'active' end as status
from traceability.lot l
left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id
where l.to_block is null;

-- `counts`: whether it is part of computations: landed, not voided, and not a mere correction of another one's words. `metadata`,
-- `documents`, `location`, `kde`, `event_time` and the declared loss are those of the last correction, `own_metadata` what it said itself.
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
    and num_nulls(e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg) > 0 as unmeasured
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

-- Lineage that counts: what a void took back is not there.
create view traceability.edge_v1 with (security_invoker = true) as
select tenant_id, from_token, to_token, event_id, kind, quantity / 1000000 as quantity, chain_id, block_number
from traceability.edge where void_block is null;

grant select on traceability.lot_v1, traceability.event_v1, traceability.edge_v1 to trace_tenant, trace_system;
