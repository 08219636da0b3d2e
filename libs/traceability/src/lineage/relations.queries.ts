import type { TenantTx } from '#persistence';
import type { AsOf, EdgeKind } from '../contract/lineage.js';
import type { LotRecord } from '../lots/lot-list.queries.js';
import type { StateAsOf } from '../lots/lot-state.queries.js';

/** Lots next to a lot, by token id. */
export interface Relations {
  readonly parents: readonly bigint[];
  readonly children: readonly bigint[];
  readonly contents: readonly bigint[];
  readonly siblings: readonly bigint[];
  readonly container: bigint | null;
  /** Containers that it was in before, and what was in it before. */
  readonly pastContainers: readonly bigint[];
  readonly pastContents: readonly bigint[];
}

/** @param reading the lot, which is read at the same time @param limit of each list */
export async function relationsOf(
  tx: TenantTx,
  tokenId: bigint,
  reading: Promise<LotRecord>,
  limit: number,
  { block }: StateAsOf,
): Promise<Relations> {
  const next = (kinds: readonly EdgeKind[], end: 'from' | 'to') => neighbours(tx, { tokenId, end, kinds }, limit, block);
  const [lot, parents, children, contents, siblings, around, packed] = await Promise.all([
    reading,
    next(GOODS, 'to'),
    next(GOODS, 'from'),
    contentsOf(tx, tokenId, limit, block),
    siblingsOf(tx, tokenId, limit, block),
    next(['containment'], 'from'),
    next(['containment'], 'to'),
  ]);
  const container = lot.retiredAt === null ? lot.containerTokenId : null;
  const pastContainers = around.filter((near) => near !== container);
  const inside = new Set(contents);
  return {
    parents,
    children,
    contents,
    siblings,
    container,
    pastContainers,
    pastContents: packed.filter((near) => !inside.has(near)),
  };
}

/** Goods became other goods, or lots of their own. */
const GOODS: readonly EdgeKind[] = ['transformation', 'split'];

/** Edges of some kinds at one end of a lot, by the other end; no more than asked for. */
async function neighbours(
  tx: TenantTx,
  { tokenId, end, kinds }: { readonly tokenId: bigint; readonly end: 'from' | 'to'; readonly kinds: readonly EdgeKind[] },
  limit: number,
  asOf: AsOf,
): Promise<readonly bigint[]> {
  const other = end === 'from' ? 'to' : 'from';
  const rows = await tx.sql<{ token_id: string }>(
    `select ${other}_token as token_id from traceability.edge
     where tenant_id = $1 and ${end}_token = $3 and kind = any($5::text[])
       and (void_block is null or void_block > $2::bigint) and ($2::bigint is null or block_number <= $2::bigint)
     order by ${other}_token limit $4`,
    [tx.tenantId, asOf, tokenId, limit, kinds],
  );
  return rows.map((row) => BigInt(row.token_id));
}

async function contentsOf(tx: TenantTx, container: bigint, limit: number, block: StateAsOf['block']): Promise<bigint[]> {
  const rows = await tx.sql<{ token_id: string }>(
    `select token_id from traceability.lot
     where tenant_id = $1 and container_token_id = $2 and retired_at is null
       and ($3::bigint is null and to_block is null or from_block <= $3 and (to_block is null or to_block > $3))
     order by token_id limit $4`,
    [tx.tenantId, container, block, limit],
  );
  return rows.map((row) => BigInt(row.token_id));
}

/** The other outputs of the event that made it; of a part the other parts of the same lot. */
async function siblingsOf(tx: TenantTx, tokenId: bigint, limit: number, asOf: AsOf): Promise<bigint[]> {
  const rows = await tx.sql<{ token_id: string }>(
    `with own as (
       select l.mint_event_id, l.split_from from traceability.lot l
       where l.tenant_id = $1 and l.token_id = $2 order by l.from_block, l.from_log limit 1)
     select o.token_id from own join traceability.event e on e.tenant_id = $1 and e.id = own.mint_event_id
     cross join unnest(e.output_token_ids) as o(token_id) where own.split_from is null and o.token_id <> $2
     union all
     select s.to_token from own join traceability.edge s on s.tenant_id = $1 and s.from_token = own.split_from and s.kind = 'split'
     where s.to_token <> $2 and ($4::bigint is null or s.block_number <= $4)
     order by 1 limit $3`,
    [tx.tenantId, tokenId, limit, asOf],
  );
  return rows.map((row) => BigInt(row.token_id));
}
