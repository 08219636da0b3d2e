-- Who is affected by which recall now; a recalled lot stands under itself as well.
create view traceability.recall_affected_v1 with (security_invoker = true) as
select tenant_id, token_id, root_token_id from traceability.recall_affected where to_block is null;

-- What was left of a lot from one block on until another; several versions of one block follow each other by log.
create view traceability.lot_version_v1 with (security_invoker = true) as
select tenant_id, token_id, from_block, from_log, to_block, to_log, remaining / 1000000 as remaining, uom, unit_kg, custodian, depth > 0 as is_container
from traceability.lot;

grant select on traceability.recall_affected_v1, traceability.lot_version_v1 to trace_tenant, trace_system;
