-- With what the notice tells whoever has the goods.
create or replace view recall.standing_v1 with (security_invoker = true) as
select l.tenant_id, l.token_id, r.id as recall_id, r.recall_class, r.reason, r.recalled_at, r.instructions, r.depth
from recall.recalled_lot l join recall.recall r on r.tenant_id = l.tenant_id and r.id = l.recall_id
where l.lifted_block is null;
