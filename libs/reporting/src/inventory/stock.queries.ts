import { ChainProfile } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { asOfDays } from '../event-facts/fact.queries.js';
import { UNKNOWN_LOCATION, locationKey } from '../reports/scope.queries.js';
import type { AsOf } from '../reports/report.js';

/** How far the stock of a tenant is up to date. */
interface StockCursor {
  /** Changes up to this block are included and final; null = nothing is. */
  readonly block: number | null;
  readonly seen: AsOf | null;
}

interface Moved {
  readonly cell_id: string;
  readonly day: string;
}

/** Lots in stock of large tenants and their sums (`reporting.stock_lot`, `stock_cell`, `stock_sum`). Lots are marked, then summed. */
@Injectable()
export class StockQueries {
  constructor(private readonly chain: ChainProfile) {}

  /** Locks the tenant for this transaction. @returns null if another process has it */
  async acquire(tx: TenantTx): Promise<StockCursor | null> {
    await tx.sql('insert into reporting.stock_cursor (tenant_id) values ($1) on conflict do nothing', [tx.tenantId]);
    const [row] = await tx.sql<{ block: string | null; head: string | null; final: string | null }>(
      'select block, seen_head as head, seen_final as final from reporting.stock_cursor where tenant_id = $1 for update skip locked',
      [tx.tenantId],
    );
    if (!row) return null;
    const seen = row.head === null ? null : { head: Number(row.head), final: Number(row.final) };
    return { block: row.block === null ? null : Number(row.block), seen };
  }

  /** Up to where events are projected: they state where lots are; undefined = not yet. */
  eventsAsOf(tx: TenantTx): Promise<AsOf | undefined> {
    return asOfDays(tx, 'reporting.fact_cursor');
  }

  async markAll(tx: TenantTx): Promise<void> {
    await tx.sql(
      'insert into reporting.due_lot select tenant_id, token_id from traceability.lot_v1 where tenant_id = $1 on conflict do nothing',
      [tx.tenantId],
    );
  }

  /** Marks lots that changed after a block, and those that could be undone at the last batch. */
  async markChanged(tx: TenantTx, after: number, { head, final }: AsOf): Promise<void> {
    const parameters = [tx.tenantId, this.chain.chainId, after, head, final];
    const changes = await tx.sql<{ token_id: string; open: boolean }>(CHANGED, parameters);
    const tokens = changes.map(({ token_id: id }) => id);
    await this.mark(tx, tokens);
    // Lots of blocks that were not final are marked again: a block may have been undone.
    await tx.sql(
      `with gone as (delete from reporting.open_lot where tenant_id = $1 returning token_id)
       insert into reporting.due_lot select $1, token_id from gone on conflict do nothing`,
      [tx.tenantId],
    );
    await tx.sql('insert into reporting.open_lot select $1, * from unnest($2::bigint[])', [
      tx.tenantId,
      changes.filter(({ open }) => open).map(({ token_id: id }) => id),
    ]);
  }

  /** Marks the lots of the events. */
  async markLotsOfEvents(tx: TenantTx, ids: readonly string[]): Promise<void> {
    const [projected] = await tx.sql('select from reporting.stock_cursor where tenant_id = $1 and block is not null', [tx.tenantId]);
    if (!projected) return;
    const lots = await tx.sql<{ token_id: string }>(
      `select distinct n.token_id from unnest($2::uuid[]) x(id) cross join lateral (
         select unnest(e.input_token_ids || e.output_token_ids) as token_id from traceability.event_v1 e
         where e.tenant_id = $1 and e.id = x.id offset 0) n`,
      [tx.tenantId, ids],
    );
    await this.mark(
      tx,
      lots.map(({ token_id: id }) => id),
    );
  }

  /** Marks lots that changed without a block. */
  async markWithoutBlock(tx: TenantTx): Promise<void> {
    await tx.sql(CHANGED_WITHOUT_BLOCK, [tx.tenantId]);
  }

