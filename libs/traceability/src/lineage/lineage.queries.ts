import type { TenantTx } from '#persistence';
import { type NodeFacts, type LineageEdge, graphNodes } from './lineage-graph.js';
import { lotStatusSql } from '../lots/lot.js';
import { idList } from '../lots/columns.queries.js';
import type { StateAsOf } from '../lots/lot-state.queries.js';
import {
  type AsOf,
  type Affected,
  type AffectedNode,
  type GraphRequest,
  Lineage,
  type LineageGraph,
  type Reaching,
  type WalkBounds,
} from '../contract/lineage.js';
import { Injectable } from '@nestjs/common';
import { MAX_EDGES, MAX_EDGES_CONTINUED, edgesBetween, lotsWithin } from './edges.queries.js';
import { LIVE, type Expansion, type Walk, eitherOf, leadingOn, reach, alongEdges, walkLineage } from './walk.queries.js';

/** The lots as they were, in any order. The laterals keep the planner to the indexes: a join of the corrections read every event for each lot. */
export async function lotNodes(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  { block, time }: StateAsOf,
): Promise<ReadonlyMap<bigint, NodeFacts>> {
  const rows = await tx.sql<Omit<NodeFacts, 'tokenId'> & { readonly tokenId: string }>(
    `select l.token_id as "tokenId", l.tlc, l.asset_type as "assetType", l.asset_type_name as "assetTypeName", l.custodian,
       ${lotStatusSql('l', 'h.held_at', 'coalesce($4::timestamptz, now())')} as status,
       l.mint_event_id as "eventId", e.process_type as "processType", e.event_time as "eventTime", e.country,
       case when l.split_from is null then coalesce(e.made, 1) else 1 end as made, l.quantity::float8 as whole, l.uom, l.unit_kg::float8 as "unitKg",
       l.recalled_at is not null as recalled, l.token_id in (
         select a.token_id from traceability.recall_affected a
         where a.tenant_id = $1 and a.token_id = any($2::bigint[]) and a.root_token_id <> a.token_id
           and ($3::bigint is null and a.to_block is null or a.from_block <= $3 and (a.to_block is null or a.to_block > $3))) as "recallAffected"
     from unnest($2::bigint[]) as n(token_id)
     cross join lateral (
       select v.token_id, v.tlc, v.asset_type, v.asset_type_name, v.custodian, v.mint_event_id, v.retired_at, v.recalled_at, v.used_up,
         v.pending_custodian, v.container_token_id, v.expires_at, v.quantity, v.uom, v.unit_kg, v.split_from
       from traceability.lot v where v.tenant_id = $1 and v.token_id = n.token_id and ${block === null ? 'v.to_block is null' : 'v.from_block <= $3 and (v.to_block is null or v.to_block > $3)'}
       offset 0) l
     left join traceability.lot_hold h on $3::bigint is null and h.tenant_id = $1 and h.token_id = l.token_id
     left join lateral (
       select e.process_type, case when w.id is null then e.event_time else w.event_time end as event_time,
         case when w.id is null then e.location else w.location end ->> 'country' as country, cardinality(e.output_token_ids) as made
       from traceability.event e
       left join lateral (
         select w.id, w.event_time, w.location from traceability.event w
         where e.superseded_by is not null and w.tenant_id = e.tenant_id and w.id = traceability.words_at(e.tenant_id, e.id, $3) offset 0) w on true
       where e.tenant_id = $1 and e.id = l.mint_event_id offset 0) e on true`,
    [tx.tenantId, idList(tokenIds), block, time],
  );
  return new Map(rows.map((row) => [BigInt(row.tokenId), { ...row, tokenId: BigInt(row.tokenId) }]));
}

/** Of any walk (docs/spec/api.md#lots-custody-recall). */
const WIDEST: WalkBounds = { maxDepth: 200, maxNodes: 20_000 };

