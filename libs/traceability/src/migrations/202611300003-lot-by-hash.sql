-- For lookups by a Digital Link: they find lots of a void too, which `lot_by_key` leaves out.
create index lot_by_hash on traceability.lot (tenant_id, tlc_hash) where to_block is null;
