import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Hold } from '../../domain/hold.js';
import { HoldBook } from '../../ports.js';

@Injectable()
export class SqlHoldBook extends HoldBook {
  override async place(tx: TenantTx, holds: readonly Hold[]): Promise<readonly Hold[]> {
    return placeHolds(tx, null, holds);
  }

  override async release(
    tx: TenantTx,
    { tokenIds, source }: { readonly tokenIds?: readonly bigint[]; readonly source?: string },
    by: { readonly id: string; readonly at: Date },
  ): Promise<readonly bigint[]> {
    const rows = await tx.sql<{ token_id: string }>(
      `with released as (
         update recall.hold set released_by = $4, released_at = $5
         where tenant_id = $1 and released_at is null
           and ($2::bigint[] is null or token_id = any($2::bigint[])) and ($3::text is null or source = $3)
         returning token_id, source)
       select distinct r.token_id from released r
       where not exists (
         select from recall.hold h where h.tenant_id = $1 and h.token_id = r.token_id and h.released_at is null
           and (h.token_id, h.source) not in (select token_id, source from released))`,
      [tx.tenantId, tokenIds ?? null, source ?? null, by.id, by.at],
    );
    return rows.map((row) => BigInt(row.token_id));
  }

  override async releaseLifted(tx: TenantTx, by: { readonly id: string; readonly at: Date }): Promise<readonly bigint[]> {
    const over = await tx.sql<{ id: string }>(
      `select r.id from recall.recall r
       where r.tenant_id = $1 and r.propagation = 'hold' and not exists (
         select from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id and l.lifted_block is null)
       and exists (select from recall.hold h where h.tenant_id = r.tenant_id and h.source = r.id::text and h.released_at is null)`,
      [tx.tenantId],
    );
    const free: bigint[] = [];
    for (const { id } of over) free.push(...(await this.release(tx, { source: id }, by)));
    return free;
  }

  override async endPropagation(tx: TenantTx, recallId: string, at: Date): Promise<boolean> {
    const rows = await tx.sql(
      `update recall.recall set holds_released_at = coalesce(holds_released_at, $3) where tenant_id = $1 and id = $2 returning id`,
      [tx.tenantId, recallId, at],
    );
    return rows.length > 0;
  }
}

/** A hold that somebody ended stays ended for a recall, and can be placed again by quality. */
export async function placeHolds(tx: TenantTx, chainId: number | null, holds: readonly Hold[]): Promise<readonly Hold[]> {
  if (holds.length === 0) return [];
  const rows = await tx.sql<{ token_id: string; source: string }>(
    `insert into recall.hold (tenant_id, chain_id, token_id, source, reason, held_by, held_at, block_number)
     select $1, $2, h.* from unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::bigint[]) as h
     on conflict (tenant_id, token_id, source) do update
       set reason = excluded.reason, held_by = excluded.held_by, held_at = excluded.held_at, released_by = null, released_at = null
       where recall.hold.source = 'quality' and recall.hold.released_at is not null
     returning token_id, source`,
    [
      tx.tenantId,
      chainId,
      holds.map(({ tokenId }) => tokenId),
      holds.map(({ source }) => source),
      holds.map(({ reason }) => reason),
      holds.map(({ by }) => by),
      holds.map(({ at }) => at),
      holds.map(({ block }) => block),
    ],
  );
  const placed = new Set(rows.map((row) => `${row.token_id}:${row.source}`));
  return holds.filter((hold) => placed.has(`${hold.tokenId}:${hold.source}`));
}

export interface Holding {
  readonly id: string;
  readonly reason: string | null;
  readonly recalledBy: string;
  readonly roots: readonly bigint[];
}

/** Recalls whose propagation is `hold`, with the lots that stand recalled by them. */
export async function holdingRecalls(tx: TenantTx): Promise<readonly Holding[]> {
  const rows = await tx.sql<{ id: string; reason: string | null; by: string; roots: string[] }>(
    `select r.id, r.reason, r.recalled_by as by, array_agg(l.token_id) as roots
     from recall.recall r join recall.recalled_lot l on l.tenant_id = r.tenant_id and l.recall_id = r.id and l.lifted_block is null
     where r.tenant_id = $1 and r.propagation = 'hold' and r.holds_released_at is null group by r.id, r.reason, r.recalled_by`,
    [tx.tenantId],
  );
  return rows.map((row) => ({ id: row.id, reason: row.reason, recalledBy: row.by, roots: row.roots.map(BigInt) }));
}

/** Takes back holds that later blocks placed. @returns by tenant the lots that nothing holds any more */
export async function undoHolds(
  tx: SystemTx,
  chainId: number,
  lastGoodBlock: number,
): Promise<readonly { tenantId: string; tokenIds: bigint[] }[]> {
  const rows = await tx.sql<{ tenant_id: string; token_ids: string[] }>(
    `with gone as (delete from recall.hold where chain_id = $1 and block_number > $2 returning tenant_id, token_id, source)
     select g.tenant_id, array_agg(distinct g.token_id) as token_ids from gone g
     where not exists (
       select from recall.hold h where h.tenant_id = g.tenant_id and h.token_id = g.token_id and h.released_at is null
         and (h.tenant_id, h.token_id, h.source) not in (select tenant_id, token_id, source from gone))
     group by g.tenant_id`,
    [chainId, lastGoodBlock],
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, tokenIds: row.token_ids.map(BigInt) }));
}
