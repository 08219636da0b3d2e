import type { TenantTx } from '#persistence';
import type { Reaching, WalkBounds } from '../../contract.js';
import { MAX_EDGES_CONTINUED } from './lineage-edges.js';
import { eitherOf, stepsAlong } from './lineage-reach.js';
import { walkLineage } from './lineage-walk.js';

/** What condemns on the way: what was made of a lot, and what was packed into it. Containers around lead to nothing affected. */
const CONDEMNED = eitherOf(stepsAlong('from', ['transformation']), stepsAlong('to', ['containment']));

interface Link {
  readonly near: bigint;
  readonly far: bigint;
}

/**
 * What each of these roots affects, nearest first: one walk over all of them together and one look at the links between the lots found,
 * however many roots there are. A root's own part is then cut at `each`, and wherever the common walk was.
 */
export async function reachOfEach(
  tx: TenantTx,
  roots: readonly bigint[],
  together: WalkBounds,
  each: WalkBounds,
): Promise<ReadonlyMap<bigint, Reaching>> {
  const starts = roots.map((tokenId) => ({ tokenId, role: 0 }));
  const { found, frontier } = await walkLineage(tx, starts, CONDEMNED, together, null);
  const links = await linksBetween(tx, [...roots, ...found.map(({ tokenId }) => tokenId)]);
  const next = new Map<bigint, bigint[]>();
  for (const { near, far } of links) {
    const known = next.get(near);
    if (known) known.push(far);
    else next.set(near, [far]);
  }
  // Beyond what is read any of them may lead on.
  const cut = new Set(links.length < MAX_EDGES_CONTINUED ? frontier : roots);
  return new Map(roots.map((root) => [root, partOf(root, next, cut, each)]));
}

/** Level by level, like the walk itself. */
function partOf(root: bigint, next: ReadonlyMap<bigint, readonly bigint[]>, cut: ReadonlySet<bigint>, bounds: WalkBounds): Reaching {
  const seen = new Set([root]);
  const lots: bigint[] = [];
  let truncated = cut.has(root);
  let level: readonly bigint[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    const further = new Set(level.flatMap((tokenId) => next.get(tokenId) ?? []).filter((tokenId) => !seen.has(tokenId)));
    const room = depth < bounds.maxDepth ? bounds.maxNodes - lots.length : 0;
    if (further.size > room) truncated = true;
    level = [...further].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, room);
    for (const tokenId of level) {
      seen.add(tokenId);
      lots.push(tokenId);
      truncated ||= cut.has(tokenId);
    }
  }
  return { lots, truncated };
}

async function linksBetween(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly Link[]> {
  const rows = await tx.sql<{ near: string; far: string }>(
    `select case e.kind when 'transformation' then e.from_token else e.to_token end as near,
       case e.kind when 'transformation' then e.to_token else e.from_token end as far
     from unnest($2::bigint[]) as n(token_id)
     join traceability.edge e on e.tenant_id = $1 and e.to_token = n.token_id and e.void_block is null
     where e.from_token in (select * from unnest($2::bigint[])) limit $3`,
    [tx.tenantId, tokenIds, MAX_EDGES_CONTINUED],
  );
  return rows.map((row) => ({ near: BigInt(row.near), far: BigInt(row.far) }));
}
