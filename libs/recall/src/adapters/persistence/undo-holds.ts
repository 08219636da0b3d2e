import type { SystemTx } from '#persistence';
import { HOLDS_OF } from './sql-hold-book.js';

/** What blocks that were taken back leave of one tenant's holds. */
export interface UndoneHolds {
  readonly tenantId: string;
  /** Lots that nothing holds any more. */
  readonly free: readonly bigint[];
  /** Holds that stand again, because the block that ended them is gone. */
  readonly back: readonly { readonly tokenId: bigint; readonly reason: string; readonly at: Date }[];
}

/** Takes back holds that later blocks placed, and releases that later blocks made. What somebody ended stays ended when its block comes again. */
export async function undoHolds(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<readonly UndoneHolds[]> {
  const after = [chainId, lastGoodBlock];
  await tx.sql(
    `select pg_advisory_xact_lock(${HOLDS_OF}) from (
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
    back: back
      .filter((row) => row.tenant_id === tenantId)
      .map((row) => ({ tokenId: BigInt(row.token_id), reason: row.reason, at: row.held_at })),
  }));
}
