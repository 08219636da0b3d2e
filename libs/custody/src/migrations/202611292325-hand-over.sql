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

-- Notes of offers and of their ends, by the hash that the call commits to; null for calls that committed to none, or were projected before.
alter table custody.transfer add offered_note text, add closed_note text;
create index transfer_offered_note on custody.transfer (offered_note) where offered_note is not null;
create index transfer_closed_note on custody.transfer (closed_note) where closed_note is not null;

-- What the notes of an offer and of its end say, found when they landed.
alter table custody.transfer
  add offered_handed_at timestamptz,
  add offered_handed_offset text,
  add offered_handed_location jsonb,
  add closed_handed_at timestamptz,
  add closed_handed_offset text,
  add closed_handed_location jsonb;

-- By the time when they happened.
drop index custody.transfer_told_offered;
drop index custody.transfer_told_closed;
create index transfer_told_offered on custody.transfer (tenant_id, coalesce(offered_handed_at, offered_at) desc, id collate "C")
  where offered_event_id is null and offered_at is not null and token_id = named_token_id;
create index transfer_told_closed on custody.transfer (tenant_id, coalesce(closed_handed_at, closed_at) desc, id collate "C")
  where closed_event_id is null and closed_at is not null and token_id = named_token_id;

create or replace view custody.offer_change_v1 with (security_invoker = true) as
select tenant_id, id, token_id, 'offered' as change, chain_id, coalesce(offered_handed_at, offered_at) as at, offered_block as block_number,
  offered_from as from_address, offered_to as to_address, offered_tx as tx_hash, offered_at as recorded_at,
  offered_handed_offset as time_zone_offset, offered_handed_location as location
from custody.transfer where offered_event_id is null and offered_at is not null and token_id = named_token_id;

create or replace view custody.closing_change_v1 with (security_invoker = true) as
select tenant_id, id, token_id, status as change, chain_id, coalesce(closed_handed_at, closed_at) as at, closed_block as block_number,
  closed_from as from_address, closed_to as to_address, closed_tx as tx_hash, closed_at as recorded_at,
  closed_handed_offset as time_zone_offset, closed_handed_location as location
from custody.transfer where closed_event_id is null and closed_at is not null and token_id = named_token_id;
