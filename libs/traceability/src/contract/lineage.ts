import type { TenantTx } from '#persistence';
import type { EdgeKind } from '../domain/edge.js';
import type { Footprint } from '../domain/footprint.js';
import type { Direction, LineageEdge, LineageNode, LotNode } from '../domain/lineage-graph.js';

export type { EdgeKind } from '../domain/edge.js';
export type { Direction, LineageEdge, LineageNode, LotNode, LotWeight } from '../domain/lineage-graph.js';

/** One lot of the closure of domain-decisions §3. */
export interface AffectedLot {
  readonly tokenId: bigint;
  readonly relation: 'transformed' | 'contained' | 'container';
  /** Shortest distance from the root. */
  readonly depth: number;
}

/** Bounds of every walk (api-decisions §4). */
export interface WalkBounds {
  /** Levels from the start, 1 to 200. */
  readonly maxDepth: number;
  /** Lots found in all, 1 to 20,000; the start does not count. */
  readonly maxNodes: number;
}

/** Up to which block the chain counts, that block included; null = all that is known. */
export type AsOf = number | null;

/** Whether and where a walk was cut at its bounds. */
export interface WalkEnd {
  readonly truncated: boolean;
  readonly truncatedBy: 'maxDepth' | 'maxNodes' | null;
  /** Lots among those found, or the start, that lead to more. */
  readonly frontier: readonly bigint[];
}

export interface Affected extends WalkEnd {
  /** By depth, then token id; without the root. */
  readonly lots: readonly AffectedLot[];
}

/** What one of several recalled lots affects; containers that merely hold something affected left out. */
export interface Reaching {
  /** Nearest first, then by token id; without the lot itself. */
  readonly lots: readonly bigint[];
  readonly truncated: boolean;
}

export interface GraphRequest {
  readonly root: bigint;
  readonly direction: Direction;
  readonly kinds: readonly EdgeKind[];
  readonly bounds: WalkBounds;
  readonly asOf: AsOf;
  /** So many of the lots were shown before; the walk is the same, with so many more. */
  readonly skip: number;
  /** What expiry is held against; now, where it is left out. */
  readonly time?: Date | null;
}

export interface LineageGraph extends Omit<WalkEnd, 'truncatedBy'> {
  /** `maxEdges`: more edges lead into the lots found than an answer holds. */
  readonly truncatedBy: WalkEnd['truncatedBy'] | 'maxEdges';
  /** By depth, then token id; the root first, unless it was shown before. */
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly LineageEdge[];
  /** What there is to tell of the lots found, those that were shown before among them. */
  readonly lots: ReadonlyMap<bigint, LotNode>;
}

/** Walks of the lineage. Cut at the bounds, and honest about it: what is there is all there is, in order, within them. */
export abstract class Lineage {
  /** Forward closure of a lot over transformation and containment (domain-decisions §3). */
  abstract affectedBy(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf?: AsOf): Promise<Affected>;
  /** What each of these affects now, within `each`: one walk over all of them together, itself within the widest bounds. */
  abstract reachOfEach(tx: TenantTx, roots: readonly bigint[], each: WalkBounds): Promise<ReadonlyMap<bigint, Reaching>>;
  /** Ancestors or descendants with the edges between them (domain-decisions §2.6). */
  abstract graph(tx: TenantTx, request: GraphRequest): Promise<LineageGraph>;
}

export interface LotFootprint extends Footprint {
  readonly tokenId: bigint;
  readonly tlc: string;
  /** Part of its mass that is of known origin under its process map (ISO 22095), 0 to 1; null where that is unknown. */
  readonly claimShare: number | null;
  /** Lots in the tree: the ones asked about and what they were made from. */
  readonly nodeCount: number;
}

/** Carbon, water, energy and waste of a lot's tree (domain-decisions §4). */
export abstract class Footprints {
  /**
   * @param tokenId a lot; of a container, what was packed into it
   * @param asOf the block up to which the chain counts; null = all of it
   * @throws DomainError 404 `lot_not_found`, 422 `footprint_incomplete` where the tree exceeds the bounds: a part would be a wrong sum
   */
  abstract of(tx: TenantTx, tokenId: bigint, bounds: WalkBounds, asOf: AsOf): Promise<LotFootprint>;
}
