import type { SystemTx, TenantTx } from '#persistence';
import type { ChainReceipt, RecordedEvent } from './domain/data-reference/event-links.js';
import type { ChainLot, RecordedLot } from './domain/data-reference/nft-link.js';
import type { CheckedPointer, PointerKind, PointerStatus, PointerSubject } from './domain/data-reference/pointer.js';

/** A landed event with what its record points to. */
export interface PointingEvent {
  readonly id: string;
  readonly subject: PointerSubject;
  readonly chainEventId: string;
  readonly contract: string;
  readonly ipfsCid: string | null;
  readonly recorded: RecordedEvent;
  readonly kind: string | null;
  readonly metadata: unknown;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

export interface PointingLot {
  readonly subject: PointerSubject;
  readonly contract: string;
  readonly recorded: RecordedLot;
}

/** Where the sweep of a tenant is. */
export interface PointerWalk {
  readonly eventBlock: number;
  readonly eventId: string | null;
  readonly tokenId: bigint;
  readonly lapBeganAt: Date;
  readonly lapEndedAt: Date | null;
}

export interface PointerCount {
  readonly kind: PointerKind;
  readonly status: PointerStatus;
  readonly n: number;
}

export interface ListedPointer {
  readonly pointerId: string;
  readonly kind: PointerKind;
  readonly subjectKind: 'lot' | 'event';
  readonly subjectId: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly value: string;
  readonly resolved: boolean | null;
  readonly matches: boolean | null;
  readonly status: PointerStatus;
  readonly rank: number;
  readonly checkedAt: Date;
  readonly latencyMs: number | null;
  readonly detail: string;
}

export interface PointerFilter {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly orgId: string | null;
  readonly processes: readonly string[] | null;
  readonly kind: PointerKind | null;
  readonly status: PointerStatus | null;
}

/** Records that point, and what was found of their pointers. */
export abstract class Pointers {
  /** A tenant that is due, taken for a while. */
  abstract take(tx: SystemTx, now: Date, leaseMs: number): Promise<string | null>;
  /** Where the sweep of this tenant is. */
  abstract walk(tx: TenantTx): Promise<PointerWalk>;
  abstract walked(tx: TenantTx, walk: PointerWalk, nextAt: Date): Promise<void>;
  /** By landing. @param upTo what can still be undone is not looked at */
  abstract eventsAfter(tx: TenantTx, walk: PointerWalk, upTo: number, limit: number): Promise<readonly PointingEvent[]>;
  /** By token id, current and landed ones. */
  abstract lotsAfter(tx: TenantTx, tokenId: bigint, limit: number): Promise<readonly PointingLot[]>;
  /** The known ones among these. */
  abstract events(tx: TenantTx, ids: readonly string[]): Promise<readonly PointingEvent[]>;
  /** The known ones among these. */
  abstract lots(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly PointingLot[]>;
  /** Of each SSCC that one of these events packed a container under, another event that did so too. */
  abstract otherContainers(tx: TenantTx, events: readonly PointingEvent[]): Promise<ReadonlyMap<string, string>>;
  /** Replaces what was known of these subjects, and moves the counts. */
  abstract save(tx: TenantTx, subjects: readonly PointerSubject[], pointers: readonly CheckedPointer[], at: Date): Promise<void>;
  /** Subjects to look at again first: those with something wrong, then those that nobody looked at for longest. */
  abstract stalest(tx: TenantTx, filter: PointerFilter, most: number): Promise<readonly Pick<PointerSubject, 'kind' | 'id'>[]>;
  abstract counts(tx: TenantTx, filter: PointerFilter): Promise<readonly PointerCount[]>;
  /** What is wrong first, then by kind and id. @param after rank, kind and id of the last one seen */
  abstract page(tx: TenantTx, filter: PointerFilter, after: readonly string[] | null, limit: number): Promise<readonly ListedPointer[]>;
}

/** Asks the chain anew. @throws EngineUnavailable('chain') */
export abstract class ChainEvidence {
  /** By transaction hash; null = not there. `wanted`: whose log is looked for. */
  abstract receipts(events: readonly PointingEvent[]): Promise<ReadonlyMap<string, ChainReceipt | null>>;
  /** As of a block that is projected, so that what came after it is no difference; where the node does not know it any more, as of now. */
  abstract lots(lots: readonly PointingLot[], block: number): Promise<LotsOnChain>;
}

export interface LotsOnChain {
  readonly lots: ReadonlyMap<bigint, ChainLot | null>;
  /** What differs may have changed after the block: it proves nothing. */
  readonly ofNow: boolean;
}
