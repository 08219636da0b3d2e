import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { AffectedSets, Holds } from '../../contract.js';

@Injectable()
export class SqlHolds extends Holds {
  override async place(
    tx: TenantTx,
    lots: readonly { readonly tokenId: bigint; readonly reason: string; readonly at: Date }[],
  ): Promise<void> {
    if (lots.length === 0) return;
    await tx.sql(
      `insert into traceability.lot_hold (tenant_id, token_id, held_at, reason)
       select $1, h.* from unnest($2::bigint[], $3::timestamptz[], $4::text[]) as h on conflict (tenant_id, token_id) do nothing`,
      [tx.tenantId, lots.map(({ tokenId }) => tokenId), lots.map(({ at }) => at), lots.map(({ reason }) => reason)],
    );
  }

  override async release(tx: TenantTx, tokenIds: readonly bigint[]): Promise<void> {
    if (tokenIds.length === 0) return;
    await tx.sql('delete from traceability.lot_hold where tenant_id = $1 and token_id = any($2::bigint[])', [tx.tenantId, tokenIds]);
  }
}

@Injectable()
export class SqlAffectedSets extends AffectedSets {
  override async since(
    tx: TenantTx,
    roots: readonly bigint[],
    block: number,
  ): Promise<readonly { readonly root: bigint; readonly tokenId: bigint; readonly block: number; readonly at: Date }[]> {
    if (roots.length === 0) return [];
    const rows = await tx.sql<{ root: string; token_id: string; block: string; at: Date }>(
      `select a.root_token_id as root, a.token_id, a.from_block as block, (
           select b.at from traceability.block_time b where b.tenant_id = $1 and b.block_number <= a.from_block
           order by b.block_number desc limit 1) as at
       from traceability.recall_affected a
       where a.tenant_id = $1 and a.root_token_id = any($2::bigint[]) and a.to_block is null and a.from_block >= $3
         and a.token_id <> a.root_token_id
       order by a.root_token_id, a.token_id`,
      [tx.tenantId, roots, block],
    );
    return rows.map((row) => ({ root: BigInt(row.root), tokenId: BigInt(row.token_id), block: Number(row.block), at: row.at }));
  }

  override async sizes(tx: TenantTx, sets: ReadonlyMap<string, readonly bigint[]>): Promise<ReadonlyMap<string, number>> {
    const roots = [...sets].flatMap(([key, tokenIds]) => tokenIds.map((tokenId) => ({ key, tokenId })));
    if (roots.length === 0) return new Map();
    const rows = await tx.sql<{ key: string; size: string }>(
      `select r.key, count(distinct a.token_id) as size from unnest($2::text[], $3::bigint[]) as r(key, token_id)
       join traceability.recall_affected a on a.tenant_id = $1 and a.root_token_id = r.token_id and a.to_block is null
         and a.token_id <> a.root_token_id
       group by r.key`,
      [tx.tenantId, roots.map(({ key }) => key), roots.map(({ tokenId }) => tokenId)],
    );
    return new Map(rows.map((row) => [row.key, Number(row.size)]));
  }
}
