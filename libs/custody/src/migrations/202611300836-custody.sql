grant usage on schema custody to trace_tenant, trace_system;

-- One row per lot and offer, or per direct move. All of it follows from the chain: a reindex rebuilds it, a reorg undoes it by block.
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
  -- Notes of offers and of their ends, by the hash that the call commits to; null for calls that committed to none.
  offered_note text,
  closed_note text,
  -- What the notes of an offer and of its end say, found when they landed.
  offered_handed_at timestamptz,
  offered_handed_offset text,
  offered_handed_location jsonb,
  closed_handed_at timestamptz,
  closed_handed_offset text,
  closed_handed_location jsonb,
  -- What a receiver left of an offered lot is a lot of its own with a transfer of its own, which is rejected with it
  -- (docs/spec/domain.md#parts). The block of the split undoes the row: its offer is that of the lot, from before.
  split_block bigint,
  short_reason text check (short_reason in ('shortage', 'damage', 'refused')),
  primary key (tenant_id, id),
  check ((status = 'direct') = (offer_no is null)),
  check ((status = 'direct') = (offered_block is null)),
  check ((status = 'pending') = (closed_block is null)),
  constraint transfer_split check ((split_block is null) = (short_reason is null))
);
create index transfer_open on custody.transfer (tenant_id, contract, offer_no) where status = 'pending';
create index transfer_of_lot on custody.transfer (tenant_id, token_id);
-- For the undo of a reorg, which reads the newest blocks only.
create index transfer_offered_block on custody.transfer (chain_id, offered_block);
create index transfer_closed_block on custody.transfer (chain_id, closed_block);
create index transfer_split_block on custody.transfer (chain_id, split_block) where split_block is not null;
create index transfer_offered_note on custody.transfer (offered_note) where offered_note is not null;
create index transfer_closed_note on custody.transfer (closed_note) where closed_note is not null;
create index transfer_from on custody.transfer
  (tenant_id, coalesce(closed_from, offered_from), coalesce(closed_block, offered_block) desc, coalesce(closed_log, offered_log) desc, token_id desc);
create index transfer_to on custody.transfer
  (tenant_id, coalesce(closed_to, offered_to), coalesce(closed_block, offered_block) desc, coalesce(closed_log, offered_log) desc, token_id desc);
-- Open offers are few among many closed ones.
create index transfer_open_from on custody.transfer (tenant_id, offered_from, offered_block desc, offered_log desc, token_id desc) where status = 'pending';
create index transfer_open_to on custody.transfer (tenant_id, offered_to, offered_block desc, offered_log desc, token_id desc) where status = 'pending';
-- The published views. Offers and their ends without an event of their own, one row per named lot, by the time when they happened: for
-- EPCIS export.
create index transfer_told_offered on custody.transfer (tenant_id, coalesce(offered_handed_at, offered_at) desc, id collate "C")
  where offered_event_id is null and offered_at is not null and token_id = named_token_id;
create index transfer_told_closed on custody.transfer (tenant_id, coalesce(closed_handed_at, closed_at) desc, id collate "C")
  where closed_event_id is null and closed_at is not null and token_id = named_token_id;
-- Ended transfers of a tenant by block, for projectors.
create index transfer_ended on custody.transfer (tenant_id, closed_block, id collate "C") where closed_block is not null;
call persistence.protect('custody.transfer');

-- When and where goods changed hands, as notes say it. A row is written when its note is prepared, and kept for a reindex.
create table custody.hand_over (
  tenant_id uuid not null,
  data_hash text not null, -- of the note, as it is on chain
  at timestamptz,
  time_zone_offset text,
  location jsonb,
  primary key (tenant_id, data_hash)
);
call persistence.protect('custody.hand_over');

-- Transfers for reports: one row per lot, contents of a container included. Views run with the rights of the reader.
create view custody.transfer_v1 with (security_invoker = true) as
select tenant_id, id, token_id, named_token_id, via_container_token_id, status, coalesce(closed_from, offered_from) as from_address,
  coalesce(closed_to, offered_to) as to_address, offered_at, offered_block, offered_tx, closed_at, closed_block, closed_log, offer_no,
  short_reason -- of what a receiver left of an offered lot: a row of its own, and no transfer of its own
from custody.transfer;

-- The row of a part has no offer of its own: it was offered as a part of the lot, which has that row.
create view custody.offer_change_v1 with (security_invoker = true) as
select tenant_id, id, token_id, 'offered' as change, chain_id, coalesce(offered_handed_at, offered_at) as at, offered_block as block_number,
  offered_from as from_address, offered_to as to_address, offered_tx as tx_hash, offered_at as recorded_at,
  offered_handed_offset as time_zone_offset, offered_handed_location as location
from custody.transfer where offered_event_id is null and offered_at is not null and token_id = named_token_id and split_block is null;

create view custody.closing_change_v1 with (security_invoker = true) as
select tenant_id, id, token_id, status as change, chain_id, coalesce(closed_handed_at, closed_at) as at, closed_block as block_number,
  closed_from as from_address, closed_to as to_address, closed_tx as tx_hash, closed_at as recorded_at,
  closed_handed_offset as time_zone_offset, closed_handed_location as location
from custody.transfer where closed_event_id is null and closed_at is not null and token_id = named_token_id;

-- Lots that somebody got without an event that says where: accepted, or moved directly; contents of a container included.
create view custody.arrival_v1 with (security_invoker = true) as
select tenant_id, id, token_id, coalesce(closed_to, offered_to) as to_address, closed_handed_at as stated_at, closed_at, closed_block, closed_log,
  closed_handed_location as location
from custody.transfer where status in ('accepted', 'direct') and closed_event_id is null;

grant select on custody.transfer_v1, custody.offer_change_v1, custody.closing_change_v1, custody.arrival_v1 to trace_tenant, trace_system;
