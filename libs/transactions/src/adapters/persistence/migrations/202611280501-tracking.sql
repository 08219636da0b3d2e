grant usage on schema transactions to trace_tenant, trace_system;

-- Hashes that somebody asked to watch. The same hash twice in one tenant is the same row.
create table transactions.tracked (
  tenant_id uuid not null,
  id uuid not null,
  chain_id bigint not null,
  tx_hash text not null, -- lower-case hex
  type text not null,
  status text not null check (status in ('submitted', 'pending', 'confirming', 'confirmed', 'failed', 'replaced', 'dropped')),
  owner_kind text not null check (owner_kind in ('user', 'api_key')),
  owner_id text not null,
  from_address text,
  to_address text,
  nonce bigint,
  block_number bigint,
  block_hash text,
  gas_used text,
  effective_gas_price text, -- wei
  revert_reason text,
  replaced_by text,
  event_id uuid, -- what the calldata records
  submitted_at timestamptz not null,
  last_checked_at timestamptz,
  confirmed_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, chain_id, tx_hash)
);
create index tracked_open on transactions.tracked (chain_id, last_checked_at nulls first) where status in ('submitted', 'pending', 'confirming');
create index tracked_by_owner on transactions.tracked (tenant_id, owner_kind, owner_id, submitted_at desc);
call persistence.protect('transactions.tracked');

-- What each transaction did to a tenant's contract, from its logs: tracked or not, so that a hash tracked late finds it too.
create table transactions.landed (
  tenant_id uuid not null,
  chain_id bigint not null,
  tx_hash text not null,
  contract text not null,
  block_number bigint not null,
  event_ids uuid[] not null,
  token_ids bigint[] not null, -- minted, moved, recalled or retired; ascending
  transfer_ids text[] not null,
  primary key (tenant_id, tx_hash, contract)
);
create index landed_by_block on transactions.landed (chain_id, block_number);
call persistence.protect('transactions.landed');
