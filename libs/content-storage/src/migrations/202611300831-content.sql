grant usage on schema content to trace_system;

-- Blocks have no tenant: access is decided where a CID is looked up. Only system transactions read them.
create table content.block (
  cid text primary key,
  bytes bytea not null check (octet_length(bytes) <= 262144),
  created_at timestamptz not null default now()
);
grant select, insert, update, delete on content.block to trace_system;

-- Contents that were stored and to which no lasting record refers yet: what was prepared and is never sent has to be found. In whatever store
-- the blocks are.
create table content.unsettled (
  cid text primary key,
  stored_at timestamptz not null default now(), -- the last time
  marked_at timestamptz, -- no record referred to it; it is deleted by the next run
  deleted_at timestamptz, -- kept for a day: who stores the same content meanwhile has to know
  returned boolean not null default false -- it was marked when it was stored the last time
);
create index unsettled_age on content.unsettled (stored_at) where marked_at is null;
create index unsettled_marked on content.unsettled (marked_at) where marked_at is not null;
grant select, insert, update, delete on content.unsettled to trace_system;
