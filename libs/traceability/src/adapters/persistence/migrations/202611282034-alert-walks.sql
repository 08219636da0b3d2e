-- What is there and has a date, by it. The index of the lists is on an expression that row-level security keeps from being used.
create index lot_with_date on traceability.lot (tenant_id, expires_at)
  where to_block is null and expires_at is not null and retired_at is null and not used_up;

-- `change` lets a reader ask for one kind at a time: each has an index, all together have none.
create or replace view traceability.event_change_v1 with (security_invoker = true) as
select tenant_id, chain_id, id, block_number, 'landed' as change from traceability.event where block_number is not null
union all
select tenant_id, chain_id, id, void_block, 'voided' from traceability.event where void_block is not null
union all
select tenant_id, chain_id, id, superseded_block, 'superseded' from traceability.event where superseded_block is not null;

-- With the block, so that landed events can be read in their order.
create or replace view traceability.event_key_v1 with (security_invoker = true) as
select tenant_id, id, chain_event_id, chain_id, block_number from traceability.event;
