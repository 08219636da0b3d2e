import type { TenantTx } from '#persistence';
import type { AsOf } from '../reports/report.js';

/** How far the facts of a tenant are up to date. */
export interface FactCursor {
  /** `<block>:<id>`: everything up to here is included and final; null = nothing is. */
  readonly place: string | null;
  /** Position of the chain at the last complete batch; null = none yet. */
  readonly seen: AsOf | null;
}

export interface Change {
  readonly id: string;
  readonly block: number;
  /** The fact that the change belongs to. */
  readonly root: string;
}

interface CursorRow {
  readonly place: string | null;
  readonly head: string | null;
  readonly final: string | null;
}

/** Narrow facts about what happened, and their sums by day, kept for reports of large tenants. A fact has the id of what it is about. */
export abstract class FactQueries {
  /** Sorts after every id of a change. */
  abstract readonly lastId: string;

  protected constructor(private readonly cursorTable: 'reporting.fact_cursor' | 'reporting.transfer_cursor') {}

  /** Locks the tenant for this transaction. @returns null if another process has it */
  async acquire(tx: TenantTx): Promise<FactCursor | null> {
    await tx.sql(`insert into ${this.cursorTable} (tenant_id) values ($1) on conflict do nothing`, [tx.tenantId]);
    const [row] = await tx.sql<CursorRow>(
      `select place, seen_head as head, seen_final as final from ${this.cursorTable} where tenant_id = $1 for update skip locked`,
      [tx.tenantId],
    );
    return row ? { place: row.place, seen: row.head === null ? null : { head: Number(row.head), final: Number(row.final) } } : null;
  }

  /** @param asOf what the sums by day are based on from now on; null = as before */
  async saveCursor(tx: TenantTx, { place, seen }: FactCursor, asOf: AsOf | null): Promise<void> {
    await tx.sql(
      `update ${this.cursorTable} set place = $2, seen_head = $3, seen_final = $4, as_of_head = coalesce($5, as_of_head),
         as_of_final = coalesce($6, as_of_final) where tenant_id = $1`,
      [tx.tenantId, place, seen?.head ?? null, seen?.final ?? null, asOf?.head ?? null, asOf?.final ?? null],
    );
  }

  /** What changed after `after` (`<block>:<id>`) and up to the block `head`, by block and id. @returns `limit` at most */
  abstract changes(tx: TenantTx, after: string | null, head: number, limit: number): Promise<readonly Change[]>;
  /** Facts of blocks that can still be undone. */
  abstract undoable(tx: TenantTx, limit: number): Promise<readonly string[]>;
  /** Facts whose content was found since they were written, which happens without a block. */
  abstract resolvedLate(tx: TenantTx, limit: number): Promise<readonly string[]>;
  /** Computes these facts again, deletes those that no longer count, and marks the days of both. */
  abstract write(tx: TenantTx, ids: readonly string[], final: number): Promise<void>;
  /** Sums some of the marked days again. @returns whether no marked day is left */
  abstract sumDays(tx: TenantTx, limit: number): Promise<boolean>;
}

/** What the sums by day of this table are based on; undefined = none yet, read the facts themselves. */
export async function asOfDays(
  tx: TenantTx,
  table: 'reporting.fact_cursor' | 'reporting.transfer_cursor' | 'reporting.stock_cursor',
): Promise<AsOf | undefined> {
  const [row] = await tx.sql<{ head: string; final: string }>(
    `select as_of_head as head, as_of_final as final from ${table} where tenant_id = $1 and as_of_head is not null`,
    [tx.tenantId],
  );
  return row && { head: Number(row.head), final: Number(row.final) };
}

const NIL = '00000000-0000-0000-0000-000000000000';
/** Sorts after every event of a block. */
export const LAST_EVENT = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface Span {
  /** `<block>:<event id>`; null = from the beginning. */
  readonly after: string | null;
  readonly head: number;
  readonly limit: number;
}

/** Events that were confirmed, voided or superseded, by block and id. */
export function eventChanges(tx: TenantTx, chainId: number, { after, head, limit }: Span): Promise<readonly Change[]> {
  const [block, id] = after === null ? ['-1', NIL] : (after.split(':') as [string, string]);
  return tx.sql<Change>(CHANGED, [tx.tenantId, chainId, block, id, head, limit]);
}

/** A correction of a correction changes the values of the first event. */
const CHANGED = `with recursive changed as (
    select * from (
    (select id, block_number from traceability.event_key_v1
     where tenant_id = $1 and chain_id = $2 and block_number >= $3::bigint and block_number <= $5
       and (block_number, id) > ($3::bigint, $4::uuid)
     order by block_number, id limit $6)
    union all
    (select id, block_number from traceability.event_change_v1
     where tenant_id = $1 and chain_id = $2 and change = 'voided' and block_number >= $3::bigint and block_number <= $5
       and (block_number, id) > ($3::bigint, $4::uuid)
     order by block_number, id limit $6)
    union all
    (select id, block_number from traceability.event_change_v1
     where tenant_id = $1 and chain_id = $2 and change = 'superseded' and block_number >= $3::bigint and block_number <= $5
       and (block_number, id) > ($3::bigint, $4::uuid)
     order by block_number, id limit $6)
    ) each_kind order by block_number, id limit $6
  ), up as (
    select c.id, c.block_number, c.id as root, 0 as depth from changed c
    union all
    select u.id, u.block_number, e.supersedes, u.depth + 1 from up u
    join traceability.event_v1 e on e.tenant_id = $1 and e.id = u.root
    where e.supersedes is not null and u.depth < 100
  )
  select distinct on (block_number, id) id, block_number::float8 as block, root from up order by block_number, id, depth desc`;
