-- Every pointer that was checked, with what was found and when (domain-decisions §6.3).
create table reports.pointer (
  tenant_id uuid not null,
  id text not null, -- first 16 hex digits of sha256(kind|subject|value)
  kind text not null check (kind in ('cid', 'dataHash', 'tx', 'nft', 'document', 'ext')),
  subject_kind text not null check (subject_kind in ('lot', 'event')),
  subject_id text not null, -- token id or event id
  token_id bigint,
  tlc text,
  process_type text,
  value text not null,
  resolved boolean,
  matches boolean,
  status text not null check (status in ('ok', 'mismatch', 'unresolved', 'not_checked')),
  rank smallint not null generated always as (case status when 'mismatch' then 0 when 'unresolved' then 1 when 'not_checked' then 2 else 3 end) stored,
  detail text not null,
  org_ids text[] not null,
  checked_at timestamptz not null,
  latency_ms integer, -- of what was asked for it; null where nothing was
  primary key (tenant_id, id)
);
create index pointer_listed on reports.pointer (tenant_id, rank, kind, id);
create index pointer_of_subject on reports.pointer (tenant_id, subject_kind, subject_id);
create index pointer_oldest on reports.pointer (tenant_id, checked_at, id);
create index pointer_faulty on reports.pointer (tenant_id, kind, id) where status in ('mismatch', 'unresolved');
create index pointer_by_value on reports.pointer (tenant_id, value) where kind = 'ext';
call persistence.protect('reports.pointer');

-- How many there are of each kind and status, moved with each check: counting millions on read takes seconds.
create table reports.pointer_tally (
  tenant_id uuid not null,
  kind text not null,
  status text not null,
  n bigint not null,
  primary key (tenant_id, kind, status)
);
call persistence.protect('reports.pointer_tally');

-- Where the sweep is. It goes over events by landing and over lots by token id, again and again.
create table reports.pointer_walk (
  tenant_id uuid primary key,
  event_block bigint not null default 0,
  event_id uuid,
  token_id bigint not null default 0,
  lap_began_at timestamptz not null,
  lap_ended_at timestamptz, -- of the last whole one
  next_at timestamptz not null
);
create index pointer_walk_due on reports.pointer_walk (next_at);
call persistence.protect('reports.pointer_walk');
