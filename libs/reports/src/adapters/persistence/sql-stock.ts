import { ChainProfile, type ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Stock, type StockWalk } from '../../facts.ports.js';
import { CELL, PLACE_KEY, STOCK_OF, SUMS } from './stock-lots.js';

interface Position {
  readonly head: string | null;
  readonly final: string | null;
}
const positionOf = (row: Position | undefined): ChainPosition | null =>
  row?.head == null ? null : { head: Number(row.head), final: Number(row.final) };

interface Moved {
  readonly cell_id: string;
  readonly day: string;
}

@Injectable()
export class SqlStock extends Stock {
  constructor(private readonly chain: ChainProfile) {
    super();
  }

  override async take(tx: TenantTx): Promise<StockWalk | null> {
    await tx.sql('insert into reports.stock_walk (tenant_id) values ($1) on conflict do nothing', [tx.tenantId]);
    const [row] = await tx.sql<Position & { block: string | null }>(
      'select block, seen_head as head, seen_final as final from reports.stock_walk where tenant_id = $1 for update skip locked',
      [tx.tenantId],
    );
    return row ? { block: row.block === null ? null : Number(row.block), seen: positionOf(row) } : null;
  }

  override async upTo(tx: TenantTx): Promise<ChainPosition | null> {
    const [row] = await tx.sql<Position>('select as_of_head as head, as_of_final as final from reports.fact_walk where tenant_id = $1', [
      tx.tenantId,
    ]);
    return positionOf(row);
  }

  override async all(tx: TenantTx): Promise<void> {
    await tx.sql(
      'insert into reports.due_lot select tenant_id, token_id from traceability.lot_v1 where tenant_id = $1 on conflict do nothing',
      [tx.tenantId],
    );
  }

  override async changed(tx: TenantTx, after: number, { head, final }: ChainPosition): Promise<void> {
    const of = [tx.tenantId, this.chain.chainId, after, head, final];
    const changes = await tx.sql<{ token_id: string; open: boolean }>(CHANGED, of);
    const tokens = changes.map(({ token_id: id }) => id);
    await this.touch(tx, tokens);
    // What was open is looked at once more: it may have been undone.
    await tx.sql(
      `with gone as (delete from reports.open_lot where tenant_id = $1 returning token_id)
       insert into reports.due_lot select $1, token_id from gone on conflict do nothing`,
      [tx.tenantId],
    );
    await tx.sql('insert into reports.open_lot select $1, * from unnest($2::bigint[])', [
      tx.tenantId,
      changes.filter(({ open }) => open).map(({ token_id: id }) => id),
    ]);
  }

  override async ofEvents(tx: TenantTx, ids: readonly string[]): Promise<void> {
    const [followed] = await tx.sql('select from reports.stock_walk where tenant_id = $1 and block is not null', [tx.tenantId]);
    if (!followed) return;
    const lots = await tx.sql<{ token_id: string }>(
      `select distinct n.token_id from unnest($2::uuid[]) x(id) cross join lateral (
         select unnest(e.input_token_ids || e.output_token_ids) as token_id from traceability.event_v1 e
         where e.tenant_id = $1 and e.id = x.id offset 0) n`,
      [tx.tenantId, ids],
    );
    await this.touch(
      tx,
      lots.map(({ token_id: id }) => id),
    );
  }

  override async withoutBlock(tx: TenantTx): Promise<void> {
    await tx.sql(QUIETLY, [tx.tenantId]);
  }

  override async sum(tx: TenantTx, limit: number): Promise<boolean> {
    const due = await tx.sql<{ token_id: string }>(
      `delete from reports.due_lot where tenant_id = $1
         and token_id = any(array(select token_id from reports.due_lot where tenant_id = $1 order by token_id limit $2)) returning token_id`,
      [tx.tenantId, limit],
    );
    if (due.length === 0) return true;
    const of = [tx.tenantId, due.map(({ token_id: id }) => id)];
    const moved = [...(await tx.sql<Moved>(TAKEN, of)), ...(await tx.sql<Moved>(GIVEN, of))];
    await tx.sql(EDGES_OF_DAYS, [tx.tenantId, moved.map(({ cell_id: id }) => id), moved.map(({ day }) => day)]);
    await tx.sql(EDGES, [tx.tenantId, [...new Set(moved.map(({ cell_id: id }) => id))]]);
    await tx.sql(EMPTY, [tx.tenantId]);
    return due.length < limit;
  }

  override async walked(tx: TenantTx, block: number, seen: ChainPosition, whole: boolean): Promise<void> {
    await tx.sql(
      `update reports.stock_walk set block = $2, seen_head = $3, seen_final = $4, as_of_head = case when $5 then $3 else as_of_head end,
         as_of_final = case when $5 then $4 else as_of_final end where tenant_id = $1`,
      [tx.tenantId, block, seen.head, seen.final, whole],
    );
  }

  /** What lies in a container goes with it. */
  private async touch(tx: TenantTx, tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return;
    await tx.sql(
      `insert into reports.due_lot select $1::uuid, t from unnest($2::bigint[]) t
       union select $1::uuid, i from traceability.lots_inside_v1($1, $2::bigint[]) i on conflict do nothing`,
      [tx.tenantId, tokens],
    );
  }
}

