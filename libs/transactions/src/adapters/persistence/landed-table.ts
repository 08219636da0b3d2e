import type { SystemTx, TenantTx, Tx } from '#persistence';
import { type Effects, NO_EFFECTS } from '../../domain/effects.js';

export interface Landed extends Effects {
  readonly txHash: string;
  readonly block: number;
}

export async function saveLanded(tx: TenantTx, chainId: number, contract: string, landed: readonly Landed[]): Promise<void> {
  if (landed.length === 0) return;
  const rows = landed.map((of) => ({
    tenant_id: tx.tenantId,
    chain_id: chainId,
    contract,
    tx_hash: of.txHash,
    block_number: of.block,
    event_ids: of.eventIds,
    token_ids: of.tokenIds,
    transfer_ids: of.transferIds,
  }));
  await tx.sql(
    `insert into transactions.landed select * from json_populate_recordset(null::transactions.landed, $1::json)
     on conflict (tenant_id, tx_hash, contract) do update set block_number = excluded.block_number,
       event_ids = excluded.event_ids, token_ids = excluded.token_ids, transfer_ids = excluded.transfer_ids`,
    [JSON.stringify(rows)],
  );
}

export async function undoLanded(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from transactions.landed where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
}

/** Effects by transaction hash; none for a hash that touched none of the tenant's contracts. */
export async function effectsOf(tx: Tx, txHash: string): Promise<Effects> {
  const rows = await tx.sql<{ event_ids: string[]; token_ids: string[]; transfer_ids: string[] }>(
    'select event_ids, token_ids, transfer_ids from transactions.landed where tx_hash = $1 order by contract',
    [txHash],
  );
  return rows.reduce<Effects>(
    (all, row) => ({
      eventIds: [...all.eventIds, ...row.event_ids],
      tokenIds: [...all.tokenIds, ...row.token_ids.map(Number)],
      transferIds: [...all.transferIds, ...row.transfer_ids],
    }),
    NO_EFFECTS,
  );
}
