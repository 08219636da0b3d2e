import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';

/** How far the events of a tenant were followed. */
export interface FactWalk {
  /** All up to here is in, and cannot be undone; null = nothing is. */
  readonly place: string | null;
  /** The position of the chain at the last look; null = there was none, or not all was seen then. */
  readonly seen: ChainPosition | null;
}

/** Figures of events and their sums by day, kept for reports of large tenants (`reports.event_fact`, `reports.event_day`). */
export abstract class EventFacts {
  /** Takes the tenant for this transaction. @returns null where somebody else has it */
  abstract take(tx: TenantTx): Promise<FactWalk | null>;
  /**
   * Events that changed after `after` (`<block>:<id>`) and up to `head`, by block, the one whose words they change as `root`.
   * @returns at most `limit`
   */
  abstract changes(tx: TenantTx, after: string | null, head: number, limit: number): Promise<readonly Change[]>;
  /** Events that may change without a later block. */
  abstract open(tx: TenantTx, limit: number): Promise<readonly string[]>;
  /** Writes what these events come to now, or that they do not count, and which days that touches. */
  abstract refresh(tx: TenantTx, ids: readonly string[], final: number): Promise<void>;
  /** Makes the sums of some days anew that were touched. @returns whether none is left */
  abstract sumDays(tx: TenantTx, limit: number): Promise<boolean>;
  /** @param asOf what the days stand on from now on; null = as before */
  abstract walked(tx: TenantTx, walk: FactWalk, asOf: ChainPosition | null): Promise<void>;
}

export interface Change {
  readonly id: string;
  readonly block: number;
  readonly root: string;
}
