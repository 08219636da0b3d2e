import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Hold, Release } from '../../domain/hold.js';
import { HoldBook } from '../../ports.js';

interface LotRow {
  readonly token_id: string;
}
const tokenIdsOf = (rows: readonly LotRow[]): readonly bigint[] => rows.map((row) => BigInt(row.token_id));

/** Of the lots that the statement before calls `ended`, those that nothing else holds. */
const FREE = `
  select distinct e.token_id from ended e
  where not exists (
    select from recall.hold h where h.tenant_id = $1 and h.token_id = e.token_id and h.released_at is null
      and (h.token_id, h.source) not in (select token_id, source from ended))`;

/**
 * One change of a tenant's holds after another: what the book says and what the lots show are two tables, and a hold that is placed while
 * another of the same lot ends would be seen by neither.
 */
export const HOLDS_OF = `hashtextextended('recall.hold:' || tenant_id::text, 0)`;
const inTurn = (tx: TenantTx): Promise<unknown> =>
  tx.sql(`select pg_advisory_xact_lock(${HOLDS_OF}) from (select $1::uuid as tenant_id) mine`, [tx.tenantId]);

@Injectable()
export class SqlHoldBook extends HoldBook {
  /**
   * A hold that somebody ended stays ended for a recall, and can be placed again by quality. Whether all of a recall's holds were ended is
   * asked here, in turn: they may have been since somebody read that the recall holds.
   */
  override async place(tx: TenantTx, holds: readonly Hold[], chainId: number | null): Promise<readonly Hold[]> {
    if (holds.length === 0) return [];
    await inTurn(tx);
    const column = <T>(of: (hold: Hold) => T): T[] => holds.map(of);
    const rows = await tx.sql<LotRow & { source: string }>(
      `insert into recall.hold (tenant_id, chain_id, token_id, source, reason, held_by, held_at, block_number, tlc_hash)
       select $1, $2, h.*
       from unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::bigint[], $9::text[]) as h(token_id, source)
       where not exists (select from recall.propagation_end e where e.tenant_id = $1 and e.recall_id::text = h.source)
       on conflict (tenant_id, token_id, source) do update
         set reason = excluded.reason, held_by = excluded.held_by, held_at = excluded.held_at, tlc_hash = excluded.tlc_hash,
           released_by = null, released_at = null
         where recall.hold.source = 'quality' and recall.hold.released_at is not null
       returning token_id, source`,
      [
        tx.tenantId,
        chainId,
        column(({ tokenId }) => tokenId),
        column(({ source }) => source),
        column(({ reason }) => reason),
        column(({ by }) => by),
        column(({ at }) => at),
        column(({ block }) => block),
        column(({ tlcHash }) => tlcHash),
      ],
    );
    const placed = new Set(rows.map((row) => `${row.token_id}:${row.source}`));
    return holds.filter((hold) => placed.has(`${hold.tokenId}:${hold.source}`));
  }

  override async release(
    tx: TenantTx,
    { tokenIds, source }: { readonly tokenIds?: readonly bigint[]; readonly source?: string },
    by: Release,
  ): Promise<readonly bigint[]> {
    await inTurn(tx);
    const rows = await tx.sql<LotRow>(
      `with ended as (
         update recall.hold set released_by = $4, released_at = $5
         where tenant_id = $1 and released_at is null
           and ($2::bigint[] is null or token_id = any($2::bigint[])) and ($3::text is null or source = $3)
         returning token_id, source)
       ${FREE}`,
      [tx.tenantId, tokenIds ?? null, source ?? null, by.id, by.at],
    );
    return tokenIdsOf(rows);
  }

  override async releaseLifted(tx: TenantTx): Promise<readonly bigint[]> {
    await inTurn(tx);
    const rows = await tx.sql<LotRow>(
      `with over as (
         select r.id::text as source, last.* from recall.recall r
         cross join lateral (
           select lifted_by, lifted_at, lifted_block from recall.recalled_lot l
           where l.tenant_id = $1 and l.recall_id = r.id order by l.lifted_block desc nulls first limit 1) last
         where r.tenant_id = $1 and r.propagation = 'hold' and last.lifted_block is not null),
       ended as (
         update recall.hold h set released_by = over.lifted_by, released_at = over.lifted_at, released_block = over.lifted_block
         from over where h.tenant_id = $1 and h.source = over.source and h.released_at is null
         returning h.token_id, h.source)
       ${FREE}`,
      [tx.tenantId],
    );
    return tokenIdsOf(rows);
  }

  override async endPropagation(tx: TenantTx, recallId: string, by: Release): Promise<boolean> {
    const [recall] = await tx.sql('select from recall.recall where tenant_id = $1 and id = $2', [tx.tenantId, recallId]);
    if (!recall) return false;
    await tx.sql(
      `insert into recall.propagation_end (tenant_id, recall_id, ended_at, ended_by) values ($1, $2, $3, $4)
       on conflict (tenant_id, recall_id) do nothing`,
      [tx.tenantId, recallId, by.at, by.id],
    );
    return true;
  }

  override async forgetOthers(
    tx: TenantTx,
    minted: readonly { readonly tokenId: bigint; readonly tlcHash: string }[],
  ): Promise<readonly bigint[]> {
    const rows = await tx.sql<LotRow>(
      `with ended as (
         delete from recall.hold h using unnest($2::bigint[], $3::text[]) as m(token_id, tlc_hash)
         where h.tenant_id = $1 and h.token_id = m.token_id and h.tlc_hash <> m.tlc_hash
         returning h.token_id, h.source)
       ${FREE}`,
      [tx.tenantId, minted.map(({ tokenId }) => tokenId), minted.map(({ tlcHash }) => tlcHash)],
    );
    return tokenIdsOf(rows);
  }
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
     where r.tenant_id = $1 and r.propagation = 'hold'
       and not exists (select from recall.propagation_end e where e.tenant_id = $1 and e.recall_id = r.id)
     group by r.id, r.reason, r.recalled_by`,
    [tx.tenantId],
  );
  return rows.map((row) => ({ id: row.id, reason: row.reason, recalledBy: row.by, roots: row.roots.map(BigInt) }));
}
