grant usage on schema chain to trace_tenant, trace_system;

-- How far the projection has come: one row per chain, written in the transaction of the block it tells about.
create table chain.cursor (
  chain_id bigint primary key,
  genesis_hash text not null,
  head_number bigint not null, -- -1: the block before genesis
  head_hash text not null,
  head_time timestamptz,
  final_number bigint not null,
  stopped text -- why an operator has to look first; null = it goes on
);

-- The last blocks with their hashes, to find the common ancestor in a reorg.
create table chain.block (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  parent_hash text not null,
  primary key (chain_id, number)
);

create table chain.deployment (
  chain_id bigint primary key,
  registry text not null,
  from_block bigint not null, -- nothing of the registry's lies before
  recorded_at timestamptz not null default now()
);

grant select on chain.cursor, chain.deployment to trace_tenant;
grant select, insert, update, delete on chain.cursor, chain.block, chain.deployment to trace_system;
