-- Final events whose block was undone. A job deletes the row when the event is there again, or informs the tenant when the chain has become
-- final beyond the block without it (docs/spec/reliability.md#chain).
create table traceability.retraction (
  tenant_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null, -- of the block that was undone
  block_time timestamptz not null,
  tx_hash text not null,
  facts jsonb not null, -- the other fields of the topic
  noted_at timestamptz not null default now(),
  announced_at timestamptz, -- null = not decided yet
  primary key (tenant_id, id)
);
create unique index retraction_undecided on traceability.retraction (tenant_id, event_id) where announced_at is null;
create index retraction_due on traceability.retraction (chain_id, block_number) where announced_at is null;
create index retraction_announced on traceability.retraction (announced_at) where announced_at is not null;
call persistence.protect('traceability.retraction');
