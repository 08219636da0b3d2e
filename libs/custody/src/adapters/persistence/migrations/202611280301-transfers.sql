grant usage on schema custody to trace_tenant, trace_system;

-- One row per lot and offer, or per direct move. Everything here follows from the chain: rebuilt by a reindex, undone by block.
create table custody.transfer (
  tenant_id uuid not null,
  id text not null, -- <tokenId>-<offerNo>, or a UUIDv5 for a direct move
  chain_id bigint not null,
  contract text not null,
  token_id bigint not null,
  named_token_id bigint not null, -- the lot in the call: itself, or the outermost container
  via_container_token_id bigint,
  offer_no bigint, -- null: direct
  status text not null check (status in ('pending', 'accepted', 'rejected', 'cancelled', 'direct')),
  offered_from text,
  offered_to text,
  offered_at timestamptz,
  offered_block bigint,
  offered_tx text,
  offered_log integer,
  offered_tx_log integer,
  offered_event_id uuid,
  closed_from text,
  closed_to text,
  closed_at timestamptz,
  closed_block bigint,
  closed_tx text,
  closed_log integer,
  closed_tx_log integer,
  closed_event_id uuid,
  primary key (tenant_id, id),
  check ((status = 'direct') = (offer_no is null)),
  check ((status = 'direct') = (offered_block is null)),
  check ((status = 'pending') = (closed_block is null))
);
call persistence.protect('custody.transfer');

-- The organisation's list: completed transfers from or to a wallet, newest first.
create index transfer_given on custody.transfer (tenant_id, closed_from, closed_block desc) where status in ('accepted', 'direct');
create index transfer_received on custody.transfer (tenant_id, closed_to, closed_block desc) where status in ('accepted', 'direct');
create index transfer_open on custody.transfer (tenant_id, contract, offer_no) where status = 'pending';
create index transfer_of_lot on custody.transfer (tenant_id, token_id);
-- Undoing a reorg looks at the newest blocks only.
create index transfer_offered_block on custody.transfer (chain_id, offered_block);
create index transfer_closed_block on custody.transfer (chain_id, closed_block);