  /** Sums some of the marked lots again. @returns whether no marked lot is left */
  async sumMarked(tx: TenantTx, limit: number): Promise<boolean> {
    const due = await tx.sql<{ token_id: string }>(
      `delete from reporting.due_lot where tenant_id = $1
         and token_id = any(array(select token_id from reporting.due_lot where tenant_id = $1 order by token_id limit $2)) returning token_id`,
      [tx.tenantId, limit],
    );
    if (due.length === 0) return true;
    const parameters = [tx.tenantId, due.map(({ token_id: id }) => id)];
    const moved = [...(await tx.sql<Moved>(REMOVE, parameters)), ...(await tx.sql<Moved>(ADD, parameters))];
    await tx.sql(EXTREMES_OF_DAYS, [tx.tenantId, moved.map(({ cell_id: id }) => id), moved.map(({ day }) => day)]);
    await tx.sql(EXTREMES, [tx.tenantId, [...new Set(moved.map(({ cell_id: id }) => id))]]);
    await tx.sql(DELETE_EMPTY, [tx.tenantId]);
    return due.length < limit;
  }

  /** @param complete the stock is based on `seen` from now on */
  async saveCursor(tx: TenantTx, block: number, seen: AsOf, complete: boolean): Promise<void> {
    await tx.sql(
      `update reporting.stock_cursor set block = $2, seen_head = $3, seen_final = $4, as_of_head = case when $5 then $3 else as_of_head end,
         as_of_final = case when $5 then $4 else as_of_final end where tenant_id = $1`,
      [tx.tenantId, block, seen.head, seen.final, complete],
    );
  }

  /** The contents of a container change with it, and the place of a part may follow from an event of its lot. */
  private async mark(tx: TenantTx, tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return;
    await tx.sql(
      `insert into reporting.due_lot select $1::uuid, t from unnest($2::bigint[]) t
       union select $1::uuid, i from traceability.lots_placed_with_v1($1, $2::bigint[]) i on conflict do nothing`,
      [tx.tenantId, tokens],
    );
  }
}

/** Lots with equal values are one cell of stock. `pending`: who the lot or its container is offered to. */
const CELL = ['place_id', 'place_org', 'arrived', 'custodian', 'pending', 'asset_type', 'asset_type_name', 'uom', 'status'] as const;

const digest = (of: string): string => `md5(${of})::uuid`;

/** Lots in stock: not containers, not used up, not retired. @param which a condition on `l`; $1 is the tenant */
export const stockLots = (which: string): string => `
  select l.token_id, l.custodian, l.pending_custodian, l.container_token_id, l.asset_type, l.asset_type_name, l.uom, l.status, l.remaining,
    l.remaining * l.unit_kg as mass_kg, l.recalled_at is not null as recalled, coalesce(l.expires_at <= now(), false) as expired,
    l.held_at is not null as held, l.resolved, l.expires_at, l.minted_at
  from traceability.lot_v1 l
  where l.tenant_id = $1 and not l.is_container and not l.used_up and l.retired_at is null and ${which}`;

/** The last hand-over of each of some lots that no event says the place of; for a part also one of the lot that it was split from, before. $1: tenant. */
export const arrivalsOf = (tokens: string): string => `
    select distinct on (w.lot) w.lot, t.stated_at, t.closed_block, t.closed_log, t.location, r.org_id::text as org_id
    from traceability.lot_wholes_v1($1, ${tokens}) w cross join lateral (
      select t.* from custody.arrival_v1 t where t.tenant_id = $1 and t.token_id = w.token_id
        and (w.until_block is null or (t.closed_block, t.closed_log) < (w.until_block, w.until_log)) offset 0) t
    left join identity.wallet_v1 r on r.tenant_id = $1 and r.address = t.to_address
    order by w.lot, t.closed_block desc, t.closed_log desc`;

/** Of the last event `p` with a location and the last arrival `a`: by the time that its note states, else in the order of the chain. */
const CAME_LATER = `a.lot is not null and (p.event_id is null or case when a.stated_at is not null then a.stated_at >= p.at
      else (a.closed_block, a.closed_log) > (p.block_number, p.log_index) end)`;

