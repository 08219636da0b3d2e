import type { InboundCell, StockCell } from '../../domain/stock.js';
import { NOWHERE, keyOf } from '../persistence/location-key.js';

/**
 * Cells of the page, by place, and what comes to its places; then both over all places, and how many places (`lots`) there are. A list a
 * row: thousands of rows of a result cost the process five times as much as one text.
 */
export interface Found {
  readonly kind: 'stock' | 'coming' | 'all stock' | 'all coming' | 'places';
  readonly cells: readonly (StockCell & InboundCell)[];
}

const SITE_KEY = `coalesce('https://id.gs1.org/414/' || w.site_gln, ${keyOf('w.site_location')}, 'site:' || w.site_id, '${NOWHERE}')`;
const SITE = `case when w.site_id is not null
  then coalesce(w.site_location, '{}') || jsonb_strip_nulls(jsonb_build_object('name', w.site_name, 'gln', w.site_gln)) end`;

const STOCK = `sum(lots) as lots, case when sum(counted) > 0 then sum(quantity) end as quantity,
    case when sum(measured) > 0 then sum(mass_kg) end as "massKg", sum(lots) - sum(measured) as "unmeasuredLots",
    sum(mass_kg) filter (where pending is not null) as "inTransitOutKg", sum(recalled) as "recalledLots", sum(expired) as "expiredLots",
    min(earliest_expiry) as "earliestExpiry", min(oldest) as oldest, null::numeric as "inTransitInKg"`;
const COMING = `null::numeric as lots, null::numeric as quantity, null::numeric as "massKg", null::numeric as "unmeasuredLots",
    null::numeric as "inTransitOutKg", null::numeric as "recalledLots", null::numeric as "expiredLots",
    null::timestamptz as "earliestExpiry", null::timestamptz as oldest, sum(mass_kg) as "inTransitInKg"`;

/**
 * One statement, so that cells are read once. Lots without a place of their own stand at the site of their custodian.
 * @param cells the relation of `StockCells`; behind its parameters: the wallets asked about, the place to go on behind, how many places
 */
export function inventoryOf(cells: string, before: number): string {
  const [wallets, after, limit] = [`$${before + 1}::text[]`, `$${before + 2}::text`, `$${before + 3}::integer`];
  return `
  with cells as materialized (
    select * from ${cells} c where ${wallets} is null or c.custodian = any(${wallets}) or c.pending = any(${wallets})
  ), sites as materialized (
    select w.address, ${SITE_KEY} as location_key, ${SITE} as location from identity.wallet_v1 w where w.tenant_id = $1
  ), stock as materialized (
    select coalesce(c.location_key, w.location_key, '${NOWHERE}') as key, coalesce(c.location, w.location) as place, c.*
    from cells c left join sites w on w.address = c.custodian where ${wallets} is null or c.custodian = any(${wallets})
  ), coming as materialized (
    select coalesce(w.location_key, '${NOWHERE}') as key, w.location as place, c.* from cells c left join sites w on w.address = c.pending
    where c.pending is not null and (${wallets} is null or c.pending = any(${wallets}))
  ), keys as materialized (
    select key from stock union select key from coming
  ), page as materialized (
    select key from keys where ${after} is null or key collate "C" > ${after} collate "C" order by key collate "C" limit ${limit}
  )
  select kind, json_agg(found order by "assetType" collate "C" nulls last, uom collate "C" nulls last, status) as cells from (
  select 'stock' as kind, s.key as "locationKey", max(s.place::text)::jsonb as location, array_agg(distinct custodian) as custodians,
    asset_type as "assetType", max(asset_type_name) as "assetTypeName", uom, status, ${STOCK}
  from stock s where s.key in (select key from page) group by s.key, asset_type, uom, status
  union all
  select 'coming', c.key, max(c.place::text)::jsonb, null, asset_type, max(asset_type_name), null, null, ${COMING}
  from coming c where c.key in (select key from page) group by c.key, asset_type
  union all
  select 'all stock', null, null, null, null, null, uom, status, ${STOCK} from stock group by uom, status
  union all
  select 'all coming', null, null, null, null, null, null, null, ${COMING} from coming
  union all
  select 'places', null, null, null, null, null, null, null, count(*), null, null, null, null, null, null, null, null, null from keys
  ) found group by kind, "locationKey"`;
}
