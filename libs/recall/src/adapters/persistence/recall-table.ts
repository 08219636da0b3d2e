import type { SystemTx, TenantTx } from '#persistence';
import type { RecallSpan } from '#traceability';
import type { Recall } from '../../domain/recall.js';

export interface Lift {
  readonly chainId: number;
  readonly tokenIds: readonly bigint[];
  readonly liftedBy: string;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
}

export async function saveRecall(tx: TenantTx, recall: Recall): Promise<void> {
  const { notice } = recall;
  await tx.sql(
    `insert into recall.recall (tenant_id, id, chain_id, contract, data_hash, reason, recall_class, depth, propagation, reference,
       instructions, resolved, recalled_by, recalled_at, block_number, tx_hash, log_index, tx_log_index, prepared_affected, prepared_block)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
    [
      tx.tenantId,
      recall.id,
      recall.chainId,
      recall.contract,
      recall.dataHash,
      notice.reason,
      notice.recallClass,
      notice.depth,
      notice.propagation,
      notice.reference,
      notice.instructions,
      recall.resolved,
      recall.recalledBy,
      recall.at,
      recall.block,
      recall.txHash,
      recall.logIndex,
      recall.txLogIndex,
      notice.prepared?.affected ?? null,
      notice.prepared?.block ?? null,
    ],
  );
  await tx.sql(
    'insert into recall.recalled_lot (tenant_id, token_id, recall_id, chain_id) select $1, t, $2, $3 from unnest($4::bigint[]) as t',
    [tx.tenantId, recall.id, recall.chainId, recall.tokenIds.map(String)],
  );
}

/** Marks the standing recall of each lot. */
export async function liftRecalls(tx: TenantTx, lift: Lift): Promise<void> {
  await tx.sql(
    `update recall.recalled_lot set lifted_by = $1, lifted_at = $2, lifted_block = $3, lifted_tx = $4
     where token_id = any($5::bigint[]) and chain_id = $6 and lifted_block is null`,
    [lift.liftedBy, lift.at, lift.block, lift.txHash, lift.tokenIds.map(String), lift.chainId],
  );
}

/**
 * The lots that those of these recalls flagged whose propagation is `none`, lifted ones too, each until it was recalled again. In one
 * block the last recall of a lot is what others were affected by.
 */
export async function sparingRecalls(tx: TenantTx, ids: readonly string[]): Promise<readonly RecallSpan[]> {
  const rows = await tx.sql<{ root: string; since: string; until: string | null }>(
    `select l.token_id as root, r.block_number as since, (
         select min(n.block_number) from recall.recalled_lot o
         join recall.recall n on n.tenant_id = o.tenant_id and n.id = o.recall_id and n.chain_id = r.chain_id
         where o.tenant_id = $1 and o.token_id = l.token_id and (n.block_number, n.log_index) > (r.block_number, r.log_index)) as until
     from recall.recall r join recall.recalled_lot l on l.tenant_id = $1 and l.recall_id = r.id
     where r.tenant_id = $1 and r.id = any($2::uuid[]) and r.propagation = 'none'`,
    [tx.tenantId, ids],
  );
  return rows.map((row) => ({ root: BigInt(row.root), from: Number(row.since), until: row.until === null ? null : Number(row.until) }));
}

export async function undoRecalls(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from recall.recall where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
  await tx.sql(
    `update recall.recalled_lot set lifted_by = null, lifted_at = null, lifted_block = null, lifted_tx = null
     where chain_id = $1 and lifted_block > $2`,
    [chainId, lastGoodBlock],
  );
}