/** Where a lot is: what the later of `p` and `a` states. An arrival that states no place leads to the site of the custodian, if it has one. */
export const LOT_PLACE = `select came and a.location is null as arrived,
      case when came and a.location is not null then a.location else p.location end as location,
      case when came and a.location is not null then a.org_id else p.org_id end as place_org
    from (select ${CAME_LATER} as came) c`;

/** The lots in stock among these, with their place and cell; $2: token ids. */
const CURRENT_CELLS = `
  with recursive goods as materialized (
    select g.* from unnest($2::bigint[]) t(token_id) cross join lateral (${stockLots('l.token_id = t.token_id')} offset 0) g
  ), up as (
    select g.token_id, g.container_token_id as container, 1 as level from goods g where g.container_token_id is not null
    union all
    select u.token_id, c.container_token_id, u.level + 1 from up u cross join lateral (
      select c.container_token_id from traceability.lot_v1 c where c.tenant_id = $1 and c.token_id = u.container and c.container_token_id is not null offset 0) c
    where u.level < 8
  ), moving as (
    select distinct on (u.token_id) u.token_id, c.pending_custodian from up u cross join lateral (
      select c.pending_custodian from traceability.lot_v1 c where c.tenant_id = $1 and c.token_id = u.container and c.pending_custodian is not null offset 0) c
    order by u.token_id, u.level
  ), arrivals as materialized (${arrivalsOf('$2::bigint[]')}
  ), placed as materialized (
    select g.*, coalesce(g.pending_custodian, m.pending_custodian) as pending, s.location, s.place_org, s.arrived,
      ${digest('s.location::text')} as place_id
    from goods g left join moving m on m.token_id = g.token_id
    left join traceability.lot_places_v1($1, $2::bigint[]) p on p.token_id = g.token_id
    left join arrivals a on a.lot = g.token_id
    cross join lateral (${LOT_PLACE}) s
  ), fresh as materialized (
    select p.*, ${digest(`(${CELL.map((name) => `p.${name}`).join(', ')})::text`)} as cell_id,
      (p.minted_at at time zone 'utc')::date as day
    from placed p
  )`;

/** Sums over a relation with the columns of `reporting.stock_lot`. */
export const STOCK_SUMS = `count(*) as lots, count(remaining) as counted, coalesce(sum(remaining), 0) as quantity, count(mass_kg) as measured,
  coalesce(sum(mass_kg), 0) as mass_kg, count(*) filter (where recalled) as recalled, count(*) filter (where expired) as expired`;

const PLACE_KEY = `coalesce(${locationKey('location')}, '${UNKNOWN_LOCATION}')`;

const CHANGED = `select c.token_id, max(c.block_number) > $5 as open from traceability.lot_change_v1 c
  where c.tenant_id = $1 and c.chain_id = $2 and c.block_number > $3 and c.block_number <= $4 group by c.token_id`;

/** Dates pass, holds are placed and content is found without a block. */
const CHANGED_WITHOUT_BLOCK = `insert into reporting.due_lot
  select $1::uuid, s.token_id from reporting.stock_lot s where s.tenant_id = $1 and not s.expired and s.expires_at <= now()
  union select $1, h.token_id from traceability.lot_hold_v1 h
    join reporting.stock_lot s on s.tenant_id = $1 and s.token_id = h.token_id and not s.held where h.tenant_id = $1
  union select $1, s.token_id from reporting.stock_lot s where s.tenant_id = $1 and s.held and not exists (
    select from traceability.lot_hold_v1 h where h.tenant_id = $1 and h.token_id = s.token_id)
  union select $1, s.token_id from reporting.stock_lot s cross join lateral (
    select from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = s.token_id and l.resolved offset 0) l
    where s.tenant_id = $1 and not s.resolved
  on conflict do nothing`;

