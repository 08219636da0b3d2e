-- The lots under a beginning of a code, newest first: which they are is told by the index alone, however many there are.
create index lot_by_code on traceability.lot (tenant_id, tlc text_pattern_ops, token_id) where to_block is null;
drop index traceability.lot_by_tlc;
