import type { SystemTx, TenantTx } from '#persistence';
import { type Effects, NO_EFFECTS } from '../../domain/effects.js';
import { LandedEffects } from '../../ports.js';

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

interface Row {
  readonly tx_hash: string;
  readonly event_ids: string[];
  readonly token_ids: string[];
  readonly transfer_ids: string[];
}

export class SqlLandedEffects extends LandedEffects {
  override async of(tx: TenantTx, txHashes: readonly string[]): Promise<ReadonlyMap<string, Effects>> {
    if (txHashes.length === 0) return new Map();
    const rows = await tx.sql<Row>(
      `select tx_hash, event_ids, token_ids, transfer_ids from transactions.landed
       where tenant_id = $1 and tx_hash = any($2::text[]) order by contract`,
      [tx.tenantId, txHashes],
    );
    const effects = new Map<string, Effects>();
    for (const row of rows) effects.set(row.tx_hash, both(effects.get(row.tx_hash) ?? NO_EFFECTS, row));
    return effects;
  }
}

/** A transaction may have reached several contracts of the tenant. */
const both = (before: Effects, row: Row): Effects => ({
  eventIds: [...before.eventIds, ...row.event_ids],
  tokenIds: [...before.tokenIds, ...row.token_ids.map(Number)],
  transferIds: [...before.transferIds, ...row.transfer_ids],
});
