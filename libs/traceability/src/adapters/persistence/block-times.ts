import type { TenantLogs } from '#chain';
import type { TenantTx, Tx } from '#persistence';

export async function noteBlockTimes(tx: TenantTx, { chainId, logs }: TenantLogs): Promise<void> {
  const blocks = [...new Map(logs.map(({ block }) => [block.number, block])).values()];
  await tx.sql(
    `insert into traceability.block_time (tenant_id, chain_id, block_number, at)
     select $1, $2, b.* from unnest($3::bigint[], $4::timestamptz[]) as b on conflict do nothing`,
    [tx.tenantId, chainId, blocks.map(({ number }) => number), blocks.map(({ timestamp }) => timestamp)],
  );
}

export async function undoBlockTimes(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from traceability.block_time where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
}

/** The last block at or before a time in which anything of the tenant changed; 0 when nothing had. */
export async function blockAt(tx: TenantTx, time: Date): Promise<number> {
  const [row] = await tx.sql<{ block: string }>(
    'select block_number as block from traceability.block_time where tenant_id = $1 and at <= $2 order by at desc, block_number desc limit 1',
    [tx.tenantId, time],
  );
  return row ? Number(row.block) : 0;
}

/** When the last block up to this one was made in which anything of the tenant changed; null when nothing had. */
export async function timeOfBlock(tx: TenantTx, block: number): Promise<Date | null> {
  const [row] = await tx.sql<{ at: Date }>(
    'select at from traceability.block_time where tenant_id = $1 and block_number <= $2 order by block_number desc limit 1',
    [tx.tenantId, block],
  );
  return row?.at ?? null;
}
