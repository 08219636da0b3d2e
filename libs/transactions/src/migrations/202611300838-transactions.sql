grant usage on schema transactions to trace_tenant, trace_system;

-- Transactions to watch. A hash has one row per tenant.
create table transactions.tracked (
  tenant_id uuid not null,
  id uuid not null,
  chain_id bigint not null,
  tx_hash text, -- lower-case hex; null while a relay was not sent yet
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
  -- Of a relayed call: its transaction may have others, and may be replaced by one with higher fees.
  relay_id uuid,
  call_index integer,
  paid_by text, -- the sponsor
  signed_by text, -- id of the passkey
  lands_until timestamptz, -- anybody may send the signed batch again until then
  primary key (tenant_id, id)
);
create unique index tracked_hash on transactions.tracked (tenant_id, chain_id, tx_hash) where relay_id is null;
create index tracked_relayed_hash on transactions.tracked (tenant_id, chain_id, tx_hash) where relay_id is not null;
create unique index tracked_of_relay on transactions.tracked (tenant_id, relay_id, call_index) where relay_id is not null;
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

-- What the sponsor may pay for a tenant. A row appears when somebody sets something; null is the setting of the operator.
create table transactions.sponsorship (
  tenant_id uuid primary key,
  ceiling_wei numeric(40), -- a day; the platform administrator's
  limit_wei numeric(40), -- a day; the tenant's own, which only lowers it
  relays_per_hour integer -- of each member
);
call persistence.protect('transactions.sponsorship');

-- Batches that passkeys signed and the sponsor sends.
create table transactions.relay (
  tenant_id uuid not null,
  id uuid not null,
  chain_id bigint not null,
  account text not null,
  user_id uuid not null,
  passkey_id text not null,
  paid_by text not null, -- the sponsor, EIP-55
  key_id text not null,
  lane integer not null,
  sequence bigint not null,
  deadline timestamptz not null,
  data text not null, -- calldata for the account
  factory text not null,
  deploy text not null, -- calldata for the factory, in case that the account is not deployed yet
  prepared uuid[] not null,
  -- sent: it has a nonce; ended ones are mined, reverted, expired (not in time) and refused (it would have reverted)
  status text not null check (status in ('queued', 'sent', 'mined', 'reverted', 'expired', 'refused')),
  wei numeric(40) not null, -- reserved; what it cost, once it has ended
  -- Reserved: no transaction for it may cost more.
  batch_wei numeric(40) not null,
  deploy_wei numeric(40) not null, -- for the deployment of the account
  reason text,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index relay_place on transactions.relay (tenant_id, account, key_id, lane, sequence) where status in ('queued', 'sent', 'mined');
create index relay_queued on transactions.relay (chain_id, created_at) where status = 'queued';
create index relay_by_time on transactions.relay (tenant_id, created_at);
create index relay_ended on transactions.relay (created_at) where status not in ('queued', 'sent');
call persistence.protect('transactions.relay');

-- What the sponsor sent, by nonce. Written before it is sent, so that a sponsor that dies in between sends the same bytes again.
create table transactions.sponsor_transaction (
  chain_id bigint not null,
  sender text not null,
  nonce bigint not null,
  kind text not null check (kind in ('relay', 'deploy', 'fill')), -- fill: uses up a nonce that nothing else needs any more
  tenant_id uuid,
  relay_id uuid,
  to_address text not null,
  data text not null,
  gas_limit bigint not null,
  max_fee numeric(40) not null,
  tip numeric(40) not null,
  raw text not null, -- the last one that was sent
  hashes text[] not null, -- of all that were sent with this nonce, the last one at the end
  sent_at timestamptz not null,
  created_at timestamptz not null,
  -- The last receipt; null while no block has it.
  mined_hash text,
  block_number bigint,
  wei numeric(40) not null default 0, -- what it cost
  settled boolean not null default false, -- final: not followed any more
  primary key (chain_id, sender, nonce)
);
create index sponsor_transaction_of_relay on transactions.sponsor_transaction (relay_id) where relay_id is not null;
create index sponsor_transaction_open on transactions.sponsor_transaction (chain_id, sender, nonce) where not settled;
create index sponsor_transaction_old on transactions.sponsor_transaction (created_at) where settled;

-- Who sends on this chain, as last reported.
create table transactions.sponsor (
  chain_id bigint primary key,
  address text not null,
  balance numeric(40) not null, -- wei
  seen_at timestamptz not null
);
grant select, insert, update, delete on transactions.sponsor_transaction, transactions.sponsor to trace_system;
grant select on transactions.sponsor to trace_tenant;
alter table transactions.sponsor_transaction enable row level security;
alter table transactions.sponsor_transaction force row level security;
create policy of_system on transactions.sponsor_transaction to trace_system using (true) with check (true);

-- The published view. `confirmed_at` of a failed transaction is the time when the failure was final.
create view transactions.tracked_v1 with (security_invoker = true) as
select tenant_id, id, chain_id, tx_hash, type, status, from_address, event_id, revert_reason, submitted_at, confirmed_at
from transactions.tracked;

create view transactions.relay_v1 with (security_invoker = true) as
select tenant_id, id, chain_id, account, passkey_id as signed_by, paid_by, cardinality(prepared) as calls, status, wei, created_at
from transactions.relay;

grant select on transactions.tracked_v1, transactions.relay_v1 to trace_tenant, trace_system;
