import type { LotRow, LotStatus } from '../lots/lot.js';

/** docs/spec/domain.md#lineage: from an older token to a newly minted one, so the graph has no loops. */
export interface Edge {
  readonly fromToken: bigint;
  readonly toToken: bigint;
  /** Null for a split, which no event makes. */
  readonly eventId: string | null;
  readonly kind: EdgeKind;
  /** Millionths of the source's unit; null for containment and for all of an unmeasured lot. */
  readonly quantity: bigint | null;
  readonly block: number;
}

/** A split leads from a lot to a part of it that became a lot of its own. */
export const EDGE_KINDS = ['transformation', 'containment', 'split'] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

export type Direction = 'ancestors' | 'descendants';

/** An edge of the lineage with what it says about masses. Shares are 0 to 1; null where a mass is unknown. */
export interface LineageEdge {
  readonly from: bigint;
  readonly to: bigint;
  readonly kind: EdgeKind;
  /** Null for a split, which no event makes. */
  readonly eventId: string | null;
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
export interface Weight {
  /** The event that made the lot, its process type, and how many lots it made; a part is one lot, whatever else the event made. */
  readonly eventId: string;
  readonly processType: string | null;
  readonly made: number;
  /** What there was of it, in millionths of `uom`; null for an unmeasured lot. */
  readonly whole: number | null;
  readonly uom: string | null;
  readonly unitKg: number | null;
}

/** A lot as a graph shows it. */
export interface NodeFacts extends Weight, Pick<LotRow, 'tokenId' | 'tlc' | 'assetType' | 'assetTypeName' | 'custodian'> {
  readonly status: LotStatus;
  readonly eventTime: Date | null;
  /** ISO 3166-1, of the mint event. */
  readonly country: string | null;
  readonly recalled: boolean;
  readonly recallAffected: boolean;
}

/**
 * How many lots of earlier pages a walk may read again to continue after them: paths and shares go through them. Bounded, so
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

/** Part of the root's mass that went into each lot that these edges lead to; null where a mass is unknown. @param edges in any order */
export const sharesAlong = (root: bigint, edges: readonly DirectedEdge[]): ReadonlyMap<bigint, number | null> =>
  spread(root, edges.toSorted(downwards));

/** An edge as a walk goes along it. */
export interface DirectedEdge {
  readonly near: bigint;
  readonly far: bigint;
  /** Part of the near lot's share that the far one has through here. */
  readonly passed: number | null;
}

function spread(root: bigint, ordered: readonly DirectedEdge[]): Map<bigint, number | null> {
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
function inTopologicalOrder(direction: Direction, edges: readonly LineageEdge[]): DirectedEdge[] {
  return direction === 'descendants'
    ? edges
        .map((edge): DirectedEdge => ({ near: edge.from, far: edge.to, passed: passedOn(edge.inputShare, edge.madeShare) }))
        .sort(downwards)
    : edges.map(({ from, to, outputShare }): DirectedEdge => ({ near: to, far: from, passed: outputShare })).sort(upwards);
}

const downwards = (a: DirectedEdge, b: DirectedEdge): number => compare(a.near, b.near);
const upwards = (a: DirectedEdge, b: DirectedEdge): number => compare(b.near, a.near);

/** Part of all of the source that went into this target. */
export const passedOn = (inputShare: number | null, madeShare: number | null): number | null => product(inputShare, madeShare);

const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** What an event weighed, in kilograms; null where that is unknown. */
export interface Masses {
  readonly inputKg: number | null;
  readonly mainKg: number | null;
  readonly coProductKg: number | null;
  readonly declaredLossKg: number | null;
}

/** What an event took of a lot, in millionths of the lot's unit; null for an unmeasured lot. */
export interface Draw {
  readonly quantity: bigint | null;
  readonly masses: Masses | undefined;
}

/** What became of a lot, in kilograms. */
export interface MassUse {
  /** What went into other lots. */
  readonly usedKg: number;
  /** Losses that the events using it declared, by its part of their input. */
  readonly lossKg: number;
  /** What the events using it do not account for, by its part of their input. */
  readonly gapKg: number;
  /** Neither left nor drawn. */
  readonly partRetiredKg: number;
}

/** The lot whose use is added up; quantities in millionths of its unit. */
interface UsedLot {
  readonly quantity: bigint | null;
  readonly remaining: bigint | null;
  readonly unitKg: number | null;
}

/** @param draws one of each event that used the lot, whatever it made of it */
export function useOf({ quantity, remaining, unitKg }: UsedLot, draws: readonly Draw[]): MassUse {
  const use = { usedKg: 0, lossKg: 0, gapKg: 0, partRetiredKg: 0 };
  if (unitKg === null) return use;
  let drawn = 0n;
  for (const draw of draws) {
    if (draw.quantity === null) continue;
    drawn += draw.quantity;
    const kg = (Number(draw.quantity) / 1e6) * unitKg;
    const { inputKg: input, mainKg: main, coProductKg: co, declaredLossKg: loss } = draw.masses ?? UNKNOWN;
    // An event whose masses are unknown used all that it took.
    use.usedKg += kg * (known(input) && main !== null && co !== null ? (main + co) / input : 1);
    use.lossKg += kg * (known(input) && loss !== null ? loss / input : 0);
    use.gapKg += kg * (known(input) && main !== null && co !== null && loss !== null ? (input - main - co - loss) / input : 0);
  }
  if (quantity !== null && remaining !== null) use.partRetiredKg = Math.max(0, (Number(quantity - remaining - drawn) / 1e6) * unitKg);
  return use;
}

const UNKNOWN: Masses = { inputKg: null, mainKg: null, coProductKg: null, declaredLossKg: null };
const known = (input: number | null): input is number => input !== null && input !== 0;
