import type { TenantTx } from '#persistence';

/** Lots for which holders have answered to the open recalls of this one. */
export async function acknowledgedOf(tx: TenantTx, root: bigint): Promise<number> {
  const [row] = await tx.sql<{ lots: number }>(
    `select count(distinct a.token_id)::int as lots from recall.recalled_lot l
     join recall.acknowledgement a on a.tenant_id = l.tenant_id and a.recall_id = l.recall_id
     where l.tenant_id = $1 and l.token_id = $2 and l.lifted_block is null`,
    [tx.tenantId, root],
  );
  return row!.lots;
}
