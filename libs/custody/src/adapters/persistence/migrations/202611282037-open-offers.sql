-- Offers that wait for an answer. Containers are offered with their contents: each lot has a row of its own.
create view custody.open_offer_v1 with (security_invoker = true) as
select tenant_id, id, token_id, named_token_id, offered_from, offered_to, offered_at, offered_block
from custody.transfer where status = 'pending';
grant select on custody.open_offer_v1 to trace_tenant, trace_system;
