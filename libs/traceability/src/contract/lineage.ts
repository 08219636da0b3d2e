import type { TenantTx, SnapshotTx } from '#persistence';
import type { EdgeKind, Direction, LineageEdge, LineageNode, NodeFacts, Weight } from '../lineage/lineage-graph.js';
import type { Actor } from '#kernel';
import type { LotRow, LotStatus } from '../lots/lot.js';

export type { EdgeKind } from '../lineage/lineage-graph.js';
export type { Direction, LineageEdge, LineageNode, NodeFacts, Weight } from '../lineage/lineage-graph.js';

/** One lot of the closure of docs/spec/domain.md#recall. */
export interface AffectedNode {
  readonly tokenId: bigint;
  /** `part`: of the same lot, one split from the other. */
  readonly relation: 'part' | 'transformed' | 'contained' | 'container';
  /** Shortest distance from the root. */
  readonly depth: number;
}

/** Bounds of every walk (docs/spec/api.md#lots-custody-recall). */
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
  readonly lots: readonly AffectedNode[];
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
  readonly lots: ReadonlyMap<bigint, NodeFacts>;
}

/** Walks of the lineage. Cut at the bounds, and honest about it: what is there is all there is, in order, within them. */
export abstract class Lineage {
  /** Forward closure of a lot over transformation and containment, and over splits both ways (docs/spec/domain.md#recall). */
  abstract affectedBy(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf?: AsOf): Promise<Affected>;
  /** The first lots of that walk, at least nearly so, in any order and without where it goes on: in a fraction of its time. */
  abstract nearestAffected(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf): Promise<readonly bigint[]>;
  /** What each root affects now, within `each`: one walk over all roots together, itself within the widest bounds. */
  abstract reachOfEach(tx: TenantTx, roots: readonly bigint[], each: WalkBounds): Promise<ReadonlyMap<bigint, Reaching>>;
  /** Ancestors or descendants with the edges between them (docs/spec/domain.md#lineage). */
  abstract graph(tx: TenantTx, request: GraphRequest): Promise<LineageGraph>;
  /** The containers around a lot, now or before, within the bounds. */
  abstract containersOf(tx: TenantTx, root: bigint, bounds: WalkBounds): Promise<readonly bigint[]>;
}

/** What a recall needs to know of a lot. Masses in kilograms; null where a quantity has none. */
export interface Traceback extends Weight, Pick<LotRow, OfTheRow> {
  readonly status: LotStatus;
  readonly retireReason: string | null;
  readonly recalled: boolean;
  /** Nothing of it is left, whatever its status says; an unmeasured lot has no `remaining` that would show it. */
  readonly usedUp: boolean;
  /** Everybody else who ever held it. */
  readonly pastCustodians: readonly string[];
  readonly isContainer: boolean;
  /** Millionths of `uom`; null for an unmeasured lot. What was there when it was retired, for a retired one. */
  readonly remaining: bigint | null;
  /** Millionths that were sold, exported or lost in part, whatever became of the rest; what leaves with the whole lot is in `remaining`. */
  readonly leftSupplyChain: bigint;
  /** What the public counts by, of the asset type. */
  readonly recallUnit: { readonly label: string; readonly massKg: number } | null;
  /** ISO 3166-1, of the event that made it. */
  readonly country: string | null;
  readonly producedKg: number | null;
  /** What went into other lots. */
  readonly usedKg: number;
  /** Losses that the events using it declared, by its part of their input. */
  readonly lossKg: number;
  /** What the events using it do not account for, by its part of their input. */
  readonly gapKg: number;
  /** Retired in part; a lot that is retired wholly has its rest in `remaining`. */
  readonly partRetiredKg: number;
}

type OfTheRow = 'tokenId' | 'tlc' | 'assetType' | 'assetTypeName' | 'custodian' | 'pendingCustodian';

