import { Injectable } from '@nestjs/common';
import type { TenantTx, Tx } from '#persistence';
import { AffectedSets, type RecallSpan } from '../contract/lineage.js';
import type { Edge } from './lineage-graph.js';
import { Holds } from '../contract/lots.js';

export interface RecallChange {
  readonly tokenId: bigint;
  /** False = lifted. */
  readonly recalled: boolean;
  readonly block: number;
}

/**
 * Changes of a tenant's affected sets wait for each other: a set that is deleted while a block adds to it would be kept in part, and later
 * blocks would continue from that part. Held until the transaction ends.
 */
export const lockAffectedSets = (tx: TenantTx): Promise<unknown> =>
  tx.sql(`select pg_advisory_xact_lock(hashtextextended('traceability.recall_affected:' || $1, 0))`, [tx.tenantId]);

interface VoidedOutputs {
  readonly outputTokenIds: readonly bigint[];
  readonly block: number;
}

/**
 * What recalls affect after these changes, block by block: a recall that was set and lifted within a range of blocks counts too:
 * what was made in between was affected. Only blocks with recalls or voids cost statements of their own. The edges must be written before.
 */
export async function updateAffected(
  tx: TenantTx,
  chainId: number,
  {
    recalls,
    voided,
    edges,
  }: { readonly recalls: readonly RecallChange[]; readonly voided: readonly VoidedOutputs[]; readonly edges: readonly Edge[] },
): Promise<void> {
  const at = <Item extends { readonly block: number }>(items: readonly Item[], from: number, to: number): Item[] =>
    items.filter(({ block }) => block >= from && block <= to);
  const changes = [...new Set([...recalls, ...voided].map(({ block }) => block))].toSorted((a, b) => a - b);
  let next = 0;
  for (const block of changes) {
    await extendAffected(tx, chainId, [], at(edges, next, block - 1), block - 1);
    await closeAffected(tx, at(recalls, block, block), at(voided, block, block));
    await extendAffected(tx, chainId, at(recalls, block, block), at(edges, block, block), block);
    next = block + 1;
  }
  await extendAffected(tx, chainId, [], at(edges, next, Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/** Ends the affected sets of lifted recalls, and takes outputs of voided events out of all of them. */
async function closeAffected(tx: TenantTx, recalls: readonly RecallChange[], voided: readonly VoidedOutputs[]): Promise<void> {
  const lifted = recalls.filter((change) => !change.recalled);
  const outputs = voided.flatMap(({ outputTokenIds, block }) => outputTokenIds.map((tokenId) => ({ tokenId, block })));
  const close = (column: 'root_token_id' | 'token_id', of: readonly { readonly tokenId: bigint; readonly block: number }[]) =>
    tx.sql(
      `update traceability.recall_affected a set to_block = c.block from unnest($2::bigint[], $3::bigint[]) as c(token_id, block)
       where a.tenant_id = $1 and a.${column} = c.token_id and a.to_block is null`,
      [tx.tenantId, of.map((one) => one.tokenId), of.map((one) => one.block)],
    );
  if (lifted.length > 0) await close('root_token_id', lifted);
  if (outputs.length > 0) await close('token_id', outputs);
}

/**
 * Adds what a new recall affects, and what was minted from something affected: the closure of docs/spec/domain.md#recall, over
 * transformations forward, over splits both ways and, for a container, over what was packed into it, by the edges that existed at block `asOf`.
 */
async function extendAffected(
  tx: TenantTx,
  chainId: number,
  recalls: readonly RecallChange[],
  edges: readonly Edge[],
  asOf: number,
): Promise<void> {
  const last = [...new Map(recalls.map((change) => [change.tokenId, change])).values()].filter((change) => change.recalled);
  const grown = edges.filter((edge) => edge.kind !== 'containment');
  if (last.length === 0 && grown.length === 0) return;
  await tx.sql(EXTEND_AFFECTED, [
    tx.tenantId,
    chainId,
    last.map((change) => change.tokenId),
    last.map((change) => change.block),
    grown.map((edge) => edge.fromToken),
    grown.map((edge) => edge.toToken),
    asOf,
  ]);
}

const EXTEND_AFFECTED = `insert into traceability.recall_affected (tenant_id, chain_id, root_token_id, token_id, from_block)
   with recursive closure as (
     select token_id as root, token_id as token, block from unnest($3::bigint[], $4::bigint[]) as recalled(token_id, block)
     union
     -- Laterals keep the planner to the keys: by statistics of before, a tenant's first sixty thousand edges may be one.
     select a.root_token_id, e.to_token, e.block_number
     from unnest($5::bigint[], $6::bigint[]) as grown(from_token, to_token)
     cross join lateral (
       select a.root_token_id from traceability.recall_affected a
       where a.tenant_id = $1 and a.token_id = grown.from_token and a.to_block is null offset 0) a
     cross join lateral (
       select e.to_token, e.block_number from traceability.edge e
       where e.tenant_id = $1 and e.from_token = grown.from_token and e.to_token = grown.to_token
         and e.block_number <= $7 and (e.void_block is null or e.void_block > $7) offset 0) e
     union
     select c.root, n.token, greatest(c.block, n.block)
     from closure c
     cross join lateral (
       select to_token as token, block_number as block from traceability.edge
       where tenant_id = $1 and from_token = c.token and kind <> 'containment'
         and block_number <= $7 and (void_block is null or void_block > $7)
       union all
       select from_token, block_number from traceability.edge
       where tenant_id = $1 and to_token = c.token and kind <> 'transformation'
         and block_number <= $7 and (void_block is null or void_block > $7)
     ) n
   )
   select $1::uuid, $2::bigint, c.root, c.token, min(c.block) from closure c
   where not exists (
     select from traceability.recall_affected a
     where a.tenant_id = $1 and a.token_id = c.token and a.root_token_id = c.root and a.to_block is null)
   group by c.root, c.token
   on conflict (tenant_id, token_id, root_token_id, from_block) do update set to_block = null`;

export async function undoAffected(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  const after = [chainId, lastGoodBlock];
  await tx.sql('delete from traceability.recall_affected where chain_id = $1 and from_block > $2', after);
  await tx.sql('update traceability.recall_affected set to_block = null where chain_id = $1 and to_block > $2', after);
}

const ROOTS_OF_LOT = `
  select l.token_id as root from traceability.lot l
  where l.tenant_id = $1 and l.token_id = $2 and l.to_block is null and l.recalled_at is not null
  union
  select a.root_token_id from traceability.recall_affected a where a.tenant_id = $1 and a.token_id = $2 and a.to_block is null`;

/** From what is affected to its holder: there are fewer affected lots than lots that a company holds. */
const ROOTS_OF_HOLDER = `
  select l.token_id as root from traceability.lot l
  where l.tenant_id = $1 and l.to_block is null and l.recalled_at is not null and l.custodian = $2 and not l.used_up and l.retired_at is null
  union
  select a.root_token_id from traceability.recall_affected a
  cross join lateral (
    select from traceability.lot l
    where l.tenant_id = $1 and l.token_id = a.token_id and l.to_block is null and l.custodian = $2 and not l.used_up and l.retired_at is null
    offset 0) held
  where a.tenant_id = $1 and a.to_block is null`;

@Injectable()
export class AffectedSetQueries extends AffectedSets {
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
           where tenant_id = $1 and from_token = c.token and kind <> 'containment' and void_block is null
           union all
           select from_token from traceability.edge
           where tenant_id = $1 and to_token = c.token and kind <> 'transformation' and void_block is null
         ) n
       )
       select key, count(*) as size from closure where not root group by key`,
    );
  }

  override async rootsOf(tx: TenantTx, of: { readonly tokenId: bigint } | { readonly holder: string }): Promise<readonly bigint[]> {
    const rows =
      'tokenId' in of
        ? await tx.sql<{ root: string }>(ROOTS_OF_LOT, [tx.tenantId, of.tokenId])
        : await tx.sql<{ root: string }>(ROOTS_OF_HOLDER, [tx.tenantId, of.holder]);
    return rows.map(({ root }) => BigInt(root));
  }

  override async lockTenantSets(tx: TenantTx): Promise<void> {
    await lockAffectedSets(tx);
  }

  override async forget(tx: TenantTx, chainId: number, spans: () => Promise<readonly RecallSpan[]>): Promise<void> {
    await this.lockTenantSets(tx);
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

/** @param sql of the tenant, $2 keys and $3 roots, in pairs */
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

@Injectable()
export class HoldQueries extends Holds {
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
