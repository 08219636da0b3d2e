-- Recalls and their liftings with the lots of each call: for those who tell them elsewhere, by time.
create view recall.recall_step_v1 with (security_invoker = true) as
select r.tenant_id, r.id as recall_id, 'recalled' as step, r.recalled_at as at, r.block_number, r.tx_hash, r.reason, r.recall_class,
  (select array_agg(l.token_id order by l.token_id) from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id) as token_ids
from recall.recall r
union all
select l.tenant_id, l.recall_id, 'lifted', l.lifted_at, l.lifted_block, l.lifted_tx, null, null, array_agg(l.token_id order by l.token_id)
from recall.recalled_lot l where l.lifted_at is not null
group by l.tenant_id, l.recall_id, l.lifted_at, l.lifted_block, l.lifted_tx;

grant select on recall.recall_step_v1 to trace_tenant, trace_system;
