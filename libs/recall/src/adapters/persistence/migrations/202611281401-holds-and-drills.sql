-- What a recall reached when it was prepared, as its notice says; null for one that was sent to the contract directly.
alter table recall.recall
  add column prepared_affected integer,
  add column prepared_block bigint,
  add column holds_released_at timestamptz; -- its holds were ended: lots minted later are not held by it
create index recall_holding on recall.recall (tenant_id) where propagation = 'hold' and holds_released_at is null;

-- Why lots are on hold. A lot is held once for each source; `traceability.lot_hold` says that it is held at all.
create table recall.hold (
  tenant_id uuid not null,
  token_id bigint not null,
  source text not null, -- 'quality', or the id of the recall that holds it
  reason text not null,
  held_by text not null, -- user or API key id; the recalling address for a recall's
  held_at timestamptz not null,
  chain_id bigint, -- of the block that placed it; null when somebody did
  block_number bigint,
  released_by text,
  released_at timestamptz,
  primary key (tenant_id, token_id, source)
);
create index hold_by_source on recall.hold (tenant_id, source) where released_at is null;
create index hold_by_block on recall.hold (chain_id, block_number) where block_number is not null;
call persistence.protect('recall.hold');

-- Mock recalls: a report that is made once and kept.
create table recall.drill (
  tenant_id uuid not null,
  id uuid not null,
  token_id bigint not null,
  tlc text not null,
  drawn boolean not null, -- by lot; false = the caller named it
  started_at timestamptz not null,
  started_by text not null,
  score numeric not null,
  report jsonb not null,
  primary key (tenant_id, id)
);
create index drill_by_time on recall.drill (tenant_id, started_at desc, id);
call persistence.protect('recall.drill');
revoke update, delete on recall.drill from trace_tenant;
