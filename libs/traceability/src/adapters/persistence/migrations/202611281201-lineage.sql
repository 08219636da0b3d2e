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
