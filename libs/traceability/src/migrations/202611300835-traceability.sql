grant usage on schema traceability to trace_tenant, trace_system;

-- Published process maps never change: a new document is a new version (docs/spec/domain.md#process-maps).
create table traceability.process_map (
  tenant_id uuid not null,
  name text not null, -- the document's `key`
  version text not null,
  document jsonb not null,
  cid text not null, -- of the document's RFC 8785 bytes
  published_at timestamptz not null,
  published_by text not null, -- user or API key id
  primary key (tenant_id, name, version)
);
call persistence.protect('traceability.process_map');
call persistence.revise_on('traceability.process_map', 'insert', 'true');
revoke update, delete on traceability.process_map from trace_tenant, trace_system;

-- One row per event. `events/prepare` writes the first half, the indexer the second half.
-- An event that was sent to the contract directly has the second half only (`resolved` is false).
create table traceability.event (
  tenant_id uuid not null,
  id uuid not null,
  chain_event_id text not null, -- bytes32 on chain, lower-case hex
  status text not null check (status in ('prepared', 'submitted', 'recorded', 'failed', 'expired', 'voided', 'superseded')),

  process_type text,
  process_id text not null, -- keccak256(utf8(process_type)), lower-case hex
  process_label text,
  process_map_name text,
  process_map_version text,
  process_map_cid text,
  kind text check (kind in ('creation', 'observation', 'transformation', 'aggregation', 'disaggregation', 'association', 'transfer', 'disposal')),
  containment_mode smallint not null check (containment_mode between 0 and 2),
  event_time timestamptz,
  event_time_zone_offset text,
  record_time timestamptz not null, -- when the service stored it
  late boolean not null default false,
  actor_address text, -- EIP-55; null when prepared without a sender
  org_id text,
  input_token_ids bigint[] not null default '{}', -- ascending
  inputs jsonb not null default '[]', -- [{tokenId, tlc, gtin, serial, assetType, quantity, uom, consumption}], quantity drawn in the lot's own unit, null = none or all of an unmeasured lot
  output_tlc text,
  output_custodian text,
  outputs jsonb not null default '[]', -- [{tokenId, tlc, gtin, serial, key, tlcHash, assetType, role, quantity, uom, custodian, expiresAt}], main first
  location jsonb,
  metadata jsonb,
  documents jsonb not null default '[]',
  kde jsonb, -- {required, present, ratio, missing[]}
  warnings jsonb not null default '[]', -- strings "<pointer>: <sentence>"
  ipfs_cid text,
  data_hash text, -- sha2-256 of the stored bytes, lower-case hex

  expected jsonb, -- {method, from, args by name; integers as decimal strings}: what the chain is compared with
  calldata text,
  prepared_by text, -- user or API key id
  expires_at timestamptz, -- of the preparation

  landed_at timestamptz, -- block time
  block_number bigint,
  block_hash text,
  log_index integer,
  tx_log_index integer,
  tx_hash text,
  chain_id bigint,
  contract_address text,
  first_output_token_id bigint,
  output_token_ids bigint[] not null default '{}',
  consumed numeric(78, 0)[], -- parallel to input_token_ids, as the log says
  calldata_mismatch boolean not null default false,
  resolved boolean not null default true,
  content_version smallint, -- of the format of its content: 1 has everything in the clear; null while it is not known
  -- Final, unlike `resolved`: content in one of these states is not requested again. Null while it is not known.
  content_state text check (content_state in ('open', 'erased', 'sealed_elsewhere', 'key_lost', 'content_invalid', 'downgraded')),
  erased jsonb not null default '[]', -- pointers into its content whose values were erased; they are null in the other columns

  error_declaration jsonb,
  supersedes uuid,
  superseded_by uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The values that landing replaced, by column name: a reorg puts them back.
  before_landing jsonb,
  void_block bigint,
  void_tx_hash text,
  voided_at timestamptz,
  superseded_block bigint,
  -- Yield and mass balance in kilograms (docs/spec/domain.md#yield). Landing writes the sums of the quantities on chain. Losses, the
  -- expected range and the tolerance come from the event and its process. Null = a quantity without a mass.
  input_kg numeric(24, 6),
  main_output_kg numeric(24, 6),
  co_product_kg numeric(24, 6),
  declared_loss_kg numeric(24, 6),
  yield_min numeric,
  yield_max numeric,
  mass_tolerance numeric, -- share of the input; null = the process keeps no mass balance
  -- Content that was missing when the event landed is requested again, with growing intervals.
  content_tries smallint not null default 0,
  content_next_at timestamptz, -- null = not tried again yet
  -- For an event that corrects another one: the reason, which becomes the error declaration of the other.
  declared_reason text check (declared_reason in ('did_not_occur', 'incorrect_data')),
  -- Another event landed with one of its codes (docs/spec/domain.md#event-record): the status before, until that event is voided; a
  -- reorg puts it back.
  before_taken text check (before_taken in ('prepared', 'submitted', 'failed')),
  taken_by uuid,
  taken_block bigint,
  taken_chain bigint,
  freed_block bigint,
  -- Somebody else signed than the sender that the event was prepared for (docs/spec/api.md#events-and-transactions).
  sender_mismatch boolean not null default false,
  -- Of a relayed call (docs/spec/api.md#relay): id of the passkey, and the EIP-55 address of the sponsor whose transaction carries it.
  signed_by text,
  paid_by text,
  primary key (tenant_id, id)
);
create index event_taken on traceability.event (taken_chain, taken_block) where taken_block is not null;
create index event_taken_by on traceability.event (tenant_id, taken_by) where before_taken is not null;
create index event_by_time on traceability.event (tenant_id, event_time desc nulls last, id);
create index event_by_process on traceability.event (tenant_id, process_type, event_time desc nulls last);
create index event_open on traceability.event (tenant_id, expires_at) where status in ('prepared', 'submitted');
create index event_by_block on traceability.event (chain_id, block_number) where block_number is not null;
create index event_by_cid on traceability.event (ipfs_cid, tenant_id);
create index event_voided on traceability.event (chain_id, void_block) where void_block is not null;
create index event_superseded on traceability.event (chain_id, superseded_block) where superseded_block is not null;
create index event_amendments on traceability.event (tenant_id, supersedes) where supersedes is not null;
create unique index event_by_chain_id on traceability.event (tenant_id, chain_event_id, coalesce(contract_address, ''));
-- For the job that expires prepared events of all tenants.
create index event_due on traceability.event (expires_at) where status = 'prepared';
create index event_unresolved on traceability.event (content_next_at nulls first)
  where not resolved and block_number is not null and content_state is null;
-- For the job that deletes expired events of all tenants.
create index event_expired on traceability.event (expires_at) where status in ('expired', 'failed');
-- For filters that few events pass, in the order of the list.
create index event_by_org on traceability.event (tenant_id, org_id, event_time desc nulls last, id);
create index event_by_kind on traceability.event (tenant_id, kind, event_time desc nulls last, id);
-- Nearly all events are recorded, so the index leaves those out.
create index event_by_status on traceability.event (tenant_id, status, event_time desc nulls last, id) where status <> 'recorded';
-- Events of a tenant in the order of landing, for projectors that continue from a block.
create index event_landed on traceability.event (tenant_id, block_number, id) where block_number is not null;
create index event_declared_by_other on traceability.event (tenant_id) where (error_declaration ->> 'senderMismatch') = 'true';
call persistence.protect('traceability.event');
-- Of what has landed: content that was found late, values that were erased. That somebody looked for content changes nothing.
call persistence.revise_on('traceability.event', 'update',
  'old.block_number is not null and new.block_number is not null and old.content_tries = new.content_tries');

-- The block of the first sealed content of a tenant: one of version 1 after it was not made by this service.
create table traceability.sealing_start (
  tenant_id uuid primary key,
  chain_id bigint not null,
  block_number bigint not null
);
call persistence.protect('traceability.sealing_start');

-- Codes and lots that open prepared events have reserved, so that a second event gets a warning. A table and not an array with a GIN
-- index: array operators are not leakproof, so row-level security would keep the planner from using such an index.
create table traceability.event_reservation (
  tenant_id uuid not null,
  reserved text not null, -- 'key:<text of a key>' or 'lot:<token id>'
  event_id uuid not null,
  primary key (tenant_id, reserved, event_id),
  foreign key (tenant_id, event_id) references traceability.event on delete cascade
);
create index event_reservation_by_event on traceability.event_reservation (tenant_id, event_id);
call persistence.protect('traceability.event_reservation');

-- Codes that were made from templates. Each is given away once, whatever becomes of its event: an expired one may still land.
create table traceability.generated_code (
  tenant_id uuid not null,
  key text not null, -- of the lot that would have the code
  series text not null, -- what the codes of a template with the same words have in common
  number integer not null,
  primary key (tenant_id, key)
);
create index generated_code_last on traceability.generated_code (tenant_id, series, number);
call persistence.protect('traceability.generated_code');

-- Every version of every lot: its state on chain from one log (included) until another (excluded). The open version is the current
-- lot. Versions serve queries "as of" a block, the contents of a container after a log, and the undo of a reorg.
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
  tlc_hash text not null, -- keccak256 of the text of the key, lower-case hex
  key text not null, -- its text: a GS1 Digital Link or a code of the tenant's own; the hash while `resolved` is false
  resolved boolean not null,
  asset_type text,
  asset_type_hash text not null,
  asset_type_name text,
  gtin text, -- 14 digits
  serial text, -- of a single item
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
  -- Kilograms of one unit of the lot, from its unit or its asset type. Null = unknown.
  unit_kg numeric,
  -- How much of the lot was sold, exported or lost in part, in millionths of its unit. A recall counts it, whatever happened to the rest.
  left_supply_chain numeric not null default 0,
  split_from bigint, -- of a part (docs/spec/domain.md#parts): the lot that it was split from, with which it has its key in common
  primary key (tenant_id, token_id, from_block, from_log),
  check ((to_block is null) = (to_log is null))
);
create unique index lot_current on traceability.lot (tenant_id, token_id) where to_block is null;
create index lot_by_custodian on traceability.lot (tenant_id, custodian, token_id) where to_block is null;
create index lot_by_pending on traceability.lot (tenant_id, pending_custodian) where to_block is null and pending_custodian is not null;
create index lot_by_container on traceability.lot (tenant_id, container_token_id) where container_token_id is not null;
create index lot_opened on traceability.lot (chain_id, from_block);
create index lot_closed on traceability.lot (chain_id, to_block) where to_block is not null;
-- For lists of current lots.
create index lot_by_expiry on traceability.lot (tenant_id, coalesce(expires_at, 'infinity'::timestamptz), token_id) where to_block is null;
create index lot_by_asset_type on traceability.lot (tenant_id, asset_type, token_id) where to_block is null;
create index lot_by_mint_time on traceability.lot (tenant_id, minted_at) where to_block is null;
create index lot_recalled on traceability.lot (tenant_id, token_id) where to_block is null and recalled_at is not null;
-- Current lots that expire. Row-level security keeps the planner from using `lot_by_expiry`, which is on an expression.
create index lot_with_date on traceability.lot (tenant_id, expires_at)
  where to_block is null and expires_at is not null and retired_at is null and not used_up;
-- A key is minted once on a contract; a void frees it. Parts add tokens under it.
create unique index lot_by_key on traceability.lot (tenant_id, tlc_hash, contract, (case when split_from is null then 0 else token_id end))
  where to_block is null and retire_reason is distinct from 'voided';
-- The first version of each part is its split. The place of a part may follow from it.
create index lot_part on traceability.lot (tenant_id, token_id, from_block, from_log) where split_from is not null;
-- For lookups by a Digital Link: they find lots of a void too, which `lot_by_key` leaves out.
create index lot_by_hash on traceability.lot (tenant_id, tlc_hash) where to_block is null;
-- For searches by the beginning of a code, newest first, from the index alone. text_pattern_ops: row-level security keeps LIKE from using
-- an index, and the comparison must not depend on the collation. Not unique: products may share a lot number.
create index lot_by_code on traceability.lot (tenant_id, tlc text_pattern_ops, token_id) where to_block is null;
-- A search compares codes as typed, in capitals and in small letters, along that index. Those that are neither, which are few, have another.
alter table traceability.lot
  add tlc_folded text generated always as (case when tlc <> upper(tlc) and tlc <> lower(tlc) then lower(tlc) end) stored;
create index lot_by_folded_code on traceability.lot (tenant_id, tlc_folded text_pattern_ops, token_id)
  where to_block is null and tlc_folded is not null;
call persistence.protect('traceability.lot');

-- Which events name which lot, as input or output.
create table traceability.event_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  event_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null,
  primary key (tenant_id, token_id, event_id)
);
create index event_lot_by_block on traceability.event_lot (chain_id, block_number);
-- The place of a lot follows from its last events.
create index event_lot_latest on traceability.event_lot (tenant_id, token_id, block_number desc);
call persistence.protect('traceability.event_lot');
alter table traceability.event_lot alter column tenant_id set statistics 0;

-- Lineage. An edge runs from an older token to a newly minted one, so there are no cycles. One event mints a token, so the pair is the key.
create table traceability.edge (
  tenant_id uuid not null,
  from_token bigint not null,
  to_token bigint not null,
  event_id uuid, -- null: a split without an event
  kind text not null check (kind in ('transformation', 'containment', 'split')),
  quantity numeric, -- millionths of the source's unit; null = containment, or all of an unmeasured lot
  chain_id bigint not null,
  block_number bigint not null,
  void_block bigint, -- the event was voided there, and the edge no longer counts
  -- A walk reads edges from the indexes alone, in both directions and as of any block.
  primary key (tenant_id, from_token, to_token) include (kind, void_block, block_number)
);
create index edge_by_block on traceability.edge (chain_id, block_number);
create index edge_by_void on traceability.edge (chain_id, void_block) where void_block is not null;
create index edge_backwards on traceability.edge (tenant_id, to_token) include (from_token, kind, void_block, block_number);
call persistence.protect('traceability.edge');
-- No statistics on the tenant. Every query looks up the key of a lot within its tenant, and two indexes begin with the tenant. With
-- statistics, the planner expects one row for a tenant that came or grew after the last ANALYZE, and may choose the index for the other
-- end of an edge, which reads the whole tenant for each lot (38 s for a walk, measured). Without them it expects an equal share for each
-- tenant and chooses the index with the key of the lot.
alter table traceability.edge alter column tenant_id set statistics 0;

-- Off-chain holds, placed and released by a recall (propagation `hold`) or by quality.
create table traceability.lot_hold (
  tenant_id uuid not null,
  token_id bigint not null,
  held_at timestamptz not null,
  reason text not null,
  primary key (tenant_id, token_id)
);
call persistence.protect('traceability.lot_hold');

-- The lots that each landed recall affects (docs/spec/domain.md#recall): written when it lands, extended at each mint, closed when it is
-- lifted or when the event that linked a lot is voided.
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
alter table traceability.recall_affected alter column tenant_id set statistics 0;

-- On-chain roles as they changed. They decide whether the sender of an amendment may correct an event of another.
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

-- Which map owns a process type key. A key is unique in the tenant, ignoring case, and stays with its map because old events refer to it.
create table traceability.process_type (
  tenant_id uuid not null,
  folded text not null, -- lower case
  process_type text not null,
  process_id text not null, -- keccak256(utf8(process_type)), lower-case hex
  map_name text not null,
  primary key (tenant_id, folded)
);
create unique index process_type_by_id on traceability.process_type (tenant_id, process_id);
call persistence.protect('traceability.process_type');

-- Times of the blocks with logs of the tenant's contract: "as of a time" becomes "as of a block".
create table traceability.block_time (
  tenant_id uuid not null,
  block_number bigint not null,
  chain_id bigint not null,
  at timestamptz not null,
  primary key (tenant_id, block_number)
);
create index block_time_at on traceability.block_time (tenant_id, at desc);
create index block_time_by_block on traceability.block_time (chain_id, block_number);
call persistence.protect('traceability.block_time');

-- Error declarations as they were prepared. The chain carries only the hash; landing takes the content from here.
create table traceability.error_declaration (
  tenant_id uuid not null,
  event_id uuid not null,
  data_hash text not null, -- sha2-256 of the stored declaration, lower-case hex
  reason text not null check (reason in ('did_not_occur', 'incorrect_data')), -- CBV error reasons
  corrective_event_ids uuid[] not null,
  prepared_at timestamptz not null,
  prepared_by text not null, -- user or API key id
  -- A declaration that landed is never deleted, so that a reindex finds it again.
  landed boolean not null default false,
  prepared_sender text, -- EIP-55, null when it was prepared without a sender
  prepared_org uuid, -- the organisation of who prepared it: without a sender, only its wallets are as prepared
  primary key (tenant_id, event_id, data_hash)
);
create index error_declaration_by_age on traceability.error_declaration (prepared_at);
call persistence.protect('traceability.error_declaration');

-- Final events whose block was undone. A job deletes the row when the event is there again, or informs the tenant when the chain has become
-- final beyond the block without it (docs/spec/reliability.md#chain).
create table traceability.retraction (
  tenant_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null, -- of the block that was undone
  block_time timestamptz not null,
  tx_hash text not null,
  facts jsonb not null, -- the other fields of the topic
  noted_at timestamptz not null default now(),
  announced_at timestamptz, -- null = not decided yet
  primary key (tenant_id, id)
);
create unique index retraction_undecided on traceability.retraction (tenant_id, event_id) where announced_at is null;
create index retraction_due on traceability.retraction (chain_id, block_number) where announced_at is null;
create index retraction_announced on traceability.retraction (announced_at) where announced_at is not null;
call persistence.protect('traceability.retraction');

-- Rules of a tenant beyond the common ones (docs/spec/domain.md#lot-status). No row = the defaults.
create table traceability.tenant_rules (
  tenant_id uuid primary key,
  block_expired boolean not null,
  block_recall_affected boolean not null,
  contents text not null default 'sealed' check (contents in ('sealed', 'open')),
  changed_by text not null,
  changed_at timestamptz not null
);
call persistence.protect('traceability.tenant_rules');

create function traceability.mass_balance(
  input_kg numeric, main_output_kg numeric, co_product_kg numeric, declared_loss_kg numeric,
  yield_min numeric, yield_max numeric, mass_tolerance numeric
) returns table (gap_kg numeric, gap_ratio numeric, yield numeric, material_yield numeric, yield_outside boolean, balance_outside boolean)
language sql immutable parallel safe rows 1 as $$
  select gap, round(gap / used, 6), round(main_output_kg / used, 6), round((main_output_kg + co_product_kg) / used, 6),
    main_output_kg / used not between yield_min and yield_max,
    case when mass_tolerance is not null then main_output_kg + co_product_kg > used or abs(gap) / used > mass_tolerance end
  from (select nullif(input_kg, 0) as used) u,
    lateral (select used - main_output_kg - co_product_kg - declared_loss_kg as gap) g
$$;

-- The last correction of an event. `event_v1` calls it only for corrected events, which are few.
create function traceability.last_correction(tenant uuid, corrected_by uuid) returns uuid language sql stable parallel safe as $$
  with recursive corrected as (
    select corrected_by as id, 1 as level
    union all
    select a.superseded_by, c.level + 1 from corrected c
    join traceability.event a on a.tenant_id = tenant and a.id = c.id
    where a.superseded_by is not null and c.level < 100
  )
  select id from corrected order by level desc limit 1
$$;

-- Whose words counted for a corrected event as of a block (null = now): those of its last correction until then, else its own.
create function traceability.words_at(tenant uuid, of_event uuid, at bigint) returns uuid language sql stable parallel safe as $$
  with recursive said as (
    select of_event as id, 0 as level
    union all
    select c.id, s.level + 1 from said s cross join lateral (
      select a.id from traceability.event a
      where a.tenant_id = tenant and a.supersedes = s.id and a.block_number is not null and (at is null or a.block_number <= at)
      order by a.block_number desc, a.log_index desc limit 1) c
    where s.level < 100
  )
  select id from said order by level desc limit 1
$$;

-- The event at the beginning of a chain of corrections: what was done, by whom.
create function traceability.deed_of(tenant uuid, correction uuid) returns uuid language sql stable parallel safe as $$
  with recursive corrected as (
    select correction as id, 0 as level
    union all
    select a.supersedes, c.level + 1 from corrected c
    join traceability.event a on a.tenant_id = tenant and a.id = c.id
    where a.supersedes is not null and c.level < 100
  )
  select id from corrected order by level desc limit 1
$$;

-- The published views: what other contexts may read. They run with the rights of the reader (row-level security holds).
-- Current lots. Quantities are in the lot's own unit; `unit_kg` is kilograms of one unit, null = unknown.
create view traceability.lot_v1 with (security_invoker = true) as
select l.tenant_id, l.token_id, l.id, l.chain_id, l.contract, l.tlc, l.resolved, l.asset_type, l.asset_type_name, l.gtin,
  l.process_map_name, l.process_map_version, l.uom, l.quantity / 1000000 as quantity, l.remaining / 1000000 as remaining, l.used_up,
  l.depth > 0 as is_container, l.container_token_id, l.custodian, l.pending_custodian, l.offer_no, l.expires_at, l.retired_at,
  l.retire_reason, l.recalled_at, l.holds_recalled, h.held_at, l.mint_event_id, l.mint_tx, l.mint_block, l.minted_at, l.data_hash,
  l.metadata_cid,
  exists (select from traceability.recall_affected r
          where r.tenant_id = l.tenant_id and r.token_id = l.token_id and r.to_block is null) as recall_affected,
  case when l.retired_at is not null then 'retired'
       when l.recalled_at is not null then 'recalled'
       when l.used_up then 'consumed'
       when l.pending_custodian is not null then 'in_transit'
       when l.container_token_id is not null then 'aggregated'
       when h.held_at is not null then 'on_hold'
       when l.expires_at <= now() then 'expired'
       else 'active' end as status,
  l.unit_kg, l.tlc_hash, l.key, l.serial, l.split_from, l.tlc_folded
from traceability.lot l
left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id
where l.to_block is null;

create view traceability.event_v1 with (security_invoker = true) as
select e.tenant_id, e.id, e.status, e.block_number is not null and e.void_block is null and e.supersedes is null as counts,
  e.process_type, e.process_id, e.process_label, e.process_map_name, e.process_map_version, e.kind, e.containment_mode,
  coalesce(w.event_time, e.event_time) as event_time, coalesce(w.event_time_zone_offset, e.event_time_zone_offset) as event_time_zone_offset,
  e.record_time, e.landed_at, coalesce(w.late, e.late) as late, e.actor_address, e.org_id,
  e.input_token_ids, e.inputs, e.output_tlc, e.output_custodian, e.output_token_ids, e.outputs,
  case when w.id is null then e.location else w.location end as location,
  case when w.id is null then e.metadata else w.metadata end as metadata, e.metadata as own_metadata,
  case when w.id is null then e.documents else w.documents end as documents,
  case when w.id is null then e.kde else w.kde end as kde,
  e.warnings, e.ipfs_cid, e.data_hash, e.prepared_by, e.expires_at, e.tx_hash, e.block_number, e.block_hash, e.log_index, e.chain_id,
  e.contract_address, e.calldata_mismatch, e.resolved, e.error_declaration, e.supersedes, e.superseded_by, e.voided_at,
  e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg, e.yield_min, e.yield_max, e.mass_tolerance,
  b.gap_kg, b.gap_ratio, b.yield, b.material_yield, b.yield_outside, b.balance_outside,
  cardinality(e.output_token_ids) > 0 and e.containment_mode = 0
    and num_nulls(e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg) > 0 as unmeasured,
  e.event_time as own_event_time, -- before corrections; this one has an index
  e.sender_mismatch, case when e.sender_mismatch then e.expected ->> 'from' end as prepared_sender, e.content_version,
  e.content_state, e.signed_by, e.paid_by
from traceability.event e
left join lateral (
  select a.* from traceability.event a
  where e.superseded_by is not null and a.tenant_id = e.tenant_id and a.id = traceability.last_correction(e.tenant_id, e.superseded_by)
  offset 0
) w on true
cross join lateral (select case when w.id is null then e.declared_loss_kg else w.declared_loss_kg end as declared_loss_kg) m
cross join lateral traceability.mass_balance(
  e.input_kg, e.main_output_kg, e.co_product_kg, m.declared_loss_kg, e.yield_min, e.yield_max, e.mass_tolerance) b;

-- Lineage that counts: without voided events.
create view traceability.edge_v1 with (security_invoker = true) as
select tenant_id, from_token, to_token, event_id, kind, quantity / 1000000 as quantity, chain_id, block_number
from traceability.edge where void_block is null;

-- From when until when a lot was in a container, at any depth; `until` null = it still is, or was retired in it.
create view traceability.lot_container_v1 with (security_invoker = true) as
with recursive held as (
  select l.tenant_id, l.token_id, l.container_token_id as container, l.from_block as since, l.to_block as until, 1 as level
  from traceability.lot l where l.container_token_id is not null
  union all
  select h.tenant_id, h.token_id, o.container_token_id, greatest(h.since, o.from_block), least(h.until, o.to_block), h.level + 1
  from held h
  join traceability.lot o on o.tenant_id = h.tenant_id and o.token_id = h.container and o.container_token_id is not null
  where h.level < 8 and o.from_block <= coalesce(h.until, o.from_block) and h.since <= coalesce(o.to_block, h.since)
)
select tenant_id, token_id, container, since, until, level from held;

-- The last place of each lot: the location of the latest event (by event time) that names the lot or a container it was in at that time; of
-- a part also one that names the lot it was split from, before the split. Events without a location are skipped. A lot without such an event
-- has no row.
create view traceability.lot_place_v1 with (security_invoker = true) as
with recursive splits as materialized (
  select distinct on (p.tenant_id, p.token_id) p.tenant_id, p.token_id, p.split_from, p.from_block, p.from_log
  from traceability.lot p where p.split_from is not null order by p.tenant_id, p.token_id, p.from_block, p.from_log
), whole as (
  select s.tenant_id, s.token_id, s.split_from as carrier, s.from_block as until, s.from_log as until_log from splits s
  union all
  select w.tenant_id, w.token_id, s.split_from, s.from_block, s.from_log from whole w
  join splits s on s.tenant_id = w.tenant_id and s.token_id = w.carrier
), named as (
  select n.tenant_id, n.token_id, n.event_id, null::bigint as until, null::integer as until_log from traceability.event_lot n
  union all
  select h.tenant_id, h.token_id, n.event_id, null, null from traceability.lot_container_v1 h
  join traceability.event_lot n on n.tenant_id = h.tenant_id and n.token_id = h.container
    and n.block_number >= h.since and n.block_number <= coalesce(h.until, n.block_number)
  union all
  select w.tenant_id, w.token_id, n.event_id, w.until, w.until_log from whole w
  join traceability.event_lot n on n.tenant_id = w.tenant_id and n.token_id = w.carrier and n.block_number <= w.until
  union all
  select w.tenant_id, w.token_id, n.event_id, w.until, w.until_log from whole w
  join traceability.lot_container_v1 h on h.tenant_id = w.tenant_id and h.token_id = w.carrier and h.since <= w.until
  join traceability.event_lot n on n.tenant_id = h.tenant_id and n.token_id = h.container
    and n.block_number >= h.since and n.block_number <= least(h.until, w.until)
)
select distinct on (n.tenant_id, n.token_id) n.tenant_id, n.token_id, e.id as event_id, coalesce(e.event_time, e.landed_at) as at, e.location,
  e.org_id, e.block_number, e.log_index
from named n
join traceability.event_v1 e on e.tenant_id = n.tenant_id and e.id = n.event_id
where e.counts and e.location is not null and (n.until is null or e.block_number < n.until or e.log_index < n.until_log)
order by n.tenant_id, n.token_id, coalesce(e.event_time, e.landed_at) desc, e.block_number desc, e.log_index desc;

-- Which events name which lot.
create view traceability.event_lot_v1 with (security_invoker = true) as
select tenant_id, token_id, event_id, block_number from traceability.event_lot;

-- Processes of the published maps, with the pointers that the public and authorities may read and the chain of custody model.
create view traceability.process_v1 with (security_invoker = true) as
select m.tenant_id, m.name as map_name, m.version as map_version, m.published_at, p.key as process_type, p.value ->> 'label' as label,
  p.value ->> 'kind' as kind, coalesce(p.value -> 'documents', '[]') as documents, coalesce(p.value -> 'kdes', '[]') as kdes,
  p.value -> 'fsma204' as fsma204, coalesce(p.value -> 'fields', '{}') as fields, coalesce(m.document -> 'defaults', '{}') as defaults,
  coalesce(p.value #> '{visibility,public}', '[]') as public_pointers,
  coalesce(p.value #> '{visibility,authority}', '[]') as authority_pointers, m.document ->> 'chainOfCustody' as chain_of_custody,
  coalesce(p.value -> 'successor' = 'true'::jsonb, false) as successor
from traceability.process_map m cross join lateral jsonb_each(m.document -> 'processes') p;

create view traceability.asset_type_v1 with (security_invoker = true) as
select m.tenant_id, m.name as map_name, m.version as map_version, m.published_at, a.key as asset_type, a.value ->> 'name' as name,
  a.value ->> 'category' as category, a.value ->> 'uom' as uom, a.value ->> 'gtin' as gtin, a.value as words
from traceability.process_map m cross join lateral jsonb_each(m.document -> 'assetTypes') a;

-- Which lots are affected by which recall now. A recalled lot is also listed under itself.
create view traceability.recall_affected_v1 with (security_invoker = true) as
select tenant_id, token_id, root_token_id from traceability.recall_affected where to_block is null;

-- The remaining quantity of a lot between two blocks. Several versions in one block are ordered by log.
create view traceability.lot_version_v1 with (security_invoker = true) as
select tenant_id, token_id, from_block, from_log, to_block, to_log, remaining / 1000000 as remaining, uom, unit_kg, custodian, depth > 0 as is_container
from traceability.lot;

-- Changes of events by block. An event may have several rows. Filter on `change`: each kind has an index, all together have none.
create view traceability.event_change_v1 with (security_invoker = true) as
select tenant_id, chain_id, id, block_number, 'landed' as change from traceability.event where block_number is not null
union all
select tenant_id, chain_id, id, void_block, 'voided' from traceability.event where void_block is not null
union all
select tenant_id, chain_id, id, superseded_block, 'superseded' from traceability.event where superseded_block is not null;

-- The id of an event in the logs of the contract, with its block for the order of landing.
create view traceability.event_key_v1 with (security_invoker = true) as
select tenant_id, id, chain_event_id, chain_id, block_number from traceability.event;

-- Published process maps with the limits that they set; null = not set. A month counts as 30 days.
create view traceability.process_map_v1 with (security_invoker = true) as
select tenant_id, name, version, published_at, document ->> 'chainOfCustody' as chain_of_custody,
  (document #>> '{defaults,massBalanceTolerance}')::numeric as mass_balance_tolerance,
  extract(epoch from (document #>> '{defaults,lateAfter}')::interval)::bigint as late_after_seconds,
  extract(epoch from (document #>> '{defaults,custodyAcceptWithin}')::interval)::bigint as custody_accept_within_seconds,
  extract(epoch from (document #>> '{defaults,expiringSoonWithin}')::interval)::bigint as expiring_soon_within_seconds,
  document -> 'assetTypes' as asset_types, document -> 'processes' as processes
from traceability.process_map;

-- `lot_place_v1` for some lots, without reading all. One index look-up at a time: for a few lots, the planner would otherwise expect a
-- large part of the tenant's versions and events.
create function traceability.lot_places_v1(of_tenant uuid, tokens bigint[])
returns table (token_id bigint, event_id uuid, at timestamptz, location jsonb, org_id text, block_number bigint, log_index integer)
language sql stable rows 1000 as $$
  with recursive carrier(lot, token_id, since, until, until_log) as (
    select t.token_id, t.token_id, 0::bigint, null::bigint, null::integer from unnest(tokens) t(token_id)
    union all
    select c.lot, v.* from carrier c cross join lateral (
      (select l.container_token_id, greatest(c.since, l.from_block), least(c.until, l.to_block),
         case when l.to_block is null or c.until <= l.to_block then c.until_log end
       from traceability.lot l
       where l.tenant_id = of_tenant and l.token_id = c.token_id and l.container_token_id is not null
         and (c.until is null or l.from_block <= c.until) and (l.to_block is null or l.to_block >= c.since) offset 0)
      union all
      (select p.split_from, c.since, p.from_block, p.from_log from traceability.lot p
       where p.tenant_id = of_tenant and p.token_id = c.token_id and p.split_from is not null order by p.from_block, p.from_log limit 1)) v
  ), named as materialized (
    select distinct c.lot, n.event_id, c.until, c.until_log from carrier c cross join lateral (
      select n.event_id from traceability.event_lot n where n.tenant_id = of_tenant and n.token_id = c.token_id
        and n.block_number >= c.since and (c.until is null or n.block_number <= c.until) offset 0) n
  ), events as materialized (
    select e.* from (select distinct event_id from named) n cross join lateral (
      select e.id, coalesce(e.event_time, e.landed_at) as at, e.block_number, e.log_index, e.location, e.org_id from traceability.event_v1 e
      where e.tenant_id = of_tenant and e.id = n.event_id and e.counts and e.location is not null offset 0) e
  )
  select distinct on (n.lot) n.lot, e.id, e.at, e.location, e.org_id, e.block_number, e.log_index from named n join events e on e.id = n.event_id
  where n.until_log is null or e.block_number < n.until or e.log_index < n.until_log
  order by n.lot, e.at desc, e.block_number desc, e.log_index desc
$$;

-- Each of these lots, and of a part the lots that it was split from, up to the log of the split; `until_block` null = now.
create function traceability.lot_wholes_v1(of_tenant uuid, tokens bigint[])
returns table (lot bigint, token_id bigint, until_block bigint, until_log integer) language sql stable rows 1000 as $$
  with recursive whole(lot, token_id, until_block, until_log) as (
    select t.token_id, t.token_id, null::bigint, null::integer from unnest(tokens) t(token_id)
    union all
    select w.lot, p.* from whole w cross join lateral (
      select p.split_from, p.from_block, p.from_log from traceability.lot p
      where p.tenant_id = of_tenant and p.token_id = w.token_id and p.split_from is not null order by p.from_block, p.from_log limit 1) p
  )
  select lot, token_id, until_block, until_log from whole
$$;

-- Lots whose place may follow from events of the given ones: what is or was in them, at any depth, and their parts.
create function traceability.lots_placed_with_v1(of_tenant uuid, tokens bigint[]) returns setof bigint language sql stable rows 100 as $$
  with recursive placed(token_id) as (
    select unnest(tokens)
    union
    select n.token_id from placed p cross join lateral (
      (select l.token_id from traceability.lot l where l.tenant_id = of_tenant and l.container_token_id = p.token_id offset 0)
      union all
      (select e.to_token from traceability.edge e where e.tenant_id = of_tenant and e.from_token = p.token_id and e.kind = 'split' offset 0)) n
  )
  select token_id from placed except select unnest(tokens)
$$;

-- Changes of lots by block. A lot may have several rows.
create view traceability.lot_change_v1 with (security_invoker = true) as
select tenant_id, chain_id, token_id, from_block as block_number from traceability.lot;

create view traceability.lot_hold_v1 with (security_invoker = true) as
select tenant_id, token_id, held_at from traceability.lot_hold;

grant select on traceability.lot_v1, traceability.event_v1, traceability.edge_v1, traceability.lot_container_v1, traceability.lot_place_v1, traceability.event_lot_v1, traceability.process_v1, traceability.asset_type_v1, traceability.recall_affected_v1, traceability.lot_version_v1, traceability.event_change_v1, traceability.event_key_v1, traceability.process_map_v1, traceability.lot_change_v1, traceability.lot_hold_v1 to trace_tenant, trace_system;
