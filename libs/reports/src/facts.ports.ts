import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';

/** How far the facts of a tenant were followed. */
export interface FactWalk {
  /** All up to here is in, and cannot be undone; null = nothing is. */
  readonly place: string | null;
  /** The position of the chain at the last look; null = there was none, or not all was seen then. */
  readonly seen: ChainPosition | null;
}

/** What happened, as narrow facts, and their sums by day, kept for reports of large tenants. Facts go by the ids of what happened. */
export abstract class Facts {
  /** Takes the tenant for this transaction. @returns null where somebody else has it */
  abstract take(tx: TenantTx): Promise<FactWalk | null>;
  /**
   * What changed after `after` (`<block>:<id>`) and up to `head`, by block, what it changes as `root`.
   * @returns at most `limit`
   */
  abstract changes(tx: TenantTx, after: string | null, head: number, limit: number): Promise<readonly Change[]>;
  /** What may change without a later block. */
  abstract open(tx: TenantTx, limit: number): Promise<readonly string[]>;
  /** Whose content was found since it was looked at, which needs no block. */
  abstract late(tx: TenantTx, limit: number): Promise<readonly string[]>;
  /** Writes what these come to now, or that they do not count, and which days that touches. */
  abstract refresh(tx: TenantTx, ids: readonly string[], final: number): Promise<void>;
  /** Makes the sums of some days anew that were touched. @returns whether none is left */
  abstract sumDays(tx: TenantTx, limit: number): Promise<boolean>;
  /** @param asOf what the days stand on from now on; null = as before */
  abstract walked(tx: TenantTx, walk: FactWalk, asOf: ChainPosition | null): Promise<void>;
}

/** Figures of events, and documents that they refer to (`reports.event_fact`, `event_day`, `document`). */
export abstract class EventFacts extends Facts {}
/** What was handed over or refused (`reports.transfer_fact`, `transfer_day`). */
export abstract class TransferFacts extends Facts {}

export interface Change {
  readonly id: string;
  readonly block: number;
  readonly root: string;
}

/** How far the lots of a tenant were followed. */
export interface StockWalk {
  /** Changes up to here are in hand, and cannot be undone; null = nothing is. */
  readonly block: number | null;
  readonly seen: ChainPosition | null;
}

/** The live goods of a large tenant and what they come to, kept for the inventory (`reports.stock_lot`, `reports.stock_cell`). */
export abstract class Stock {
  /** Takes the tenant for this transaction. @returns null where somebody else has it */
  abstract take(tx: TenantTx): Promise<StockWalk | null>;
  /** Up to where events are followed: they say where lots are; null = not yet. */
  abstract upTo(tx: TenantTx): Promise<ChainPosition | null>;
  /** Every lot is to be looked at. */
  abstract all(tx: TenantTx): Promise<void>;
  /** What changed after a block is to be looked at, and what could be undone when it was looked at last. */
  abstract changed(tx: TenantTx, after: number, upTo: ChainPosition): Promise<void>;
  /** The lots that these events name are to be looked at. */
  abstract ofEvents(tx: TenantTx, ids: readonly string[]): Promise<void>;
  /** What changed without a block is to be looked at. */
  abstract withoutBlock(tx: TenantTx): Promise<void>;
  /** Looks at some of them. @returns whether none is left */
  abstract sum(tx: TenantTx, limit: number): Promise<boolean>;
  /** @param whole the stock stands on `seen` from now on */
  abstract walked(tx: TenantTx, block: number, seen: ChainPosition, whole: boolean): Promise<void>;
}