/** How complete the records of some lots are, for drills. */
export abstract class KeyDataElements {
  /** Key data elements of the landed events that name at least one of the lots. @param most events with something missing that are listed */
  abstract ofLots(
    tx: TenantTx,
    tokenIds: readonly bigint[],
    most: number,
  ): Promise<{
    readonly events: number;
    readonly complete: number;
    readonly missing: readonly { readonly eventId: string; readonly processType: string | null; readonly missing: readonly string[] }[];
  }>;
}

/** Lots with where they are and what became of their mass, for recalls. */
export abstract class Tracebacks {
  /** The known ones among these, by token id, as they were. */
  abstract of(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly Traceback[]>;
}

/** Recalled lots as the reader sees them, with what a recall needs of them, all from one reading. */
export abstract class RecalledLots {
  abstract of(tx: SnapshotTx, actor: Actor, request: DescentRequest, asOf: AsOf): Promise<DescentAnswer>;
}

export interface DescentRequest {
  /** Finds what is to be shown. */
  lots(tx: TenantTx): Promise<Descent>;
  /** Lots that will be among them, found in much less time: they are read on another connection meanwhile. Null where none are known. */
  readonly likely: ((tx: TenantTx) => Promise<readonly bigint[]>) | null;
}

export interface Descent {
  readonly root: bigint;
  readonly descendants: readonly bigint[];
  /** Containers around them: they are shown, and no way from the root goes through them. */
  readonly containers: readonly bigint[];
  /** Descendants that are not shown; ways from the root go through them. */
  readonly before: readonly bigint[];
}

export interface DescentAnswer {
  /** The known ones of those that are shown and the root, by token id. */
  readonly lots: ReadonlyMap<bigint, Traceback>;
  /** Part of the root's mass that went into each descendant and the root; null or nothing = unknown. */
  readonly shares: ReadonlyMap<bigint, number | null>;
  /**
   * One of the lots in the shape of docs/spec/service.md#lot, without its place, which would need its events: JSON members,
   * `"id":…,"tokenId":…`, without the braces, as texts to be written one after another. Ten thousand lots are not made into objects to be
   * taken apart again.
   */
  shape(tokenId: bigint): readonly string[];
}

/** Blocks in which what became affected by a lot did so by one recall of it. */
export interface RecallSpan {
  readonly root: bigint;
  /** Where the recall landed. */
  readonly from: number;
  /** Where the next recall of the lot landed; null where none did. */
  readonly until: number | null;
}

/** Who is affected by recalls now: the sets that landing keeps (docs/spec/api.md#lots-custody-recall). */
export abstract class AffectedSets {
  /** Lots that became affected by these roots in or after a block, with the block and its time. */
  abstract since(
    tx: TenantTx,
    roots: readonly bigint[],
    block: number,
  ): Promise<readonly { readonly root: bigint; readonly tokenId: bigint; readonly block: number; readonly at: Date }[]>;
  /** How many lots the roots of each set affect now together, no root by itself. By the set's key; a set that affects none is not there. */
  abstract sizes(tx: TenantTx, sets: ReadonlyMap<string, readonly bigint[]>): Promise<ReadonlyMap<string, number>>;
  /** The same of roots whose sets were forgotten, counted along the edges: how many lots they would affect now. */
  abstract reaches(tx: TenantTx, sets: ReadonlyMap<string, readonly bigint[]>): Promise<ReadonlyMap<string, number>>;
  /** Recalled lots that reach a lot, or lots that a wallet holds and that are neither used up nor retired; recalled ones among those too. */
  abstract rootsOf(tx: TenantTx, of: { readonly tokenId: bigint } | { readonly holder: string }): Promise<readonly bigint[]>;
  /** Until the transaction ends no other transaction changes the tenant's sets: the caller reads them and writes what follows without missing a change. */
  abstract lockTenantSets(tx: TenantTx): Promise<void>;
  /**
   * Forgets what recalls affect that leave all but their own lots untouched, as if it had never been: what is minted later is not added.
   * @param spans is called when no other transaction changes the tenant's sets, until this one ends
   */
  abstract forget(tx: TenantTx, chainId: number, spans: () => Promise<readonly RecallSpan[]>): Promise<void>;
}
