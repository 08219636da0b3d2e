-- Blocks have no tenant: a CID says nothing about who asks, and access is decided where a CID is looked up.
-- Only system transactions reach them; a tenant's transaction never needs the bytes.
create table content.block (
  cid text primary key,
  bytes bytea not null check (octet_length(bytes) <= 262144),
  created_at timestamptz not null default now()
);
grant usage on schema content to trace_system;
grant select, insert, update on content.block to trace_system;
