import type { Actor } from '#kernel';
import type { SnapshotTx, TenantTx } from '#persistence';
import type { LotWeight } from '../domain/lineage-graph.js';
import type { LotStatus } from '../domain/lot-status.js';
import type { AsOf } from './lineage.js';

/** A lot as a recall looks at it. Masses in kilograms; null where a quantity has none. */
export interface LotTrace extends LotWeight {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly status: LotStatus;
  readonly retireReason: string | null;
  readonly recalled: boolean;
  /** Nothing of it is left, whatever its status shows first; an unmeasured lot has no `remaining` to tell. */
  readonly usedUp: boolean;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  /** Everybody else who ever held it. */
  readonly pastCustodians: readonly string[];
  readonly isContainer: boolean;
  /** Millionths of `uom`; null for an unmeasured lot. What was there when it was retired, for a retired one. */
  readonly remaining: bigint | null;
  /** Millionths that were sold, exported or lost in part, whatever became of the rest; what leaves with the whole lot is in `remaining`. */
  readonly outThere: bigint;
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

/** How complete the records of some lots are, for drills. */
export abstract class KeyData {
  /** Key data elements of the landed events that name any of these lots. @param most events with something missing that are listed */
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
export abstract class Traces {
  /** The known ones among these, by token id, as they were. */
  abstract of(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly LotTrace[]>;
}

/** Lots that somebody is shown with what a recall asks of them, all from one reading. */
export abstract class LotShapes {
  abstract of(tx: SnapshotTx, actor: Actor, asked: Asked, asOf: AsOf): Promise<Shapes>;
}

export interface Asked {
  /** Finds what is to be shown. */
  lots(tx: TenantTx): Promise<Descent>;
  /** Lots that will be among them, found in much less time: they are read on another connection meanwhile. Null where nobody knows any. */
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

export interface Shapes {
  /** The known ones of those that are shown and the root, by token id. */
  readonly lots: ReadonlyMap<bigint, LotTrace>;
  /** Part of the root's mass that went into each descendant and the root; null or nothing = unknown. */
  readonly shares: ReadonlyMap<bigint, number | null>;
  /**
   * One of the lots in the shape of the specification, §2.10, without its place, which takes a look at its events: JSON members,
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

/** Who is affected by recalls now: the sets that landing keeps (api-decisions §4). */
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
  /** Until the transaction ends nobody else changes the tenant's sets: who reads them and writes what follows misses nothing under way. */
  abstract takeTurn(tx: TenantTx): Promise<void>;
  /**
   * Forgets what recalls affect that leave all but their own lots untouched, as if it had never been: what is minted later is not added.
   * @param spans is called when nobody else changes the tenant's sets, until the transaction ends
   */
  abstract forget(tx: TenantTx, chainId: number, spans: () => Promise<readonly RecallSpan[]>): Promise<void>;
}
