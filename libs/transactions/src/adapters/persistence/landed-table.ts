import { arrayParameter, type Item, type ItemType, type SystemTx, type TenantTx } from '#persistence';
import { type Effects, NO_EFFECTS } from '../../domain/effects.js';
import { LandedEffects } from '../../ports.js';

export interface Landed extends Effects {
  readonly txHash: string;
  readonly block: number;
}

export async function saveLanded(tx: TenantTx, chainId: number, contract: string, landed: readonly Landed[]): Promise<void> {
  if (landed.length === 0) return;
  const column = (type: ItemType, of: (one: Landed) => Item): Buffer => arrayParameter(type, landed.map(of));
  await tx.sql(SAVE, [
    tx.tenantId,
    chainId,
    contract,
    column('text', ({ txHash }) => txHash),
    column('bigint', ({ block }) => block),
    column('text', ({ eventIds }) => list(eventIds)),
    column('text', ({ tokenIds }) => list(tokenIds)),
    column('text', ({ transferIds }) => list(transferIds)),
  ]);
}

/** Ids of our own and numbers: nothing to be quoted. An array of arrays could not hold those of different lengths. */
const list = (ids: readonly (string | number)[]): string => `{${ids.join(',')}}`;

const SAVE = `
  insert into transactions.landed (tenant_id, chain_id, contract, tx_hash, block_number, event_ids, token_ids, transfer_ids)
  select $1, $2, $3, l.tx_hash, l.block, l.event_ids::uuid[], l.token_ids::bigint[], l.transfer_ids::text[]
  from unnest($4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[]) as l(tx_hash, block, event_ids, token_ids, transfer_ids)
  on conflict (tenant_id, tx_hash, contract) do update set block_number = excluded.block_number,
    event_ids = excluded.event_ids, token_ids = excluded.token_ids, transfer_ids = excluded.transfer_ids`;

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
