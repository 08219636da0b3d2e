-- What reports may read of transfers: one row a lot, its contents' too where a container was handed over. With the reader's rights.
create view custody.transfer_v1 with (security_invoker = true) as
select tenant_id, id, token_id, named_token_id, via_container_token_id, status, coalesce(closed_from, offered_from) as from_address,
  coalesce(closed_to, offered_to) as to_address, offered_at, offered_block, closed_at, closed_block, closed_log
from custody.transfer;

grant select on custody.transfer_v1 to trace_tenant, trace_system;
