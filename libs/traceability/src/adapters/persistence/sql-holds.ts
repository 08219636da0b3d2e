import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { AffectedSets, Holds, type RecallSpan } from '../../contract.js';
import { changeInTurn } from './recall-affected.js';

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

  override sizes(tx: TenantTx, sets: ReadonlyMap<string, readonly bigint[]>): Promise<ReadonlyMap<string, number>> {
    return counted(
      tx,
      sets,
      `select r.key, count(distinct a.token_id) as size from unnest($2::text[], $3::bigint[]) as r(key, token_id)
       join traceability.recall_affected a on a.tenant_id = $1 and a.root_token_id = r.token_id and a.to_block is null
         and a.token_id <> a.root_token_id
       group by r.key`,
    );
  }

  /** The closure by which landing makes the sets, of today's edges. A root counts where another one of its set leads to it. */
  override reaches(tx: TenantTx, sets: ReadonlyMap<string, readonly bigint[]>): Promise<ReadonlyMap<string, number>> {
    return counted(
      tx,
      sets,
      `with recursive closure as (
         select key, token_id as token, true as root from unnest($2::text[], $3::bigint[]) as r(key, token_id)
         union
         select c.key, n.token, false
         from closure c
         cross join lateral (
           select to_token as token from traceability.edge
           where tenant_id = $1 and from_token = c.token and kind = 'transformation' and void_block is null
           union all
           select from_token from traceability.edge
           where tenant_id = $1 and to_token = c.token and kind = 'containment' and void_block is null
         ) n
       )
       select key, count(*) as size from closure where not root group by key`,
    );
  }

  override async takeTurn(tx: TenantTx): Promise<void> {
    await changeInTurn(tx);
  }

  override async forget(tx: TenantTx, chainId: number, spans: () => Promise<readonly RecallSpan[]>): Promise<void> {
    await this.takeTurn(tx);
    const of = await spans();
    await tx.sql(
      `delete from traceability.recall_affected a
       using unnest($3::bigint[], $4::bigint[], $5::bigint[]) as s(root, since, until)
       where a.tenant_id = $1 and a.chain_id = $2 and a.root_token_id = s.root
         and a.from_block >= s.since and a.from_block < coalesce(s.until, $6::bigint)`,
      [tx.tenantId, chainId, of.map(({ root }) => root), of.map(({ from }) => from), of.map(({ until }) => until), Number.MAX_SAFE_INTEGER],
    );
  }
}

/** @param sql of the tenant, $2 keys and $3 roots, one beside the other */
async function counted(tx: TenantTx, sets: ReadonlyMap<string, readonly bigint[]>, sql: string): Promise<ReadonlyMap<string, number>> {
  const roots = [...sets].flatMap(([key, tokenIds]) => tokenIds.map((tokenId) => ({ key, tokenId })));
  if (roots.length === 0) return new Map();
  const rows = await tx.sql<{ key: string; size: string }>(sql, [
    tx.tenantId,
    roots.map(({ key }) => key),
    roots.map(({ tokenId }) => tokenId),
  ]);
  return new Map(rows.map((row) => [row.key, Number(row.size)]));
}
