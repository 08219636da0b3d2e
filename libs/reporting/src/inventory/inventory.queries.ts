import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { asOfDays } from '../event-facts/fact.queries.js';
import { UNKNOWN_LOCATION, locationKey, partialDays, wholeDays } from '../reports/scope.queries.js';
import type { AsOf, ReportScope } from '../reports/report.js';
import { LOT_PLACE, STOCK_SUMS, arrivalsOf, stockLots } from './stock.queries.js';
import type { InboundCell, StockCell } from './stock.rules.js';

/** One list per row: reading thousands of rows costs the process five times as much as reading one text. */
export interface StockRows {
  /** Cells of the page; what is on its way to the places of the page; both over all places; `lots` = number of places. */
  readonly kind: 'stock' | 'coming' | 'all stock' | 'all coming' | 'places';
  readonly cells: readonly (StockCell & InboundCell)[];
}

@Injectable()
export class InventoryQueries {
  async read(tx: TenantTx, scope: ReportScope, limit: number): Promise<{ readonly rows: readonly StockRows[]; readonly asOf?: AsOf }> {
    const { cells, parameters, asOf } = await stockCells(tx, scope);
    const wallets = scope.organisation?.wallets ?? null;
    const rows = await tx.sql<StockRows>(inventory(cells, parameters.length), [...parameters, wallets, scope.after?.[0] ?? null, limit]);
    return { rows, ...(asOf && { asOf }) };
  }
}

const SITE_KEY = `coalesce('https://id.gs1.org/414/' || w.site_gln, ${locationKey('w.site_location')}, 'site:' || w.site_id, '${UNKNOWN_LOCATION}')`;
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
 * One statement, so that cells are read once. Lots without a place are at the site of their custodian, and so are those that it got later.
 * @param cells the relation of `StockCells`; parameters behind its own: wallets, key of the last place before, number of places
 */
function inventory(cells: string, before: number): string {
  const [wallets, after, limit] = [`$${before + 1}::text[]`, `$${before + 2}::text`, `$${before + 3}::integer`];
  return `
  with cells as materialized (
    select * from ${cells} c where ${wallets} is null or c.custodian = any(${wallets}) or c.pending = any(${wallets})
  ), sites as materialized (
    select w.address, ${SITE_KEY} as location_key, ${SITE} as location from identity.wallet_v1 w where w.tenant_id = $1
  ), stock as materialized (
    select case when c.arrived and w.location is not null then w.location_key else coalesce(c.location_key, w.location_key, '${UNKNOWN_LOCATION}') end as key,
      case when c.arrived and w.location is not null then w.location else coalesce(c.location, w.location) end as place, c.*
    from cells c left join sites w on w.address = c.custodian where ${wallets} is null or c.custodian = any(${wallets})
  ), coming as materialized (
    select coalesce(w.location_key, '${UNKNOWN_LOCATION}') as key, w.location as place, c.* from cells c left join sites w on w.address = c.pending
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

/** A relation with the stock of a scope, for a statement that adds its own parameters behind these. */
interface StockCells {
  /** location_key and location (null = nothing states it), arrived, custodian, pending, kind of goods, and the columns of `STOCK_SUMS`. */
  readonly cells: string;
  readonly parameters: readonly unknown[];
  /** What the stored stock is based on; undefined = computed from the lots. */
  readonly asOf?: AsOf | undefined;
}

const WHAT = 'arrived, custodian, pending, asset_type, asset_type_name, uom, status';
const EDGES = 'min(expires_at) as earliest_expiry, min(minted_at) as oldest';
const FIGURES = 'lots, counted, quantity, measured, mass_kg, recalled, expired, earliest_expiry, oldest';

/** From stored stock if the tenant has it, else from lots and events. An ADMIN sees only places that its own events state. */
async function stockCells(tx: TenantTx, scope: ReportScope): Promise<StockCells> {
  const asOf = await asOfDays(tx, 'reporting.stock_cursor');
  const parameters: unknown[] = [tx.tenantId];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const period = [
    ...(scope.from ? [`l.minted_at >= ${add(scope.from)}::timestamptz`] : []),
    ...(scope.to ? [`l.minted_at < ${add(scope.to)}::timestamptz`] : []),
  ];
  const own = scope.readsAll ? null : add(scope.organisation!.orgId);
  if (!asOf) return { cells: currentStock(['true', ...period].join(' and '), own), parameters };
  const sums =
    period.length === 0
      ? `select ${FIGURES}, cell_id from reporting.stock_sum where tenant_id = $1 and day = '-infinity'`
      : sumsOfPeriod(scope, period, add);
  const cells = `(
    select p.location_key, p.location, ${WHAT}, ${FIGURES} from (${sums}) s
    join reporting.stock_cell c on c.tenant_id = $1 and c.cell_id = s.cell_id
    left join reporting.stock_place p on p.tenant_id = $1 and p.place_id = c.place_id ${own ? `and c.place_org = ${own}::text` : ''})`;
  return { cells, parameters, asOf };
}

/** Sums of the whole days of the period, and the lots of its partial days. */
function sumsOfPeriod(scope: ReportScope, period: readonly string[], add: (value: unknown) => string): string {
  const whole = wholeDays(scope);
  const [first, last] = [whole?.from, whole?.to].map((day) => (day == null ? '' : `${add(day)}::date`)) as [string, string];
  const days = ["day > '-infinity'", ...(first ? [`day >= ${first}`] : []), ...(last ? [`day < ${last}`] : [])];
  return `
    select ${FIGURES}, cell_id from reporting.stock_sum where tenant_id = $1 and ${whole ? days.join(' and ') : 'false'}
    union all
    select ${STOCK_SUMS}, ${EDGES}, cell_id from reporting.stock_lot l
    where l.tenant_id = $1 and ${period.join(' and ')} and ${partialDays('l.minted_at', scope, whole, first, last)} group by cell_id`;
}

/** The contents of an offered container are in transit too. */
const currentStock = (period: string, own: string | null): string => `(
  with recursive moving as (
    select l.token_id, l.pending_custodian from traceability.lot_v1 l
    where l.tenant_id = $1 and l.pending_custodian is not null and l.is_container
    union all
    select l.token_id, m.pending_custodian from moving m join traceability.lot_v1 l on l.tenant_id = $1 and l.container_token_id = m.token_id
  ), goods as materialized (${stockLots(period)}
  ), arrivals as materialized (${arrivalsOf('array(select token_id from goods)')}
  ), standing as materialized (
    select g.*, coalesce(g.pending_custodian, m.pending_custodian) as pending, s.arrived, s.place_org, s.location as any_location
    from goods g left join moving m on m.token_id = g.token_id
    left join traceability.lot_place_v1 p on p.tenant_id = $1 and p.token_id = g.token_id
    left join arrivals a on a.lot = g.token_id
    cross join lateral (${LOT_PLACE}) s
  ), placed as (
    select s.*, v.location, case when v.location is not null then coalesce(${locationKey('v.location')}, '${UNKNOWN_LOCATION}') end as location_key
    from standing s cross join lateral (select case when ${own ? `s.place_org = ${own}::text` : 'true'} then s.any_location end as location) v
  )
  select location_key, location, ${WHAT}, ${STOCK_SUMS}, ${EDGES} from placed group by location_key, location, ${WHAT})`;