const FIGURES = ['lots', 'counted', 'quantity', 'measured', 'mass_kg', 'recalled', 'expired'] as const;
/** By cell and day, and by cell over all days. */
const sumsOf = (lots: string): string => `select cell_id, coalesce(day, '-infinity') as day, ${STOCK_SUMS} from ${lots}
    group by grouping sets ((cell_id, day), (cell_id)) order by 1, 2`;

const REMOVE = `with gone as (
    delete from reporting.stock_lot where tenant_id = $1 and token_id = any($2::bigint[]) returning *
  ), sums as (${sumsOf('gone')})
  update reporting.stock_sum c set ${FIGURES.map((name) => `${name} = c.${name} - s.${name}`).join(', ')}
  from sums s where c.tenant_id = $1 and c.day = s.day and c.cell_id = s.cell_id returning c.cell_id, c.day::text`;

const ADD = `${CURRENT_CELLS}, lots as (
    insert into reporting.stock_lot (tenant_id, token_id, cell_id, remaining, mass_kg, recalled, expired, held, resolved, expires_at, minted_at)
    select $1, token_id, cell_id, remaining, mass_kg, recalled, expired, held, resolved, expires_at, minted_at from fresh
  ), places as (
    insert into reporting.stock_place (tenant_id, place_id, location_key, location)
    select distinct on (place_id) $1::uuid, place_id, ${PLACE_KEY}, location from fresh where place_id is not null order by place_id
    on conflict do nothing
  ), cells as (
    insert into reporting.stock_cell (tenant_id, cell_id, ${CELL.join(', ')})
    select distinct on (cell_id) $1::uuid, cell_id, ${CELL.join(', ')} from fresh order by cell_id on conflict do nothing
  )
  insert into reporting.stock_sum as c (tenant_id, cell_id, day, ${FIGURES.join(', ')}) select $1::uuid, s.* from (${sumsOf('fresh')}) s
  on conflict (tenant_id, day, cell_id) do update set ${FIGURES.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}
  returning c.cell_id, c.day::text`;

/** Least values cannot be subtracted: those of a day are read by the indexes, those of all days from the days. */
const EXTREMES_OF_DAYS = `update reporting.stock_sum c set
    earliest_expiry = (select s.expires_at from reporting.stock_lot s
      where s.tenant_id = $1 and s.cell_id = c.cell_id and s.day = c.day and s.expires_at is not null order by s.expires_at limit 1),
    oldest = (select s.minted_at from reporting.stock_lot s
      where s.tenant_id = $1 and s.cell_id = c.cell_id and s.day = c.day order by s.minted_at limit 1)
  from (select distinct * from unnest($2::uuid[], $3::date[]) x(cell_id, day)) m
  where c.tenant_id = $1 and c.day > '-infinity' and c.cell_id = m.cell_id and c.day = m.day`;
const EXTREMES = `update reporting.stock_sum c set earliest_expiry = m.earliest_expiry, oldest = m.oldest
  from unnest($2::uuid[]) x(cell_id) cross join lateral (
    select min(d.earliest_expiry) as earliest_expiry, min(d.oldest) as oldest from reporting.stock_sum d
    where d.tenant_id = $1 and d.cell_id = x.cell_id and d.day > '-infinity' and d.lots > 0) m
  where c.tenant_id = $1 and c.day = '-infinity' and c.cell_id = x.cell_id`;

const DELETE_EMPTY = `with sums as (
    delete from reporting.stock_sum where tenant_id = $1 and lots = 0 returning cell_id, day
  ), cells as (
    delete from reporting.stock_cell c using sums s where c.tenant_id = $1 and c.cell_id = s.cell_id and s.day = '-infinity' returning c.cell_id, c.place_id
  )
  delete from reporting.stock_place p using (select distinct place_id from cells) g
  where p.tenant_id = $1 and p.place_id = g.place_id and not exists (
    select from reporting.stock_cell c where c.tenant_id = $1 and c.place_id = p.place_id and c.cell_id not in (select cell_id from cells))`;