/** The first that holds counts, where several roads lead to a lot. A walk begins as `part`: parts of its lot are the same goods. */
const RELATIONS: readonly AffectedNode['relation'][] = ['part', 'transformed', 'contained', 'container'];
const SAME_GOODS = RELATIONS.indexOf('part');
const CONTAINER = RELATIONS.indexOf('container');

/**
 * docs/spec/domain.md#recall: the lots made from it, its parts and the containers around it, read from its edges at once, the lot that it is
 * a part of, which is the same goods, and what was packed into it. A container that merely holds something affected leads only to the containers around it.
 * A split keeps the relation: a part of a lot that was made of the recalled one was made of it too.
 */
export const AFFECTED: Expansion = {
  sql: `select e.to_token as token_id, case e.kind when 'containment' then ${CONTAINER} when 'split' then r.role else ${RELATIONS.indexOf('transformed')} end as role
   from traceability.edge e
   where e.tenant_id = $1 and e.from_token = r.token_id and (r.role <> ${CONTAINER} or e.kind = 'containment') and ${LIVE}
   union all ${alongEdges('to', ['containment'], RELATIONS.indexOf('contained')).sql} and r.role <> ${CONTAINER}
   union all ${alongEdges('to', ['split'], 'r.role').sql} and r.role <> ${CONTAINER}`,
  roles: RELATIONS.length,
};

@Injectable()
export class LineageQueries extends Lineage {
  override async affectedBy(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf = null): Promise<Affected> {
    const { found, ...walk } = await walkLineage(tx, [{ tokenId: root, role: SAME_GOODS }], AFFECTED, bounds, asOf);
    return { ...walk, lots: found.map(({ tokenId, depth, role }) => ({ tokenId, depth, relation: RELATIONS[role]! })) };
  }

  override async nearestAffected(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf): Promise<readonly bigint[]> {
    const reached = await reach(tx, [{ tokenId: root, role: SAME_GOODS }], AFFECTED, bounds, asOf);
    return [...new Set(reached.flatMap(({ tokenId, depth }) => (depth > bounds.maxDepth ? [] : [tokenId])))];
  }

  override reachOfEach(tx: TenantTx, roots: readonly bigint[], each: WalkBounds): Promise<ReadonlyMap<bigint, Reaching>> {
    return reachOfEach(tx, roots, WIDEST, each);
  }

  override async graph(tx: TenantTx, request: GraphRequest): Promise<LineageGraph> {
    const { root, direction, kinds, bounds, asOf, skip, time = null } = request;
    const expansion = alongEdges(direction === 'descendants' ? 'from' : 'to', kinds);
    const wide = { ...bounds, maxNodes: bounds.maxNodes + skip };
    const walk = await walkLineage(tx, [{ tokenId: root, role: 0 }], expansion, wide, asOf);
    const most = skip === 0 ? MAX_EDGES : MAX_EDGES_CONTINUED;
    const tokenIds = [root, ...idsOf(walk.found)];
    const reading = lotNodes(tx, tokenIds, { block: asOf, time });
    const [lots, edges] = await Promise.all([reading, edgesBetween(tx, { tokenIds, reading }, kinds, asOf, most)]);
    if (edges !== null) return pageOf(request, walk, edges, lots);
    const cut = await cutByEdges(tx, request, walk, expansion, most);
    const kept = new Map([root, ...idsOf(cut.found)].map((tokenId) => [tokenId, lots.get(tokenId)!]));
    const shown = { tokenIds: [...kept.keys()], reading: Promise.resolve(kept) };
    return pageOf(request, cut, (await edgesBetween(tx, shown, kinds, asOf, most))!, kept);
  }

  override async containersOf(tx: TenantTx, root: bigint, bounds: WalkBounds): Promise<readonly bigint[]> {
    return idsOf((await walkLineage(tx, [{ tokenId: root, role: 0 }], alongEdges('from', ['containment']), bounds, null)).found);
  }
}

