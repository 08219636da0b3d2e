import type { TenantTx, Tx } from '#persistence';
import type { Edge } from '../../domain/edge.js';

export interface RecallChange {
  readonly tokenId: bigint;
  /** False = lifted. */
  readonly recalled: boolean;
  readonly block: number;
}

/**
 * One change of a tenant's affected sets after another: a set that is forgotten while a block adds to it would be kept in part, and go on
 * from that. Held until the transaction ends.
 */
export const changeInTurn = (tx: TenantTx): Promise<unknown> =>
  tx.sql(`select pg_advisory_xact_lock(hashtextextended('traceability.recall_affected:' || $1, 0))`, [tx.tenantId]);

interface VoidedOutputs {
  readonly outputTokenIds: readonly bigint[];
  readonly block: number;
}

/**
 * What recalls affect after these changes, block by block: a recall that was lifted within a range of blocks was one all the same, and
 * what was made in between was affected. Only blocks with recalls or voids cost statements of their own. The edges must be written before.
 */
export async function projectAffected(
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
 * Adds what a new recall affects, and what was minted from something affected: the closure of domain-decisions §3, over
 * transformations forward and, for a container, over what was packed into it, by the edges that stood at block `asOf`.
 */
async function extendAffected(
  tx: TenantTx,
  chainId: number,
  recalls: readonly RecallChange[],
  edges: readonly Edge[],
  asOf: number,
): Promise<void> {
  const last = [...new Map(recalls.map((change) => [change.tokenId, change])).values()].filter((change) => change.recalled);
  const grown = edges.filter((edge) => edge.kind === 'transformation');
  if (last.length === 0 && grown.length === 0) return;
  await tx.sql(
    `insert into traceability.recall_affected (tenant_id, chain_id, root_token_id, token_id, from_block)
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
         where tenant_id = $1 and from_token = c.token and kind = 'transformation'
           and block_number <= $7 and (void_block is null or void_block > $7)
         union all
         select from_token, block_number from traceability.edge
         where tenant_id = $1 and to_token = c.token and kind = 'containment'
           and block_number <= $7 and (void_block is null or void_block > $7)
       ) n
     )
     select $1::uuid, $2::bigint, c.root, c.token, min(c.block) from closure c
     where not exists (
       select from traceability.recall_affected a
       where a.tenant_id = $1 and a.token_id = c.token and a.root_token_id = c.root and a.to_block is null)
     group by c.root, c.token
     on conflict (tenant_id, token_id, root_token_id, from_block) do update set to_block = null`,
    [
      tx.tenantId,
      chainId,
      last.map((change) => change.tokenId),
      last.map((change) => change.block),
      grown.map((edge) => edge.fromToken),
      grown.map((edge) => edge.toToken),
      asOf,
    ],
  );
}

export async function undoAffected(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  const after = [chainId, lastGoodBlock];
  await tx.sql('delete from traceability.recall_affected where chain_id = $1 and from_block > $2', after);
  await tx.sql('update traceability.recall_affected set to_block = null where chain_id = $1 and to_block > $2', after);
}
