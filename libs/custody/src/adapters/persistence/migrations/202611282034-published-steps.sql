-- Offers and their ends that no event tells of, one row a lot that the call named: for those who tell them elsewhere, by time.
create index transfer_told_offered on custody.transfer (tenant_id, offered_at desc, id collate "C")
  where offered_event_id is null and offered_at is not null and token_id = named_token_id;
create index transfer_told_closed on custody.transfer (tenant_id, closed_at desc, id collate "C")
  where closed_event_id is null and closed_at is not null and token_id = named_token_id;

create view custody.offer_step_v1 with (security_invoker = true) as
select tenant_id, id, token_id, 'offered' as step, chain_id, offered_at as at, offered_block as block_number, offered_from as from_address,
  offered_to as to_address, offered_tx as tx_hash
from custody.transfer where offered_event_id is null and offered_at is not null and token_id = named_token_id;

create view custody.closing_step_v1 with (security_invoker = true) as
select tenant_id, id, token_id, status as step, chain_id, closed_at as at, closed_block as block_number, closed_from as from_address,
  closed_to as to_address, closed_tx as tx_hash
from custody.transfer where closed_event_id is null and closed_at is not null and token_id = named_token_id;

grant select on custody.offer_step_v1, custody.closing_step_v1 to trace_tenant, trace_system;
