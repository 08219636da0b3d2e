import type { LotStatus } from './lot-status.js';
import type { EdgeKind } from './edge.js';

export type Direction = 'ancestors' | 'descendants';

/** An edge of the lineage with what it says about masses. Shares are 0 to 1; null where a mass is unknown. */
export interface LineageEdge {
  readonly from: bigint;
  readonly to: bigint;
  readonly kind: EdgeKind;
  readonly eventId: string;
  readonly processType: string | null;
  /** Millionths of the source's unit; null for an unmeasured lot. */
  readonly quantity: bigint | null;
  /** UNECE code of the source's unit. */
  readonly uom: string | null;
  /** Part of the source lot that was used, or packed, here. */
  readonly inputShare: number | null;
  /** Part of the target's mass that came through here. */
  readonly outputShare: number | null;
  /** Part of what the event made that is the target, by mass. */
  readonly madeShare: number | null;
}

/** What the shares of edges are computed from. */
export interface LotWeight {
  /** The event that made the lot, its process type, and how many lots it made. */
  readonly eventId: string;
  readonly processType: string | null;
  readonly made: number;
  /** What there was of it, in millionths of `uom`; null for an unmeasured lot. */
  readonly whole: number | null;
  readonly uom: string | null;
  readonly unitKg: number | null;
}

/** What a graph tells of a lot. */
export interface LotNode extends LotWeight {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly status: LotStatus;
  readonly custodian: string;
  readonly eventTime: Date | null;
  /** ISO 3166-1, of the mint event. */
  readonly country: string | null;
  readonly recalled: boolean;
  readonly recallAffected: boolean;
}

/**
 * How many lots an answer of a walk walks past to go on behind them: it reads them again, since ways and shares go through them, so
 * that what a request holds in memory is bounded by its own `maxNodes`.
 */
export const mostWalkedPast = (maxNodes: number): number => Math.min(200_000, Math.max(1_000, 40 * maxNodes));

export interface LineageNode {
  readonly tokenId: bigint;
  /** Shortest distance from the root. */
  readonly depth: number;
  /** Distinct ways from the root through the lots that were found. */
  readonly paths: bigint;
  /** Of an ancestor: part of the root's mass that came from it. Of a descendant: part of the root's mass that went into it. */
  readonly share: number | null;
}

/**
 * Paths and shares of the lots found. An edge runs from an older token to a newer one, so the order of token ids is topological:
 * one pass over the edges is enough, whatever the number of paths.
 * @param depths of the lots found, the root's 0
 */
export function graphNodes(
  root: bigint,
  direction: Direction,
  depths: ReadonlyMap<bigint, number>,
  edges: readonly LineageEdge[],
): LineageNode[] {
  const ordered = inTopologicalOrder(direction, edges);
  const paths = new Map<bigint, bigint>([[root, 1n]]);
  for (const { near, far } of ordered) {
    const ways = paths.get(near);
    if (ways !== undefined) paths.set(far, (paths.get(far) ?? 0n) + ways);
  }
  const shares = spread(root, ordered);
  return [...depths]
    .map(([tokenId, depth]) => ({ tokenId, depth, paths: paths.get(tokenId) ?? 0n, share: shares.get(tokenId) ?? null }))
    .toSorted((a, b) => a.depth - b.depth || compare(a.tokenId, b.tokenId));
}

/** Part of the root's mass that went into each lot that these steps lead to; null where a mass is unknown. @param steps in any order */
export const sharesAlong = (root: bigint, steps: readonly Step[]): ReadonlyMap<bigint, number | null> =>
  spread(root, steps.toSorted(downwards));

/** An edge as a walk goes along it. */
export interface Step {
  readonly near: bigint;
  readonly far: bigint;
  /** Part of the near lot's share that the far one has through here. */
  readonly passed: number | null;
}

function spread(root: bigint, ordered: readonly Step[]): Map<bigint, number | null> {
  const shares = new Map<bigint, number | null>([[root, 1]]);
  for (const { near, far, passed } of ordered) {
    const share = shares.get(near);
    if (share === undefined) continue;
    const more = product(share, passed);
    const before = shares.get(far);
    shares.set(far, before === undefined ? more : before === null || more === null ? null : before + more);
  }
  return shares;
}

/** Every edge after all edges that lead to its near end. */
function inTopologicalOrder(direction: Direction, edges: readonly LineageEdge[]): Step[] {
  return direction === 'descendants'
    ? edges.map((edge): Step => ({ near: edge.from, far: edge.to, passed: passedOn(edge.inputShare, edge.madeShare) })).sort(downwards)
    : edges.map(({ from, to, outputShare }): Step => ({ near: to, far: from, passed: outputShare })).sort(upwards);
}

const downwards = (a: Step, b: Step): number => compare(a.near, b.near);
const upwards = (a: Step, b: Step): number => compare(b.near, a.near);

/** Part of all of the source that went into this target. */
export const passedOn = (inputShare: number | null, madeShare: number | null): number | null => product(inputShare, madeShare);

const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
