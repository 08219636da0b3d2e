-- A walk reads all that it asks of an edge from the index, in either direction and as of any block: no page of the table.
alter table traceability.edge drop constraint edge_pkey,
  add primary key (tenant_id, from_token, to_token) include (kind, void_block, block_number);
drop index traceability.edge_backwards;
create index edge_backwards on traceability.edge (tenant_id, to_token) include (from_token, kind, void_block, block_number);
