-- Where a request left its trace for what comes back from the chain: by the id of an event, the hash of a transaction. Kept for a week.
create table persistence.trace_origin (
  tenant_id uuid not null,
  key text not null,
  traceparent text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, key)
);
create index trace_origin_age on persistence.trace_origin (tenant_id, created_at);
call persistence.protect('persistence.trace_origin');

-- With which trace a delivery goes on; null where it is not recorded.
alter table persistence.outbox add column traceparent text;
