-- Kilograms of one unit of a lot, from its unit or its asset type: masses are then sums in the database. Null = unknown.
alter table traceability.lot add column unit_kg numeric;
update traceability.lot l set unit_kg = coalesce(
  case l.uom when 'KGM' then 1 when 'GRM' then 0.001 when 'TNE' then 1000 when 'MGM' then 0.000001 when 'LBR' then 0.45359237
    when 'ONZ' then 0.028349523125 when 'STN' then 907.18474 when 'LTN' then 1016.0469088 end,
  (select (m.document #>> array['assetTypes', l.asset_type, 'massPerUnitKg'])::numeric from traceability.process_map m
   where m.tenant_id = l.tenant_id and m.name = l.process_map_name and m.version = l.process_map_version));

-- When a block with logs of the tenant's contract was made, so that "as of a time" is "as of a block".
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
insert into traceability.block_time (tenant_id, block_number, chain_id, at)
select tenant_id, block_number, chain_id, max(landed_at) from traceability.event where block_number is not null group by 1, 2, 3;

-- Lists of current lots: by what they expire, by what they are, and the few that were recalled.
create index lot_by_expiry on traceability.lot (tenant_id, coalesce(expires_at, 'infinity'::timestamptz), token_id) where to_block is null;
create index lot_by_asset_type on traceability.lot (tenant_id, asset_type, token_id) where to_block is null;
create index lot_by_mint_time on traceability.lot (tenant_id, minted_at) where to_block is null;
create index lot_recalled on traceability.lot (tenant_id, token_id) where to_block is null and recalled_at is not null;
-- Where a lot is follows from its last events.
create index event_lot_latest on traceability.event_lot (tenant_id, token_id, block_number desc);
