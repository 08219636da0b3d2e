-- What a receiver left of an offered lot is a lot of its own with a transfer of its own, which is rejected with it
-- (docs/spec/domain.md#parts). The block of the split undoes the row: its offer is that of the lot, from before.
alter table custody.transfer
  add column split_block bigint,
  add column short_reason text check (short_reason in ('shortage', 'damage', 'refused')),
  add constraint transfer_split check ((split_block is null) = (short_reason is null));
create index transfer_split_block on custody.transfer (chain_id, split_block) where split_block is not null;

-- It was offered as a part of the lot, which has the row of that offer.
create or replace view custody.offer_change_v1 with (security_invoker = true) as
select tenant_id, id, token_id, 'offered' as change, chain_id, coalesce(offered_handed_at, offered_at) as at, offered_block as block_number,
  offered_from as from_address, offered_to as to_address, offered_tx as tx_hash, offered_at as recorded_at,
  offered_handed_offset as time_zone_offset, offered_handed_location as location
from custody.transfer where offered_event_id is null and offered_at is not null and token_id = named_token_id and split_block is null;