const CHANGED = `select c.token_id, max(c.block_number) > $5 as open from traceability.lot_change_v1 c
  where c.tenant_id = $1 and c.chain_id = $2 and c.block_number > $3 and c.block_number <= $4 group by c.token_id`;

/** Dates pass, holds are placed and content is found without a block. */
const QUIETLY = `insert into reports.due_lot
  select $1::uuid, s.token_id from reports.stock_lot s where s.tenant_id = $1 and not s.expired and s.expires_at <= now()
  union select $1, h.token_id from traceability.lot_hold_v1 h
    join reports.stock_lot s on s.tenant_id = $1 and s.token_id = h.token_id and not s.held where h.tenant_id = $1
  union select $1, s.token_id from reports.stock_lot s where s.tenant_id = $1 and s.held and not exists (
    select from traceability.lot_hold_v1 h where h.tenant_id = $1 and h.token_id = s.token_id)
  union select $1, s.token_id from reports.stock_lot s cross join lateral (
    select from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = s.token_id and l.resolved offset 0) l
    where s.tenant_id = $1 and not s.resolved
  on conflict do nothing`;

const FIGURES = ['lots', 'counted', 'quantity', 'measured', 'mass_kg', 'recalled', 'expired'] as const;
/** By cell and day, and by cell over all days. */
const sumsOf = (lots: string): string => `select cell_id, coalesce(day, '-infinity') as day, ${SUMS} from ${lots}
    group by grouping sets ((cell_id, day), (cell_id)) order by 1, 2`;

const TAKEN = `with gone as (
    delete from reports.stock_lot where tenant_id = $1 and token_id = any($2::bigint[]) returning *
  ), sums as (${sumsOf('gone')})
  update reports.stock_sum c set ${FIGURES.map((name) => `${name} = c.${name} - s.${name}`).join(', ')}
  from sums s where c.tenant_id = $1 and c.day = s.day and c.cell_id = s.cell_id returning c.cell_id, c.day::text`;

const GIVEN = `${STOCK_OF}, lots as (
    insert into reports.stock_lot (tenant_id, token_id, cell_id, remaining, mass_kg, recalled, expired, held, resolved, expires_at, minted_at)
    select $1, token_id, cell_id, remaining, mass_kg, recalled, expired, held, resolved, expires_at, minted_at from fresh
  ), places as (
    insert into reports.stock_place (tenant_id, place_id, location_key, location)
    select distinct on (place_id) $1::uuid, place_id, ${PLACE_KEY}, location from fresh where place_id is not null order by place_id
    on conflict do nothing
  ), cells as (
    insert into reports.stock_cell (tenant_id, cell_id, ${CELL.join(', ')})
    select distinct on (cell_id) $1::uuid, cell_id, ${CELL.join(', ')} from fresh order by cell_id on conflict do nothing
  )
  insert into reports.stock_sum as c (tenant_id, cell_id, day, ${FIGURES.join(', ')}) select $1::uuid, s.* from (${sumsOf('fresh')}) s
  on conflict (tenant_id, day, cell_id) do update set ${FIGURES.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}
  returning c.cell_id, c.day::text`;

/** What cannot be told from a difference: of a day by the indexes, of all days from those. */
const EDGES_OF_DAYS = `update reports.stock_sum c set
    earliest_expiry = (select s.expires_at from reports.stock_lot s
      where s.tenant_id = $1 and s.cell_id = c.cell_id and s.day = c.day and s.expires_at is not null order by s.expires_at limit 1),
    oldest = (select s.minted_at from reports.stock_lot s
      where s.tenant_id = $1 and s.cell_id = c.cell_id and s.day = c.day order by s.minted_at limit 1)
  from (select distinct * from unnest($2::uuid[], $3::date[]) x(cell_id, day)) m
  where c.tenant_id = $1 and c.day > '-infinity' and c.cell_id = m.cell_id and c.day = m.day`;
const EDGES = `update reports.stock_sum c set earliest_expiry = m.earliest_expiry, oldest = m.oldest
  from unnest($2::uuid[]) x(cell_id) cross join lateral (
    select min(d.earliest_expiry) as earliest_expiry, min(d.oldest) as oldest from reports.stock_sum d
    where d.tenant_id = $1 and d.cell_id = x.cell_id and d.day > '-infinity' and d.lots > 0) m
  where c.tenant_id = $1 and c.day = '-infinity' and c.cell_id = x.cell_id`;

const EMPTY = `with sums as (
    delete from reports.stock_sum where tenant_id = $1 and lots = 0 returning cell_id, day
  ), cells as (
    delete from reports.stock_cell c using sums s where c.tenant_id = $1 and c.cell_id = s.cell_id and s.day = '-infinity' returning c.cell_id, c.place_id
  )
  delete from reports.stock_place p using (select distinct place_id from cells) g
  where p.tenant_id = $1 and p.place_id = g.place_id and not exists (
    select from reports.stock_cell c where c.tenant_id = $1 and c.place_id = p.place_id and c.cell_id not in (select cell_id from cells))`;
