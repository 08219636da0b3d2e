import type { TenantTx } from '#persistence';
import { neighbours } from './lineage-edges.js';
import type { At, LotRecord } from './lot-reads.js';

/** Lots next to a lot, by token id. */
export interface Relations {
  readonly parents: readonly bigint[];
  readonly children: readonly bigint[];
  readonly contents: readonly bigint[];
  readonly siblings: readonly bigint[];
  readonly container: bigint | null;
}

/** @param limit of each list */
export async function relationsOf(tx: TenantTx, lot: LotRecord, limit: number, { block }: At): Promise<Relations> {
  return {
    parents: await neighbours(tx, lot.tokenId, 'to', limit, block),
    children: await neighbours(tx, lot.tokenId, 'from', limit, block),
    contents: lot.depth === 0 ? [] : await contentsOf(tx, lot.tokenId, limit, block),
    siblings: await siblingsOf(tx, lot, limit),
    container: lot.retiredAt === null ? lot.containerTokenId : null,
  };
}

async function contentsOf(tx: TenantTx, container: bigint, limit: number, block: At['block']): Promise<bigint[]> {
  const rows = await tx.sql<{ token_id: string }>(
    `select token_id from traceability.lot
     where tenant_id = $1 and container_token_id = $2 and retired_at is null
       and ($3::bigint is null and to_block is null or from_block <= $3 and (to_block is null or to_block > $3))
     order by token_id limit $4`,
    [tx.tenantId, container, block, limit],
  );
  return rows.map((row) => BigInt(row.token_id));
}

/** The other outputs of the event that made it. */
async function siblingsOf(tx: TenantTx, lot: LotRecord, limit: number): Promise<bigint[]> {
  const rows = await tx.sql<{ token_id: string }>(
    `select o.token_id from traceability.event e cross join unnest(e.output_token_ids) as o(token_id)
     where e.tenant_id = $1 and e.id = $2 and o.token_id <> $3 order by 1 limit $4`,
    [tx.tenantId, lot.mintEventId, lot.tokenId, limit],
  );
  return rows.map((row) => BigInt(row.token_id));
}
