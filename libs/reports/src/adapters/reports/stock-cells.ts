import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import type { Scope } from '../../ports.js';
import { NOWHERE, keyOf } from '../persistence/location-key.js';
import { SUMS, goods } from '../persistence/stock-lots.js';
import { cutOf, wholeDays } from '../persistence/whole-days.js';

/** The stock of a scope, as a part of a statement that may add parameters of its own behind these. */
export interface StockCells {
  /** location_key and location (null = no event says where), custodian, pending, what they are, and what `SUMS` adds up. */
  readonly cells: string;
  readonly parameters: readonly unknown[];
  /** What the kept stock stands on; undefined = it is read as it is now. */
  readonly asOf?: ChainPosition;
}

const WHAT = 'custodian, pending, asset_type, asset_type_name, uom, status';
const EDGES = 'min(expires_at) as earliest_expiry, min(minted_at) as oldest';
const FIGURES = 'lots, counted, quantity, measured, mass_kg, recalled, expired, earliest_expiry, oldest';

/** Of a tenant whose stock is kept, from that; of another, from its lots and events. An ADMIN sees the places that its own events say. */
export async function stockCells(tx: TenantTx, scope: Scope): Promise<StockCells> {
  const [kept] = await tx.sql<{ head: string; final: string }>(
    'select as_of_head as head, as_of_final as final from reports.stock_walk where tenant_id = $1 and as_of_head is not null',
    [tx.tenantId],
  );
  const parameters: unknown[] = [tx.tenantId];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const period = [
    ...(scope.from ? [`l.minted_at >= ${add(scope.from)}::timestamptz`] : []),
    ...(scope.to ? [`l.minted_at < ${add(scope.to)}::timestamptz`] : []),
  ];
  const own = scope.readsAll ? null : add(scope.organisation!.orgId);
  if (!kept) return { cells: read(['true', ...period].join(' and '), own), parameters };
  const sums =
    period.length === 0
      ? `select ${FIGURES}, cell_id from reports.stock_sum where tenant_id = $1 and day = '-infinity'`
      : made(scope, period, add);
  const cells = `(
    select p.location_key, p.location, ${WHAT}, ${FIGURES} from (${sums}) s
    join reports.stock_cell c on c.tenant_id = $1 and c.cell_id = s.cell_id
    left join reports.stock_place p on p.tenant_id = $1 and p.place_id = c.place_id ${own ? `and c.place_org = ${own}::text` : ''})`;
  return { cells, parameters, asOf: { head: Number(kept.head), final: Number(kept.final) } };
}

/** Days that the period holds whole, and the lots of those that it cuts. */
function made(scope: Scope, period: readonly string[], add: (value: unknown) => string): string {
  const whole = wholeDays(scope);
  const [first, last] = [whole?.from, whole?.to].map((day) => (day == null ? '' : `${add(day)}::date`)) as [string, string];
  const days = ["day > '-infinity'", ...(first ? [`day >= ${first}`] : []), ...(last ? [`day < ${last}`] : [])];
  return `
    select ${FIGURES}, cell_id from reports.stock_sum where tenant_id = $1 and ${whole ? days.join(' and ') : 'false'}
    union all
    select ${SUMS}, ${EDGES}, cell_id from reports.stock_lot l
    where l.tenant_id = $1 and ${period.join(' and ')} and ${cutOf('l.minted_at', scope, whole, first, last)} group by cell_id`;
}

/** What lies in an offered container is on its way as well. */
const read = (period: string, own: string | null): string => `(
  with recursive moving as (
    select l.token_id, l.pending_custodian from traceability.lot_v1 l
    where l.tenant_id = $1 and l.pending_custodian is not null and l.is_container
    union all
    select l.token_id, m.pending_custodian from moving m join traceability.lot_v1 l on l.tenant_id = $1 and l.container_token_id = m.token_id
  ), placed as (
    select g.*, coalesce(g.pending_custodian, m.pending_custodian) as pending, p.location,
      case when p.location is not null then coalesce(${keyOf('p.location')}, '${NOWHERE}') end as location_key
    from (${goods(period)}) g left join moving m on m.token_id = g.token_id
    left join traceability.lot_place_v1 p on p.tenant_id = $1 and p.token_id = g.token_id ${own ? `and p.org_id = ${own}::text` : ''}
  )
  select location_key, location, ${WHAT}, ${SUMS}, ${EDGES} from placed group by location_key, location, ${WHAT})`;
