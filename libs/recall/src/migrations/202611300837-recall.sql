grant usage on schema recall to trace_tenant, trace_system;

-- One row per landed call of recall or recallMany.
create table recall.recall (
  tenant_id uuid not null,
  id uuid not null, -- UUIDv5 of (chain, contract, transaction, log)
  chain_id bigint not null,
  contract text not null,
  data_hash text not null, -- sha2-256 of the notice, lower-case hex; zero = none
  reason text,
  recall_class text check (recall_class in ('I', 'II', 'III', 'withdrawal', 'unclassified')),
  depth text check (depth in ('consumer', 'retail', 'wholesale')),
  propagation text not null check (propagation in ('none', 'flag', 'hold', 'recall')),
  reference text,
  instructions text,
  resolved boolean not null, -- false = the notice could not be read yet
  recalled_by text not null,
  recalled_at timestamptz not null,
  block_number bigint not null,
  tx_hash text not null,
  log_index integer not null,
  tx_log_index integer not null,
  -- What the recall reached when it was prepared, from its notice; null for a call sent to the contract directly.
  prepared_affected integer,
  prepared_block bigint,
  -- Somebody else signed than the sender that it was prepared for.
  sender_mismatch boolean not null default false,
  prepared_sender text, -- EIP-55, where another one signed; null when it was prepared without a sender
  -- A notice that was missing when its recall landed is requested again, with growing intervals.
  notice_tries smallint not null default 0,
  notice_next_at timestamptz, -- null = not tried again yet
  primary key (tenant_id, id)
);
create index recall_by_time on recall.recall (tenant_id, block_number desc, log_index desc);
create index recall_by_block on recall.recall (chain_id, block_number);
create index recall_unresolved on recall.recall (tenant_id) where not resolved;
create index recall_notice_due on recall.recall (notice_next_at nulls first) where not resolved;
create index recall_of_other_sender on recall.recall (tenant_id) where sender_mismatch;
create index recall_holding on recall.recall (tenant_id) where propagation = 'hold';
call persistence.protect('recall.recall');
-- A notice that was found late.
call persistence.revise_on('recall.recall', 'update', 'old.notice_tries = new.notice_tries');

-- The lots that a recall flagged. After lifting, another recall can flag a lot again.
create table recall.recalled_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  recall_id uuid not null,
  chain_id bigint not null,
  lifted_by text,
  lifted_at timestamptz,
  lifted_block bigint,
  lifted_tx text,
  -- Of the lifting, as of the recall.
  lifted_sender_mismatch boolean not null default false,
  lifted_prepared_sender text,
  lifted_reason text, -- from the notice of the lifting; null where it could not be read
  primary key (tenant_id, token_id, recall_id),
  foreign key (tenant_id, recall_id) references recall.recall on delete cascade
);
create index recalled_lot_by_recall on recall.recalled_lot (tenant_id, recall_id);
create index recalled_lot_lifted on recall.recalled_lot (chain_id, lifted_block) where lifted_block is not null;
create index recalled_lot_lifted_by_other on recall.recalled_lot (tenant_id) where lifted_sender_mismatch;
call persistence.protect('recall.recalled_lot');

-- For whom recalls and liftings were prepared here, by the hash of their notice.
create table recall.prepared_notice (
  tenant_id uuid not null,
  data_hash text not null,
  sender text, -- EIP-55; null when it was prepared without one
  org_id text, -- of who prepared it
  prepared_at timestamptz not null,
  primary key (tenant_id, data_hash)
);
call persistence.protect('recall.prepared_notice');

-- Why lots are on hold, one row per source. `traceability.lot_hold` says that a lot is on hold at all.
create table recall.hold (
  tenant_id uuid not null,
  token_id bigint not null,
  source text not null, -- 'quality', or the id of the recall that holds it
  reason text not null,
  held_by text not null, -- user or API key id; the recalling address for a recall's
  held_at timestamptz not null,
  chain_id bigint, -- of the block that placed it; null when a user did
  block_number bigint,
  released_by text,
  released_at timestamptz,
  -- A reorg undoes the releases of its blocks. After it, another lot may have the same token id.
  released_block bigint, -- of the block that ended it; null when a user did
  tlc_hash text, -- hash of the key of the lot that quality put on hold; null for holds of a recall
  primary key (tenant_id, token_id, source)
);
create index hold_by_source on recall.hold (tenant_id, source) where released_at is null;
create index hold_by_block on recall.hold (chain_id, block_number) where block_number is not null;
create index hold_by_release on recall.hold (chain_id, released_block) where released_block is not null;
call persistence.protect('recall.hold');

