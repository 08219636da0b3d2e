-- Parts of lots (docs/spec/domain.md#parts): a lot that was split in a hand-over and its parts have one key.
alter table traceability.lot add column split_from bigint; -- of a part: the lot that it was split from

-- A key is minted once on a contract; a void frees it. Parts add tokens under it.
drop index traceability.lot_by_key;
create unique index lot_by_key on traceability.lot (tenant_id, tlc_hash, contract, (case when split_from is null then 0 else token_id end))
  where to_block is null and retire_reason is distinct from 'voided';

-- A split is a link of its own kind. It needs no event.
alter table traceability.edge alter column event_id drop not null, drop constraint edge_kind_check,
  add constraint edge_kind_check check (kind in ('transformation', 'containment', 'split'));

create or replace view traceability.lot_v1 with (security_invoker = true) as
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
  l.unit_kg, l.tlc_hash, l.key, l.serial, l.split_from
from traceability.lot l
left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id
where l.to_block is null;
