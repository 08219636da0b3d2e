import type { TenantTx } from '#persistence';
import type { AsOf, WalkBounds } from '../../contract.js';
import { idList } from './id-lists.js';
import { stepsAlong } from './lineage-reach.js';
import { type Walk, walkLineage } from './lineage-walk.js';

/** What a footprint is made of: the lots asked about, all they were made from, and the containers that these lay in. */
export interface FootprintTree {
  /** The lot itself; for a container the goods that were packed into it. */
  readonly roots: ReadonlySet<bigint>;
  /** The roots and their ancestors. */
  readonly lots: ReadonlySet<bigint>;
  readonly containers: ReadonlySet<bigint>;
  readonly walk: Pick<Walk, 'truncated' | 'truncatedBy' | 'frontier'>;
}

/** Levels of containers, and so the steps from a lot to the outermost one (architecture §5). */
const MAX_CONTAINERS_DEEP = 8;

export async function treeOf(
  tx: TenantTx,
  lot: { readonly tokenId: bigint; readonly depth: number },
  bounds: WalkBounds,
  asOf: AsOf,
): Promise<FootprintTree> {
  const roots = lot.depth === 0 ? new Set([lot.tokenId]) : (await insideOf(tx, new Set([lot.tokenId]), asOf)).goods;
  const starts = [...roots].map((tokenId) => ({ tokenId, role: 0 }));
  const walk = await walkLineage(tx, starts, INPUTS, bounds, asOf);
  const lots = new Set([...roots, ...walk.found.map(({ tokenId }) => tokenId)]);
  return { roots, lots, containers: await around(tx, lots, asOf), walk };
}

const INPUTS = stepsAlong('to', ['transformation']);

const LIVE = '(void_block is null or void_block > $3) and ($3::bigint is null or block_number <= $3)';

/** All containers that any of these ever lay in. */
async function around(tx: TenantTx, lots: ReadonlySet<bigint>, asOf: AsOf): Promise<Set<bigint>> {
  const found = new Set<bigint>();
  let level: readonly bigint[] = [...lots];
  for (let step = 0; step < MAX_CONTAINERS_DEEP && level.length > 0; step++) {
    const rows = await tx.sql<{ token_id: string }>(
      `select distinct e.to_token as token_id from unnest($2::bigint[]) as n(token_id) cross join lateral (
         select to_token from traceability.edge
         where tenant_id = $1 and from_token = n.token_id and kind = 'containment' and ${LIVE} offset 0) e`,
      [tx.tenantId, idList(level), asOf],
    );
    level = rows.map((row) => BigInt(row.token_id)).filter((container) => !found.has(container));
    for (const container of level) found.add(container);
  }
  return found;
}

/** What was packed into containers, at any depth: the goods, and who went into which. */
export async function insideOf(
  tx: TenantTx,
  containers: ReadonlySet<bigint>,
  asOf: AsOf,
): Promise<{ readonly goods: ReadonlySet<bigint>; readonly packed: ReadonlyMap<bigint, readonly bigint[]> }> {
  const packed = new Map<bigint, bigint[]>();
  const goods = new Set<bigint>();
  let level: readonly bigint[] = [...containers];
  while (level.length > 0) {
    const rows = await tx.sql<{ container: string; token_id: string; is_container: boolean }>(
      `select n.token_id as container, e.from_token as token_id, l.depth > 0 as is_container
       from unnest($2::bigint[]) as n(token_id)
       cross join lateral (
         select from_token from traceability.edge
         where tenant_id = $1 and to_token = n.token_id and kind = 'containment' and ${LIVE} offset 0) e
       cross join lateral (
         select depth from traceability.lot where tenant_id = $1 and token_id = e.from_token and to_block is null offset 0) l
       order by e.from_token`,
      [tx.tenantId, idList(level), asOf],
    );
    const next = new Set<bigint>();
    for (const row of rows) {
      const [container, tokenId] = [BigInt(row.container), BigInt(row.token_id)];
      packed.set(container, [...(packed.get(container) ?? []), tokenId]);
      if (!row.is_container) goods.add(tokenId);
      else if (!packed.has(tokenId)) next.add(tokenId);
    }
    level = [...next];
  }
  return { goods, packed };
}
