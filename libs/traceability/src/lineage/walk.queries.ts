import type { TenantTx } from '#persistence';
import type { AsOf, WalkBounds, WalkEnd } from '../contract/lineage.js';
import { EDGE_KINDS, type EdgeKind } from './lineage-graph.js';
import { idList, idsIn } from '../lots/columns.queries.js';

/** A lot as a walk finds it: `role` distinguishes ways of being found after which the walk continues differently. */
export interface WalkNode {
  readonly tokenId: bigint;
  readonly role: number;
}

/** How a walk continues from a lot. */
export interface Expansion {
  /**
   * Selects `token_id` and `role` of the neighbours of `r.token_id`, found in `r.role`. `$1` is the tenant, `$2` the block that counts.
   */
  readonly sql: string;
  /** In how many roles a lot can be found. */
  readonly roles: number;
}

/** An edge `e` that was there at the time `$2`. */
export const LIVE = '(e.void_block is null or e.void_block > $2::bigint) and ($2::bigint is null or e.block_number <= $2::bigint)';

/**
 * Goes along the edges at a lot that were there at the time; voided events are passed over.
 * @param end of the edge at which the lot is
 * @param role of the lots at the other end; `r.role`: that of the lot
 */
export const alongEdges = (end: 'from' | 'to', kinds: readonly EdgeKind[], role: number | 'r.role' = 0): Expansion => ({
  sql: `select e.${end === 'from' ? 'to' : 'from'}_token as token_id, ${role} as role from traceability.edge e
   where e.tenant_id = $1 and e.${end}_token = r.token_id${ofKinds(kinds)} and ${LIVE}`,
  roles: 1,
});

/** Any of these ways, whose lots are found in the same roles. */
export const eitherOf = (...expansions: readonly Expansion[]): Expansion => ({
  sql: expansions.map(({ sql }) => sql).join(' union all '),
  roles: Math.max(...expansions.map(({ roles }) => roles)),
});

/** No condition where every kind is allowed. */
const ofKinds = (kinds: readonly EdgeKind[]): string =>
  EDGE_KINDS.every((kind) => kinds.includes(kind)) ? '' : ` and e.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`;

interface Reached extends WalkNode {
  /** The fewest edges from the starts; beyond `maxDepth` it is `maxDepth` + 1. */
  readonly depth: number;
}

/** No lot has this id: the row that counts the levels. */
const CLOCK = -1;

/**
 * The lots that can be reached, each once for each role, in the order of their distance: one recursive statement with a visited set
 * (`union`), so that diamonds do not multiply, and with an end (`limit`), so that it finds one lot more than was asked for at most. The
 * lateral keeps the planner to the index: one index lookup a lot, even when it misjudges the number of lots in a level.
 *
 * A row that walks along counts the levels, which the rows then need not carry: a lot that is found again further away stays the same
 * row. It comes before its level, because the work table is read in the order in which it was written. What was found comes as one
 * row: ten thousand would cost more to hand over than to find.
 */
export async function reach(
  tx: TenantTx,
  starts: readonly WalkNode[],
  expansion: Expansion,
  bounds: WalkBounds,
  asOf: AsOf,
): Promise<Reached[]> {
  const levels = bounds.maxDepth + 1;
  const most = starts.length + expansion.roles * (bounds.maxNodes + 1);
  const [row] = await tx.sql<{ lots: string; roles: string | null }>(
    `with recursive r(token_id, role) as (
       select * from unnest($3::bigint[], $4::integer[])
       union
       select coalesce(s.token_id, ${CLOCK}), coalesce(s.role, r.role + 1)
       from r left join lateral (${expansion.sql} offset 0) s on true
       where s.token_id is not null or r.token_id = ${CLOCK} and r.role < $6::integer
     )
     select string_agg(token_id::text, ',') as lots, ${expansion.roles === 1 ? 'null' : `string_agg(role::text, ',')`} as roles
     from (select token_id, role from r limit $5) found`,
    [
      tx.tenantId,
      asOf,
      [CLOCK, ...starts.map(({ tokenId }) => tokenId)],
      [0, ...starts.map(({ role }) => role)],
      most + levels + 1,
      levels,
    ],
  );
  // The clock counted towards the end as if it went through all levels.
  return reachedIn(row!).slice(0, most);
}

function reachedIn({ lots, roles }: { readonly lots: string; readonly roles: string | null }): Reached[] {
  const role = roles?.split(',');
  const reached: Reached[] = [];
  let depth = -1;
  lots.split(',').forEach((token, i) => {
    if (token === String(CLOCK)) depth++;
    else reached.push({ tokenId: BigInt(token), role: role === undefined ? 0 : Number(role[i]), depth });
  });
  return reached;
}

/** A level of a walk, the lots that the walk has found so far, and how many more it may find. */
interface LevelBounds {
  readonly level: readonly WalkNode[];
  readonly known: readonly bigint[];
  readonly limit: number;
}

