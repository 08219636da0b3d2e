import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import {
  type Affected,
  type AffectedLot,
  type AsOf,
  type GraphRequest,
  Lineage,
  type LineageGraph,
  type Reaching,
  type WalkBounds,
} from '../../contract.js';
import { type LineageEdge, graphNodes } from '../../domain/lineage-graph.js';
import { MAX_EDGES, MAX_EDGES_CONTINUED, edgesBetween, lotsWithin } from './lineage-edges.js';
import { LIVE, type Steps, leadingOn, reach, stepsAlong } from './lineage-reach.js';
import { type Walk, walkLineage } from './lineage-walk.js';
import { lotNodes } from './lot-nodes.js';
import { reachOfEach } from './recall-reaches.js';

/** Of any walk (api-decisions §4). */
const WIDEST: WalkBounds = { maxDepth: 200, maxNodes: 20_000 };

const RELATIONS: readonly AffectedLot['relation'][] = ['transformed', 'contained', 'container'];
const CONTAINER = RELATIONS.indexOf('container');

/**
 * domain-decisions §3: what was made of it and the containers around it, by one look at its edges, and what was packed into it. A
 * container that merely holds something affected leads to nothing but what stands around it.
 */
export const AFFECTED: Steps = {
  sql: `select e.to_token as token_id, case e.kind when 'containment' then ${CONTAINER} else ${RELATIONS.indexOf('transformed')} end as role
   from traceability.edge e
   where e.tenant_id = $1 and e.from_token = r.token_id and (r.role <> ${CONTAINER} or e.kind = 'containment') and ${LIVE}
   union all ${stepsAlong('to', ['containment'], RELATIONS.indexOf('contained')).sql} and r.role <> ${CONTAINER}`,
  roles: RELATIONS.length,
};

@Injectable()
export class SqlLineage extends Lineage {
  override async affectedBy(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf = null): Promise<Affected> {
    const { found, ...walk } = await walkLineage(tx, [{ tokenId: root, role: 0 }], AFFECTED, bounds, asOf);
    return { ...walk, lots: found.map(({ tokenId, depth, role }) => ({ tokenId, depth, relation: RELATIONS[role]! })) };
  }

  override async nearestAffected(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf): Promise<readonly bigint[]> {
    const reached = await reach(tx, [{ tokenId: root, role: 0 }], AFFECTED, bounds, asOf);
    return [...new Set(reached.flatMap(({ tokenId, depth }) => (depth > bounds.maxDepth ? [] : [tokenId])))];
  }

  override reachOfEach(tx: TenantTx, roots: readonly bigint[], each: WalkBounds): Promise<ReadonlyMap<bigint, Reaching>> {
    return reachOfEach(tx, roots, WIDEST, each);
  }

  override async graph(tx: TenantTx, request: GraphRequest): Promise<LineageGraph> {
    const { root, direction, kinds, bounds, asOf, skip, time = null } = request;
    const steps = stepsAlong(direction === 'descendants' ? 'from' : 'to', kinds);
    const wide = { ...bounds, maxNodes: bounds.maxNodes + skip };
    const walk = await walkLineage(tx, [{ tokenId: root, role: 0 }], steps, wide, asOf);
    const most = skip === 0 ? MAX_EDGES : MAX_EDGES_CONTINUED;
    const lots = await lotNodes(tx, [root, ...idsOf(walk.found)], { block: asOf, time });
    const edges = await edgesBetween(tx, lots, kinds, asOf, most);
    if (edges !== null) return pageOf(request, walk, edges, lots);
    const cut = await cutByEdges(tx, request, walk, steps, most);
    const kept = new Map([root, ...idsOf(cut.found)].map((tokenId) => [tokenId, lots.get(tokenId)!]));
    return pageOf(request, cut, (await edgesBetween(tx, kept, kinds, asOf, most))!, kept);
  }
}

/** The lots found whose edges fit, in order, and where the walk goes on from them. */
async function cutByEdges(tx: TenantTx, { root, kinds, asOf }: GraphRequest, walk: Walk, steps: Steps, most: number): Promise<CutWalk> {
  const lots = await lotsWithin(tx, [root, ...idsOf(walk.found)], kinds, asOf, most);
  const found = walk.found.slice(0, Math.max(0, lots - 1));
  const known = [root, ...idsOf(found)];
  const standing = known.map((tokenId) => ({ tokenId, role: 0 }));
  return { found, truncated: true, truncatedBy: 'maxEdges', frontier: await leadingOn(tx, standing, steps, known, asOf) };
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
  // The root stands in front of the lots found, on the first page.
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
