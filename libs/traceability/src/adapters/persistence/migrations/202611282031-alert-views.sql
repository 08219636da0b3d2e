-- Events of a tenant in the order of landing: whoever follows them goes on from a block.
create index event_landed on traceability.event (tenant_id, block_number, id) where block_number is not null;

-- When something about an event changed, by block: it landed, was voided, or was corrected. One event may be there several times.
create view traceability.event_change_v1 with (security_invoker = true) as
select tenant_id, chain_id, id, block_number from traceability.event where block_number is not null
union all
select tenant_id, chain_id, id, void_block from traceability.event where void_block is not null
union all
select tenant_id, chain_id, id, superseded_block from traceability.event where superseded_block is not null;

-- The id of an event in the contract's logs; one that was sent there without us has an id of its own here.
create view traceability.event_key_v1 with (security_invoker = true) as
select tenant_id, id, chain_event_id from traceability.event;

-- Published process maps with the limits that they set; null = the map does not say. Months count as 30 days.
create view traceability.process_map_v1 with (security_invoker = true) as
select tenant_id, name, version, published_at, document ->> 'chainOfCustody' as chain_of_custody,
  (document #>> '{defaults,massBalanceTolerance}')::numeric as mass_balance_tolerance,
  extract(epoch from (document #>> '{defaults,lateAfter}')::interval)::bigint as late_after_seconds,
  extract(epoch from (document #>> '{defaults,custodyAcceptWithin}')::interval)::bigint as custody_accept_within_seconds,
  extract(epoch from (document #>> '{defaults,expiringSoonWithin}')::interval)::bigint as expiring_soon_within_seconds,
  document -> 'assetTypes' as asset_types, document -> 'processes' as processes
from traceability.process_map;

grant select on traceability.event_change_v1, traceability.event_key_v1, traceability.process_map_v1 to trace_tenant, trace_system;
