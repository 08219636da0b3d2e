-- A block that is taken back takes its releases with it; and a lot of another code under the same number is another lot.
alter table recall.hold
  add column released_block bigint, -- of the block that ended it; null when somebody did
  add column tlc_hash text; -- of the lot that quality stopped, keccak256 of its code; null for a recall's
create index hold_by_release on recall.hold (chain_id, released_block) where released_block is not null;

-- Recalls whose holds somebody ended for the future too. Apart from the recall, whose row goes and comes again with its block.
create table recall.propagation_end (
  tenant_id uuid not null,
  recall_id uuid not null,
  ended_at timestamptz not null,
  ended_by text not null, -- user or API key id
  primary key (tenant_id, recall_id)
);
call persistence.protect('recall.propagation_end');
set local role trace_system;
insert into recall.propagation_end (tenant_id, recall_id, ended_at, ended_by)
select tenant_id, id, holds_released_at, '' from recall.recall where holds_released_at is not null;
reset role;
drop index recall.recall_holding;
alter table recall.recall drop column holds_released_at;
create index recall_holding on recall.recall (tenant_id) where propagation = 'hold';
