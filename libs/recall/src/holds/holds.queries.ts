import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Hold, type HoldingRecall, QUALITY, type Release, type Split } from './hold.js';

interface LotRow {
  readonly token_id: string;
}
const tokenIdsOf = (rows: readonly LotRow[]): readonly bigint[] => rows.map((row) => BigInt(row.token_id));

/** Of the lots in `ended`, those without another hold. */
const FREE = `
  select distinct e.token_id from ended e
  where not exists (
    select from recall.hold h where h.tenant_id = $1 and h.token_id = e.token_id and h.released_at is null
      and (h.token_id, h.source) not in (select token_id, source from ended))`;

/** What blocks that were taken back change in one tenant's holds. */
interface UndoneHolds {
  readonly tenantId: string;
  /** Lots without a hold now. */
  readonly free: readonly bigint[];
  /** Holds that are active again, because the block that ended them is gone. */
  readonly restored: readonly { readonly tokenId: bigint; readonly reason: string; readonly at: Date }[];
}

/**
 * Changes of a tenant's holds are serialised: holds and what the lots show are two tables, and a hold that is placed while another one of
 * the same lot ends would be missed by both.
 */
const LOCK_KEY = `hashtextextended('recall.hold:' || tenant_id::text, 0)`;
const lockTenantHolds = (tx: TenantTx): Promise<unknown> =>
  tx.sql(`select pg_advisory_xact_lock(${LOCK_KEY}) from (select $1::uuid as tenant_id) mine`, [tx.tenantId]);

