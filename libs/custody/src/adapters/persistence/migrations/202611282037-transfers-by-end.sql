-- Ended transfers of a tenant by block: for whoever follows them.
create index transfer_ended on custody.transfer (tenant_id, closed_block, id collate "C") where closed_block is not null;
