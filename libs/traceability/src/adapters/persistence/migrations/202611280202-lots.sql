-- Every version of every lot: what stood on chain about it from one log on (included) until another (excluded); the open
-- version is the current lot. It answers "as of", what lay in a container after a log, and the undoing of a reorg alike.
create table traceability.lot (
  tenant_id uuid not null,
  token_id bigint not null,
  from_block bigint not null,
  from_log integer not null,
  to_block bigint, -- null = current
  to_log integer,
  id uuid not null, -- UUIDv5 of (chain, contract, token)
  chain_id bigint not null,
  contract text not null,
  tlc text not null, -- the code, or its hash while `resolved` is false
  tlc_hash text not null,
  resolved boolean not null,
  asset_type text,
  asset_type_hash text not null,
  asset_type_name text,
  gtin text,
  process_map_name text,
  process_map_version text,
  uom text,
  quantity numeric, -- millionths of uom, up to 80 bits; null = unmeasured
  depth smallint not null, -- 0 goods, 1..8 a container
  expires_at timestamptz,
  mint_event_id uuid not null,
  mint_tx text not null,
  mint_block bigint not null,
  minted_at timestamptz not null,
  data_hash text not null,
  metadata_cid text not null,
  custodian text not null, -- EIP-55; of a contained lot its outermost container's
  pending_custodian text,
  offer_no bigint, -- of the latest offer, open or closed
  container_token_id bigint,
  remaining numeric,
  used_up boolean not null,
  retired_at timestamptz,
  retire_reason text check (retire_reason in ('sold', 'disposed', 'destroyed', 'lost', 'sampled', 'voided', 'exported', 'unpacked', 'migrated')),
  recalled_at timestamptz,
  holds_recalled boolean not null,
  primary key (tenant_id, token_id, from_block, from_log),
  check ((to_block is null) = (to_log is null))
);
create unique index lot_current on traceability.lot (tenant_id, token_id) where to_block is null;
-- text_pattern_ops: prefix search by comparison, whatever the database's collation; LIKE is not leakproof and would be kept
-- from the index by row-level security. Not unique: a void frees the code for another lot.
create index lot_by_tlc on traceability.lot (tenant_id, tlc text_pattern_ops) where to_block is null;
create index lot_by_custodian on traceability.lot (tenant_id, custodian, token_id) where to_block is null;
create index lot_by_pending on traceability.lot (tenant_id, pending_custodian) where to_block is null and pending_custodian is not null;
create index lot_by_container on traceability.lot (tenant_id, container_token_id) where container_token_id is not null;
create index lot_opened on traceability.lot (chain_id, from_block);
create index lot_closed on traceability.lot (chain_id, to_block) where to_block is not null;
call persistence.protect('traceability.lot');

-- Which events name which lot, as input or output: events of a lot, and how many.
create table traceability.event_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  event_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null,
  primary key (tenant_id, token_id, event_id)
);
create index event_lot_by_block on traceability.event_lot (chain_id, block_number);
call persistence.protect('traceability.event_lot');

-- Lineage: always from an older token to a newly minted one, so without loops. A token is minted by one event, so the pair is the key.
create table traceability.edge (
  tenant_id uuid not null,
  from_token bigint not null,
  to_token bigint not null,
  event_id uuid not null,
  kind text not null check (kind in ('transformation', 'containment')),
  quantity numeric, -- millionths of the source's unit; null = containment, or all of an unmeasured lot
  chain_id bigint not null,
  block_number bigint not null,
  void_block bigint, -- the event was voided there: the edge leaves every computation
  primary key (tenant_id, from_token, to_token)
);
create index edge_backwards on traceability.edge (tenant_id, to_token) include (from_token, kind, void_block);
create index edge_by_block on traceability.edge (chain_id, block_number);
create index edge_by_void on traceability.edge (chain_id, void_block) where void_block is not null;
call persistence.protect('traceability.edge');

-- Off-chain stops, placed and released by recall (propagation `hold`) or quality.
create table traceability.lot_hold (
  tenant_id uuid not null,
  token_id bigint not null,
  held_at timestamptz not null,
  reason text not null,
  primary key (tenant_id, token_id)
);
call persistence.protect('traceability.lot_hold');

-- The affected set of every landed recall (domain-decisions §3): written when it lands, extended at each mint, closed when
-- it is lifted or the event that linked a lot is voided.
create table traceability.recall_affected (
  tenant_id uuid not null,
  token_id bigint not null,
  root_token_id bigint not null,
  chain_id bigint not null,
  from_block bigint not null,
  to_block bigint,
  primary key (tenant_id, token_id, root_token_id, from_block)
);
create index recall_affected_by_root on traceability.recall_affected (tenant_id, root_token_id) where to_block is null;
create index recall_affected_opened on traceability.recall_affected (chain_id, from_block);
create index recall_affected_closed on traceability.recall_affected (chain_id, to_block) where to_block is not null;
call persistence.protect('traceability.recall_affected');

-- On-chain roles as they changed: whether an amendment comes from somebody who may correct another's event.
create table traceability.account_roles (
  tenant_id uuid not null,
  contract text not null,
  account text not null,
  block_number bigint not null,
  log_index integer not null,
  chain_id bigint not null,
  roles integer not null, -- bits of contracts/src/TenantLots.sol
  primary key (tenant_id, contract, account, block_number, log_index)
);
create index account_roles_by_block on traceability.account_roles (chain_id, block_number);
call persistence.protect('traceability.account_roles');

-- The landed half of an event can be taken back: the values that landing replaced, by column name.
alter table traceability.event
  add column before_landing jsonb,
  add column void_block bigint,
  add column void_tx_hash text,
  add column voided_at timestamptz,
  add column superseded_block bigint;
create index event_voided on traceability.event (chain_id, void_block) where void_block is not null;
create index event_superseded on traceability.event (chain_id, superseded_block) where superseded_block is not null;
create index event_amendments on traceability.event (tenant_id, supersedes) where supersedes is not null;
-- A successor of the tenant's contract may see an id that its predecessor saw.
alter table traceability.event drop constraint event_tenant_id_chain_event_id_key;
create unique index event_by_chain_id on traceability.event (tenant_id, chain_event_id, coalesce(contract_address, ''));
