import { Injectable } from '@nestjs/common';
import { arrayParameter, type Item, type ItemType, type SystemTx, type TenantTx } from '#persistence';

/** What a transaction did to the tenant's lots (docs/spec/domain.md#tracked-transactions). */
export interface Effects {
  readonly eventIds: readonly string[];
  readonly tokenIds: readonly number[];
  /** Named as custody names them: `<tokenId>-<offerNo>`. */
  readonly transferIds: readonly string[];
}

export const NO_EFFECTS: Effects = { eventIds: [], tokenIds: [], transferIds: [] };

/** What one transaction did to a contract. */
export interface LandedEffects extends Effects {
  readonly txHash: string;
  readonly block: number;
}

/** Own ids and numbers, which need no quotes. An array of arrays cannot hold lists of different lengths. */
const list = (ids: readonly (string | number)[]): string => `{${ids.join(',')}}`;

const SAVE = `
  insert into transactions.landed (tenant_id, chain_id, contract, tx_hash, block_number, event_ids, token_ids, transfer_ids)
  select $1, $2, $3, l.tx_hash, l.block, l.event_ids::uuid[], l.token_ids::bigint[], l.transfer_ids::text[]
  from unnest($4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[]) as l(tx_hash, block, event_ids, token_ids, transfer_ids)
  on conflict (tenant_id, tx_hash, contract) do update set block_number = excluded.block_number,
    event_ids = excluded.event_ids, token_ids = excluded.token_ids, transfer_ids = excluded.transfer_ids`;

interface LandedRow {
  readonly tx_hash: string;
  readonly event_ids: string[];
  readonly token_ids: string[];
  readonly transfer_ids: string[];
}

interface Hashes {
  readonly from: string;
  readonly parameters: readonly unknown[];
}

/** What transactions did, as indexed. */
@Injectable()
export class EffectQueries {
  async save(tx: TenantTx, chainId: number, contract: string, landed: readonly LandedEffects[]): Promise<void> {
    if (landed.length === 0) return;
    const column = (type: ItemType, of: (one: LandedEffects) => Item): Buffer => arrayParameter(type, landed.map(of));
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

  /** Tracked transactions that have landed are polled at once, however long nothing was seen of them. */
  async wake(tx: TenantTx, chainId: number, landed: readonly LandedEffects[]): Promise<void> {
    if (landed.length === 0) return;
    await tx.sql(
      `update transactions.tracked set next_check_at = 'epoch' where tenant_id = $1 and chain_id = $2 and tx_hash = any($3::text[])
         and status in ('submitted', 'pending', 'dropped', 'replaced') and next_check_at > 'epoch'`,
      [
        tx.tenantId,
        chainId,
        arrayParameter(
          'text',
          landed.map(({ txHash }) => txHash),
        ),
      ],
    );
  }

  async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await tx.sql('delete from transactions.landed where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
  }

  /** By hash; without those that touched no contract of the tenant. */
  of(tx: TenantTx, txHashes: readonly string[]): Promise<ReadonlyMap<string, Effects>> {
    return this.ofRows(tx, { from: 'unnest($2::text[]) as asked(tx_hash)', parameters: [tx.tenantId, txHashes] });
  }

  /** The same, of rows with a `tx_hash`; $1 is the tenant. */
  async ofRows(tx: TenantTx, { from, parameters }: Hashes): Promise<ReadonlyMap<string, Effects>> {
    const rows = await tx.sql<LandedRow>(
      `select tx_hash, event_ids, token_ids, transfer_ids from transactions.landed
       where tenant_id = $1 and tx_hash in (select tx_hash from ${from}) order by contract`,
      parameters,
    );
    const effects = new Map<string, Effects>();
    for (const row of rows) effects.set(row.tx_hash, both(effects.get(row.tx_hash) ?? NO_EFFECTS, row));
    return effects;
  }
}

/** A transaction may have reached several contracts of the tenant. */
const both = (before: Effects, row: LandedRow): Effects => ({
  eventIds: [...before.eventIds, ...row.event_ids],
  tokenIds: [...before.tokenIds, ...row.token_ids.map(Number)],
  transferIds: [...before.transferIds, ...row.transfer_ids],
});
