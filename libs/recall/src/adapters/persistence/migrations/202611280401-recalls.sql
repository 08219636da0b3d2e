grant usage on schema recall to trace_tenant, trace_system;

-- One row per call of recall or recallMany that landed.
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
  resolved boolean not null, -- false: the notice could not be read yet
  recalled_by text not null,
  recalled_at timestamptz not null,
  block_number bigint not null,
  tx_hash text not null,
  log_index integer not null,
  tx_log_index integer not null,
  primary key (tenant_id, id)
);
create index recall_by_time on recall.recall (tenant_id, block_number desc, log_index desc);
create index recall_by_block on recall.recall (chain_id, block_number);
create index recall_unresolved on recall.recall (tenant_id) where not resolved;
call persistence.protect('recall.recall');

-- The lots a recall flagged. A lifted one can be recalled again, by another recall.
create table recall.recalled_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  recall_id uuid not null,
  chain_id bigint not null,
  lifted_by text,
  lifted_at timestamptz,
  lifted_block bigint,
  lifted_tx text,
  primary key (tenant_id, token_id, recall_id),
  foreign key (tenant_id, recall_id) references recall.recall on delete cascade
);
create index recalled_lot_by_recall on recall.recalled_lot (tenant_id, recall_id);
create index recalled_lot_lifted on recall.recalled_lot (chain_id, lifted_block) where lifted_block is not null;
call persistence.protect('recall.recalled_lot');