/** The first lots found whose edges fit into an answer, and the lots from which the walk continues. */
async function cutByEdges(
  tx: TenantTx,
  { root, kinds, asOf }: GraphRequest,
  walk: Walk,
  expansion: Expansion,
  most: number,
): Promise<CutWalk> {
  const lots = await lotsWithin(tx, [root, ...idsOf(walk.found)], kinds, asOf, most);
  const found = walk.found.slice(0, Math.max(0, lots - 1));
  const known = [root, ...idsOf(found)];
  const shown = known.map((tokenId) => ({ tokenId, role: 0 }));
  return { found, truncated: true, truncatedBy: 'maxEdges', frontier: await leadingOn(tx, shown, expansion, known, asOf) };
}

type CutWalk = Pick<Walk, 'found'> & Pick<LineageGraph, 'truncated' | 'truncatedBy' | 'frontier'>;

const idsOf = (found: readonly { readonly tokenId: bigint }[]): bigint[] => found.map(({ tokenId }) => tokenId);

/** What of a walk was not shown before: lots behind the first `skip`, and the edges that end in one of them. */
function pageOf(
  { root, direction, skip }: GraphRequest,
  walk: CutWalk,
  edges: readonly LineageEdge[],
  lots: LineageGraph['lots'],
): LineageGraph {
  const depths = new Map([[root, 0], ...walk.found.map(({ tokenId, depth }) => [tokenId, depth] as const)]);
  // The root comes before the lots found, on the first page.
  const nodes = graphNodes(root, direction, depths, edges).slice(skip === 0 ? 0 : skip + 1);
  const fresh = new Set(nodes.map(({ tokenId }) => tokenId));
  return {
    nodes,
    edges: edges.filter(({ from, to }) => fresh.has(from) || fresh.has(to)),
    truncated: walk.truncated,
    truncatedBy: walk.truncatedBy,
    frontier: walk.frontier,
    lots,
  };
}

/** Follows lots made from a lot, its parts and its whole, and lots packed into it. Containers around a lot lead to nothing affected. */
const WITHOUT_CONTAINERS = eitherOf(alongEdges('from', ['transformation', 'split']), alongEdges('to', ['containment', 'split']));

interface Link {
  readonly near: bigint;
  readonly far: bigint;
}

/**
 * What each of these roots affects, nearest first: one walk over all of them together and one statement for the links between the lots found,
 * however many roots there are. A root's own part is then cut at `each`, and wherever the common walk was.
 */
export async function reachOfEach(
  tx: TenantTx,
  roots: readonly bigint[],
  together: WalkBounds,
  each: WalkBounds,
): Promise<ReadonlyMap<bigint, Reaching>> {
  const starts = roots.map((tokenId) => ({ tokenId, role: 0 }));
  const { found, frontier } = await walkLineage(tx, starts, WITHOUT_CONTAINERS, together, null);
  const links = await linksBetween(tx, [...roots, ...found.map(({ tokenId }) => tokenId)]);
  const next = new Map<bigint, bigint[]>();
  for (const { near, far } of links) {
    const known = next.get(near);
    if (known) known.push(far);
    else next.set(near, [far]);
  }
  // Past the limit of links read, any root may have more.
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
    `select way.* from unnest($2::bigint[]) as n(token_id)
     join traceability.edge e on e.tenant_id = $1 and e.to_token = n.token_id and e.void_block is null
     cross join lateral (
       select e.from_token as near, e.to_token as far where e.kind <> 'containment'
       union all
       select e.to_token, e.from_token where e.kind <> 'transformation') way
     where e.from_token in (select * from unnest($2::bigint[])) limit $3`,
    [tx.tenantId, tokenIds, MAX_EDGES_CONTINUED],
  );
  return rows.map((row) => ({ near: BigInt(row.near), far: BigInt(row.far) }));
}
