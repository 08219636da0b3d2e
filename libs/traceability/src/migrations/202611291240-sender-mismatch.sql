-- Somebody else signed than the sender that the event was prepared for (docs/spec/api.md#events-and-transactions).
alter table traceability.event add column sender_mismatch boolean not null default false;
-- Of an error declaration: EIP-55, null when it was prepared without a sender.
alter table traceability.error_declaration add column prepared_sender text;
create index event_declared_by_other on traceability.event (tenant_id) where (error_declaration ->> 'senderMismatch') = 'true';

create or replace view traceability.event_v1 with (security_invoker = true) as
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
  e.event_time as own_event_time, -- before corrections; this one has an index
  e.sender_mismatch, case when e.sender_mismatch then e.expected ->> 'from' end as prepared_sender
from traceability.event e
left join lateral (
  select a.* from traceability.event a
  where e.superseded_by is not null and a.tenant_id = e.tenant_id and a.id = traceability.last_correction(e.tenant_id, e.superseded_by)
  offset 0
) w on true
cross join lateral (select case when w.id is null then e.declared_loss_kg else w.declared_loss_kg end as declared_loss_kg) m
cross join lateral traceability.mass_balance(
  e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg, e.yield_min, e.yield_max, e.mass_tolerance) b;
