import type { SystemTx, TenantTx } from '#persistence';
import type { RecallSpan } from '#traceability';
import type { Drill } from './domain/drill.js';
import type { Hold, Release } from './domain/hold.js';
import type { RecallNotice } from './domain/recall-notice.js';

/** A recall as it is told. */
export interface RecallRecord {
  readonly id: string;
  readonly reason: string | null;
  readonly recallClass: string | null;
  readonly depth: string | null;
  readonly propagation: string;
  readonly reference: string | null;
  readonly instructions: string | null;
  readonly resolved: boolean;
  readonly recalledBy: string;
  readonly recalledAt: Date;
  readonly blockNumber: number;
  readonly txHash: string;
  /** What it reached when it was prepared; null for one that was sent without us. */
  readonly preparedAffected: number | null;
  readonly preparedBlock: number | null;
  readonly holdsReleasedAt: Date | null;
  readonly lots: readonly { readonly tokenId: bigint; readonly liftedAt: Date | null; readonly liftedBy: string | null }[];
}

/** Recalls that landed, each a call of the contract. */
export abstract class Recalls {
  abstract byId(tx: TenantTx, id: string): Promise<RecallRecord | null>;
  /** Newest first. @param after goes on behind a place in the order */
  abstract list(
    tx: TenantTx,
    filter: { readonly open?: boolean | undefined },
    place: { readonly offset: number } | { readonly after: { readonly block: number; readonly log: number } },
    limit: number,
  ): Promise<{ readonly recalls: readonly (RecallRecord & { readonly logIndex: number })[]; readonly counted: number }>;
  /** Lots that stand recalled by the recall that flagged this one last. */
  abstract flaggedTogether(tx: TenantTx, tokenId: bigint): Promise<readonly bigint[]>;
}

/** Why lots are stopped: by quality, or by a recall that holds what it affects. What the lots show is traceability's (`Holds`). */
export abstract class HoldBook {
  /** Those that are new; the same lot is held once for each source. @param chainId of the blocks that place them; null when somebody does */
  abstract place(tx: TenantTx, holds: readonly Hold[], chainId: number | null): Promise<readonly Hold[]>;
  /** Ends what holds these lots, or only what a source does. @returns lots that nothing holds any more */
  abstract release(
    tx: TenantTx,
    of: { readonly tokenIds?: readonly bigint[]; readonly source?: string },
    by: Release,
  ): Promise<readonly bigint[]>;
  /** Ends the holds of recalls of which no lot stands recalled any more, as of the last lifting. @returns lots that nothing holds any more */
  abstract releaseLifted(tx: TenantTx): Promise<readonly bigint[]>;
  /** Ends the holds of a recall for the future too: what is minted later is not held by it. False when there is no such recall. */
  abstract endPropagation(tx: TenantTx, recallId: string, by: Release): Promise<boolean>;
  /** Forgets what quality said about lots that had these numbers before, under other codes. @returns lots that nothing holds any more */
  abstract forgetOthers(
    tx: TenantTx,
    minted: readonly { readonly tokenId: bigint; readonly tlcHash: string }[],
  ): Promise<readonly bigint[]>;
}

/** Mock recalls whose reports are kept. */
export abstract class Drills {
  abstract save(tx: TenantTx, drill: Drill): Promise<void>;
  abstract byId(tx: TenantTx, id: string): Promise<Drill | null>;
  /** Newest first. */
  abstract list(tx: TenantTx, offset: number, limit: number): Promise<{ readonly drills: readonly Drill[]; readonly counted: number }>;
  /** A live lot of goods; `dice` in [0, 1) says which. Null when there is none. */
  abstract draw(tx: TenantTx, dice: number): Promise<bigint | null>;
}

/** A recall whose notice could not be read yet. */
export interface UnreadNotice {
  readonly tenantId: string;
  readonly id: string;
  readonly dataHash: string;
  readonly recalledBy: string;
  readonly chainId: number;
}

/** Notices that content storage did not have when their recall landed. */
export abstract class UnreadNotices {
  /** Those whose turn it is; their next turn is fixed by this. Another process does not get the same ones. */
  abstract take(tx: SystemTx, now: Date, limit: number): Promise<readonly UnreadNotice[]>;
  /** @returns the lots that stand recalled by it and may hold others; none when it was read, or gone with its block, or its holds were ended, meanwhile */
  abstract write(tx: TenantTx, id: string, notice: RecallNotice): Promise<readonly bigint[]>;
  /** The lots that a recall with propagation `none` flagged, and when; none of any other recall. */
  abstract sparing(tx: TenantTx, id: string): Promise<readonly RecallSpan[]>;
}
