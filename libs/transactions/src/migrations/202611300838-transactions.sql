grant usage on schema transactions to trace_tenant, trace_system;

-- Transactions to watch. A hash has one row per tenant.
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
  -- For following a transaction over replacement, loss and reorgs.
  block_time timestamptz,
  event_data_hash text, -- what the calldata commits its event to
  unseen_since timestamptz, -- time of the first poll that did not find it any more
  next_check_at timestamptz not null default 'epoch', -- when the hash is looked for again; in the past: with every new head
  primary key (tenant_id, id),
  unique (tenant_id, chain_id, tx_hash)
);
create index tracked_by_owner on transactions.tracked (tenant_id, owner_kind, owner_id, submitted_at desc);
create index tracked_by_status on transactions.tracked (tenant_id, owner_kind, owner_id, status, submitted_at desc);
-- Open and failed transactions are few among many confirmed ones.
create index tracked_open_of_tenant on transactions.tracked (tenant_id, submitted_at) where status in ('submitted', 'pending', 'confirming');
create index tracked_failed on transactions.tracked (tenant_id, confirmed_at) where status = 'failed';
-- What a poll looks for, by tenant, so that each poll takes some of every tenant. The time of the last poll is in no index, so that a
-- poll that changes nothing else costs little.
create index tracked_due on transactions.tracked (chain_id, tenant_id, next_check_at) where status in ('submitted', 'pending', 'confirming', 'dropped', 'replaced');
create index tracked_new on transactions.tracked (chain_id) where status in ('submitted', 'pending', 'confirming') and last_checked_at is null;
-- How many hashes of a tenant no node has seen yet: they are bounded.
create index tracked_never_seen on transactions.tracked (tenant_id) where status = 'submitted';
-- For the retention: those that are looked for no more.
create index tracked_ended on transactions.tracked (coalesce(confirmed_at, submitted_at)) where status in ('confirmed', 'failed', 'replaced');
create index tracked_dropped on transactions.tracked (submitted_at) where status = 'dropped';
call persistence.protect('transactions.tracked');

-- Effects of each transaction on a tenant's contract, from its logs. Also for untracked ones: a hash may be tracked later.
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

-- The published view. `confirmed_at` of a failed transaction is the time when the failure was final.
create view transactions.tracked_v1 with (security_invoker = true) as
select tenant_id, id, chain_id, tx_hash, type, status, from_address, event_id, revert_reason, submitted_at, confirmed_at
from transactions.tracked;

grant select on transactions.tracked_v1 to trace_tenant, trace_system;