/** Why lots are on hold: by quality, or by a recall. What the lots show is traceability's (`Holds`). */
@Injectable()
export class HoldQueries {
  /**
   * The same lot is held once for each source. A hold that a user ended stays ended for a recall, and can be placed again by quality.
   * Whether all holds of a recall were ended is checked here, under the lock: it may have happened since the recall was read.
   * @param chainId of the blocks that place them; null for a user
   * @returns those that are new
   */
  async place(tx: TenantTx, holds: readonly Hold[], chainId: number | null): Promise<readonly Hold[]> {
    if (holds.length === 0) return [];
    await lockTenantHolds(tx);
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

  /** Lots that a recall flags, and those that it holds. */
  async lotsOf(tx: TenantTx, recallId: string): Promise<readonly bigint[]> {
    const rows = await tx.sql<LotRow>(
      `select token_id from recall.recalled_lot where tenant_id = $1 and recall_id = $2
       union select token_id from recall.hold where tenant_id = $1 and source = $2::text and released_at is null`,
      [tx.tenantId, recallId],
    );
    return tokenIdsOf(rows);
  }

  /** Ends the holds of the given lots, or only those of one source. @returns lots without a hold now */
  async release(
    tx: TenantTx,
    { tokenIds, source }: { readonly tokenIds?: readonly bigint[]; readonly source?: string },
    by: Release,
  ): Promise<readonly bigint[]> {
    await lockTenantHolds(tx);
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

  /** Ends the holds of recalls without a recalled lot, as of the last lifting. @returns lots without a hold now */
  async releaseLifted(tx: TenantTx): Promise<readonly bigint[]> {
    await lockTenantHolds(tx);
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

  /** Ends the holds of a recall for lots that are minted later, too. False when there is no such recall. */
  async endPropagation(tx: TenantTx, recallId: string, by: Release): Promise<boolean> {
    const [recall] = await tx.sql('select from recall.recall where tenant_id = $1 and id = $2', [tx.tenantId, recallId]);
    if (!recall) return false;
    await tx.sql(
      `insert into recall.propagation_end (tenant_id, recall_id, ended_at, ended_by) values ($1, $2, $3, $4)
       on conflict (tenant_id, recall_id) do nothing`,
      [tx.tenantId, recallId, by.at, by.id],
    );
    return true;
  }

  /** Deletes holds of lots that had these numbers before, under other codes. @returns lots without a hold now */
  async deleteOfEarlierLots(
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

  /**
   * Holds of parts whose lot was on hold by quality when it was split: they are the same goods. A part that had such a hold before keeps
   * what was decided of it. A block has the time of its slot, in whole seconds, and may be made of what came later.
   */
  async ofParts(tx: TenantTx, splits: readonly Split[]): Promise<readonly Hold[]> {
    const rows = await tx.sql<{ part: string; reason: string; by: string; at: Date; block: string; tlc_hash: string | null }>(
      `with recursive split as (
         select s.* from unnest($2::bigint[], $3::bigint[], $4::timestamptz[], $5::bigint[]) as s(lot, part, at, block)
         where not exists (select from recall.hold p where p.tenant_id = $1 and p.token_id = s.part and p.source = $6)),
       held as (
         select s.part, h.reason, h.held_by as by, s.at, s.block, h.tlc_hash
         from split s
         join recall.hold h on h.tenant_id = $1 and h.token_id = s.lot and h.source = $6 and h.released_at is null
           and h.held_at <= s.at + interval '1 minute'
         union all
         select s.part, h.reason, h.by, s.at, s.block, h.tlc_hash from held h join split s on s.lot = h.part)
       select * from held`,
      [
        tx.tenantId,
        splits.map(({ tokenId }) => tokenId),
        splits.map(({ partId }) => partId),
        splits.map(({ at }) => at),
        splits.map(({ block }) => block),
        QUALITY,
      ],
    );
    return rows.map(({ part, reason, by, at, block, tlc_hash: tlcHash }) => ({
      ...{ tokenId: BigInt(part), source: QUALITY, reason, by },
      ...{ at, block: Number(block), tlcHash },
    }));
  }

  /** Recalls whose propagation is `hold`, with the lots that are recalled by them. */
  async holdingRecalls(tx: TenantTx): Promise<readonly HoldingRecall[]> {
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

  /** Takes back holds that later blocks placed, and releases that later blocks made. What a user ended stays ended when its block returns. */
  async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<readonly UndoneHolds[]> {
    const after = [chainId, lastGoodBlock];
    await tx.sql(
      `select pg_advisory_xact_lock(${LOCK_KEY}) from (
         select distinct tenant_id from recall.hold where chain_id = $1 and (block_number > $2 or released_block > $2) order by 1) changed`,
      after,
    );
    const gone = await tx.sql<{ tenant_id: string; token_id: string }>(
      `delete from recall.hold where chain_id = $1 and block_number > $2 and (released_at is null or released_block is not null)
       returning tenant_id, token_id`,
      after,
    );
    const back = await tx.sql<{ tenant_id: string; token_id: string; reason: string; held_at: Date }>(
      `update recall.hold set released_by = null, released_at = null, released_block = null where chain_id = $1 and released_block > $2
       returning tenant_id, token_id, reason, held_at`,
      after,
    );
    const held = await tx.sql<{ tenant_id: string; token_id: string }>(
      `select distinct h.tenant_id, h.token_id from recall.hold h
       join unnest($1::uuid[], $2::bigint[]) as g(tenant_id, token_id) on (h.tenant_id, h.token_id) = (g.tenant_id, g.token_id)
       where h.released_at is null`,
      [gone.map((row) => row.tenant_id), gone.map((row) => row.token_id)],
    );
    const stays = new Set(held.map((row) => `${row.tenant_id}:${row.token_id}`));
    return [...new Set([...gone, ...back].map((row) => row.tenant_id))].map((tenantId) => ({
      tenantId,
      free: [
        ...new Set(
          gone.filter((row) => row.tenant_id === tenantId && !stays.has(`${tenantId}:${row.token_id}`)).map((row) => BigInt(row.token_id)),
        ),
      ],
      restored: back
        .filter((row) => row.tenant_id === tenantId)
        .map((row) => ({ tokenId: BigInt(row.token_id), reason: row.reason, at: row.held_at })),
    }));
  }
}
