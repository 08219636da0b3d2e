grant usage on schema chain to trace_tenant, trace_system;

-- The progress of the indexer: one row per chain, written in the transaction of the block.
create table chain.cursor (
  chain_id bigint primary key,
  genesis_hash text not null,
  head_number bigint not null, -- -1: the block before genesis
  head_hash text not null,
  head_time timestamptz,
  final_number bigint not null,
  stopped text, -- why the indexer stopped and waits for an operator; null = running
  -- A command of an operator. The single writer of the chain executes it between two blocks, so nobody else writes what is indexed.
  command text check (command in ('resume', 'reindex')),
  command_to_block bigint, -- resume: undo everything after this block and follow the node from there; null = continue
  -- A reindex has not reached the head of the chain yet. Jobs wait, or they would take missing rows for deleted ones.
  rebuilding boolean not null default false,
  -- What keeps the indexer from following the chain; null while nothing does. It continues by itself when the fault has ended.
  fault text
);

-- The last blocks with their hashes, to find the common ancestor in a reorg.
create table chain.block (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  parent_hash text not null,
  primary key (chain_id, number)
);
-- A cursor without blocks comes from a dump that left the indexed state out. Jobs with a tenant's rights read it too.
grant select on chain.block to trace_tenant;

create table chain.deployment (
  chain_id bigint primary key,
  registry text not null,
  from_block bigint not null, -- the registry has no logs before it
  recorded_at timestamptz not null default now()
);

-- Factories of passkey accounts. The newest makes new accounts.
create table chain.account_factory (
  chain_id bigint not null,
  address text not null,
  recorded_at timestamptz not null default now(),
  primary key (chain_id, address)
);

grant select, insert, update, delete on chain.cursor, chain.block, chain.deployment, chain.account_factory to trace_system;

grant select on chain.cursor, chain.deployment to trace_tenant;