/** Neighbours of a level that are not known yet, lowest token id first, in every role. */
async function nextLevel(tx: TenantTx, { level, known, limit }: LevelBounds, expansion: Expansion, asOf: AsOf): Promise<WalkNode[]> {
  const [row] = await tx.sql<{ lots: string | null; roles: string | null }>(
    `select string_agg(token_id::text, ',' order by token_id, role) as lots, string_agg(role::text, ',' order by token_id, role) as roles
     from (
       select s.token_id, s.role, dense_rank() over (order by s.token_id) as place
       from unnest($3::bigint[], $4::integer[]) as r(token_id, role) cross join lateral (${expansion.sql} offset 0) s
       where s.token_id not in (select * from unnest($5::bigint[])) group by s.token_id, s.role) fresh
     where place <= $6`,
    [tx.tenantId, asOf, idList(level.map(({ tokenId }) => tokenId)), level.map(({ role }) => role), idList(known), limit],
  );
  const roles = row!.roles?.split(',') ?? [];
  return idsIn(row!.lots).map((tokenId, i) => ({ tokenId, role: Number(roles[i]) }));
}

/** The lots that lead to a lot outside `known`: from these a walk that was cut continues. */
export async function leadingOn(
  tx: TenantTx,
  lots: readonly WalkNode[],
  expansion: Expansion,
  known: readonly bigint[],
  asOf: AsOf,
): Promise<bigint[]> {
  const [row] = await tx.sql<{ lots: string | null }>(
    `select string_agg(distinct r.token_id::text, ',') as lots from unnest($3::bigint[], $4::integer[]) as r(token_id, role)
     where exists (select from (${expansion.sql}) s where s.token_id not in (select * from unnest($5::bigint[])))`,
    [tx.tenantId, asOf, idList(lots.map(({ tokenId }) => tokenId)), lots.map(({ role }) => role), idList(known)],
  );
  return idsIn(row!.lots).sort((a, b) => (a < b ? -1 : 1));
}

export interface Walk extends WalkEnd {
  /** In order of depth, then token id; without the starts. A lot found in several roles has the lowest. */
  readonly found: readonly (WalkNode & { readonly depth: number })[];
}

/**
 * The one walk of the lineage, for graphs, footprints and recalls. Bounded: it finds every lot within
 * the bounds in the order of depth and token id, so that the same walk with wider bounds begins with the same lots.
 */
export async function walkLineage(
  tx: TenantTx,
  starts: readonly WalkNode[],
  expansion: Expansion,
  bounds: WalkBounds,
  asOf: AsOf,
): Promise<Walk> {
  const reached = await reach(tx, starts, expansion, bounds, asOf);
  const levels = levelsOf(reached, expansion.roles);
  const cut = cutLevel(levels, bounds);
  if (cut === null) return { found: ordered(levels), truncated: false, truncatedBy: null, frontier: [] };

  // The statement yields level after level; only the last one may be there in part.
  const whole = levels.slice(0, cut);
  const kept = reached.filter(({ depth }) => depth < cut);
  const byNumber = cut <= bounds.maxDepth;
  if (byNumber) {
    const rest = await restOfLevel(tx, { kept, whole, limit: bounds.maxNodes - lotsIn(whole) }, expansion, asOf);
    kept.push(...rest);
    whole.push(...levelsOf(rest, expansion.roles).slice(cut));
  }
  const known = [...new Set(kept.map(({ tokenId }) => tokenId))];
  return {
    found: ordered(whole),
    truncated: true,
    truncatedBy: byNumber ? 'maxNodes' : 'maxDepth',
    frontier: await leadingOn(tx, kept, expansion, known, asOf),
  };
}

/** Lots of one depth, each with its lowest role; level 0 are the starts. */
type Level = WalkNode[];

/** Every lot at its shortest distance. @param reached in the order of distance */
function levelsOf(reached: readonly Reached[], roles: number): Level[] {
  const levels: Level[] = [];
  // In one role nothing is found twice.
  const known = roles === 1 ? null : new Map<bigint, { role: number; readonly tokenId: bigint }>();
  for (const { tokenId, role, depth } of reached) {
    while (levels.length <= depth) levels.push([]);
    const before = known?.get(tokenId);
    if (before) before.role = Math.min(role, before.role);
    else {
      const lot = { tokenId, role };
      known?.set(tokenId, lot);
      levels[depth]!.push(lot);
    }
  }
  return levels;
}

/** The first level that does not fit whole; null where all do. */
function cutLevel(levels: readonly Level[], { maxDepth, maxNodes }: WalkBounds): number | null {
  let lots = 0;
  for (const [depth, level] of levels.entries()) {
    if (depth > 0) lots += level.length;
    if (lots > maxNodes || (depth > maxDepth && level.length > 0)) return depth;
  }
  return null;
}

const lotsIn = (levels: readonly Level[]): number => levels.slice(1).reduce((sum, level) => sum + level.length, 0);

/** The lowest token ids of the level that does not fit whole. */
async function restOfLevel(
  tx: TenantTx,
  { kept, whole, limit }: { readonly kept: readonly Reached[]; readonly whole: readonly Level[]; readonly limit: number },
  expansion: Expansion,
  asOf: AsOf,
): Promise<readonly Reached[]> {
  if (limit === 0) return [];
  const last = whole.length - 1;
  const level = kept.filter(({ depth }) => depth === last);
  const known = whole.flatMap((lots) => lots.map(({ tokenId }) => tokenId));
  return (await nextLevel(tx, { level, known, limit }, expansion, asOf)).map((found) => ({ ...found, depth: whole.length }));
}

function ordered([, ...levels]: readonly Level[]): Walk['found'] {
  return levels.flatMap((level, i) =>
    level.map(({ tokenId, role }) => ({ tokenId, role, depth: i + 1 })).sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1)),
  );
}
