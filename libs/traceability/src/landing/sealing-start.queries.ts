import type { SystemTx, TenantTx } from '#persistence';

/** The block from which a tenant seals, as it was written before; null before its first sealed content. */
export async function loadSealingStart(tx: TenantTx): Promise<number | null> {
  const [row] = await tx.sql<{ block: string }>('select block_number as block from traceability.sealing_start where tenant_id = $1', [
    tx.tenantId,
  ]);
  return row ? Number(row.block) : null;
}

/** @param block of the first sealed content of a batch */
export async function noteSealingStart(tx: TenantTx, chainId: number, block: number): Promise<void> {
  await tx.sql(
    `insert into traceability.sealing_start (tenant_id, chain_id, block_number) values ($1, $2, $3)
     on conflict (tenant_id) do update set block_number = least(sealing_start.block_number, excluded.block_number)
     where excluded.block_number < sealing_start.block_number`,
    [tx.tenantId, chainId, block],
  );
}

export async function undoSealingStart(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from traceability.sealing_start where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
}
