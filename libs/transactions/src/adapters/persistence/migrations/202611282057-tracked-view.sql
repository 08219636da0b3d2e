-- Open and failed ones of a tenant are few among many that were confirmed.
create index tracked_open_of_tenant on transactions.tracked (tenant_id, submitted_at) where status in ('submitted', 'pending', 'confirming');
create index tracked_failed on transactions.tracked (tenant_id, confirmed_at) where status = 'failed';

-- `confirmed_at` of a failed one is when that was final.
create view transactions.tracked_v1 with (security_invoker = true) as
select tenant_id, id, chain_id, tx_hash, type, status, from_address, event_id, revert_reason, submitted_at, confirmed_at
from transactions.tracked;
grant select on transactions.tracked_v1 to trace_tenant, trace_system;
