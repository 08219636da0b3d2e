-- Lots that stand recalled, with what the notice says; null where it could not be read.
create view recall.standing_v1 with (security_invoker = true) as
select l.tenant_id, l.token_id, r.id as recall_id, r.recall_class, r.reason, r.recalled_at
from recall.recalled_lot l join recall.recall r on r.tenant_id = l.tenant_id and r.id = l.recall_id
where l.lifted_block is null;
grant select on recall.standing_v1 to trace_tenant, trace_system;