-- Mock recalls with their stored report.
create table recall.drill (
  tenant_id uuid not null,
  id uuid not null,
  token_id bigint not null,
  tlc text not null,
  drawn boolean not null, -- chosen at random; false = the caller named it
  started_at timestamptz not null,
  started_by text not null,
  score numeric not null,
  report jsonb not null,
  asks boolean not null default false, -- holders are asked to acknowledge it as if it were a recall
  primary key (tenant_id, id)
);
create index drill_by_time on recall.drill (tenant_id, started_at desc, id);
create index drill_age on recall.drill (started_at);
call persistence.protect('recall.drill');
revoke update, delete on recall.drill from trace_tenant;

-- What holders did with lots of recalls and drills. The last row of a lot counts. Not deleted with a recall that a reorg writes again: what a
-- holder did with goods happened.
create table recall.acknowledgement (
  tenant_id uuid not null,
  id uuid not null,
  recall_id uuid not null, -- of the recall or the drill
  token_id bigint not null,
  holder text not null, -- EIP-55 address that held the lot
  org_id text,
  state text not null check (state in ('quarantined', 'returned', 'destroyed', 'not_found')),
  quantity numeric, -- null = the whole lot
  uom text,
  acknowledged_by text not null, -- user or API key id
  acknowledged_at timestamptz not null,
  primary key (tenant_id, id)
);
create index acknowledgement_latest on recall.acknowledgement (tenant_id, recall_id, token_id, acknowledged_at desc, id desc);
call persistence.protect('recall.acknowledgement');
revoke update, delete on recall.acknowledgement from trace_tenant;

-- Recalls whose hold propagation a user ended. Not a column of the recall, whose row a reorg deletes and writes again.
create table recall.propagation_end (
  tenant_id uuid not null,
  recall_id uuid not null,
  ended_at timestamptz not null,
  ended_by text not null, -- user or API key id
  primary key (tenant_id, recall_id)
);
call persistence.protect('recall.propagation_end');

-- The published views. Recalls and liftings with the lots of each call, by time: for EPCIS export.
create view recall.recall_change_v1 with (security_invoker = true) as
select r.tenant_id, r.id as recall_id, 'recalled' as change, r.recalled_at as at, r.block_number, r.tx_hash, r.reason, r.recall_class,
  (select array_agg(l.token_id order by l.token_id) from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id) as token_ids,
  r.sender_mismatch, r.recalled_by as signer, r.prepared_sender
from recall.recall r
union all
select l.tenant_id, l.recall_id, 'lifted', l.lifted_at, l.lifted_block, l.lifted_tx, null, null, array_agg(l.token_id order by l.token_id),
  l.lifted_sender_mismatch, l.lifted_by, l.lifted_prepared_sender
from recall.recalled_lot l where l.lifted_at is not null
group by l.tenant_id, l.recall_id, l.lifted_at, l.lifted_block, l.lifted_tx, l.lifted_sender_mismatch, l.lifted_by, l.lifted_prepared_sender;

-- Drills that ask the holders.
create view recall.asking_drill_v1 with (security_invoker = true) as
select tenant_id, id, started_at from recall.drill where asks;

-- Recalled lots with the instructions of the notice for the holders.
create view recall.open_recall_v1 with (security_invoker = true) as
select l.tenant_id, l.token_id, r.id as recall_id, r.recall_class, r.reason, r.recalled_at, r.instructions, r.depth
from recall.recalled_lot l join recall.recall r on r.tenant_id = l.tenant_id and r.id = l.recall_id
where l.lifted_block is null;

grant select on recall.recall_change_v1, recall.open_recall_v1, recall.asking_drill_v1 to trace_tenant, trace_system;
