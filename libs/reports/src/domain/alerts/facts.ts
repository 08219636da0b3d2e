/** What rules about lots look at. Quantities in `uom`. */
export interface LotFacts {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly mapName: string | null;
  readonly mapVersion: string | null;
  readonly status: string;
  readonly uom: string | null;
  readonly quantity: number | null;
  readonly remaining: number | null;
  readonly usedUp: boolean;
  readonly isContainer: boolean;
  readonly expiresAt: Date | null;
  readonly retiredAt: Date | null;
  readonly recalledAt: Date | null;
  readonly recallAffected: boolean;
  /** The worst class among the recalls that affect it; null = none or unknown. */
  readonly recallClass: string | null;
  /** Sum of what events used of it. */
  readonly used: number;
  readonly custodian: string;
  readonly custodianLabel: string;
  readonly orgIds: readonly string[];
}

/** Live (domain-decisions §6): there to be sold, used or found; recalled and held goods are. */
export const isLive = (lot: Pick<LotFacts, 'retiredAt' | 'usedUp'>): boolean => lot.retiredAt === null && !lot.usedUp;

export interface EventInput {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly resolved: boolean;
  readonly mapName: string | null;
  /** When the event that made it happened; null = unknown. */
  readonly madeAt: Date | null;
  readonly usedKg: number | null;
}

/** What rules about landed events look at: the words of the last correction. Masses in kilograms. */
export interface EventFacts {
  readonly id: string;
  readonly processType: string | null;
  readonly processLabel: string | null;
  readonly kind: string | null;
  readonly mapName: string | null;
  readonly mapVersion: string | null;
  readonly eventTime: Date | null;
  readonly recordTime: Date;
  readonly outputTlc: string | null;
  readonly orgIds: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly country: string | null;
  readonly calldataMismatch: boolean;
  readonly resolved: boolean;
  readonly inputs: readonly EventInput[];
  readonly outputs: number;
  readonly inputKg: number | null;
  readonly mainOutputKg: number | null;
  readonly coProductKg: number | null;
  readonly declaredLossKg: number | null;
  readonly gapKg: number | null;
  readonly gapRatio: number | null;
  readonly massTolerance: number | null;
  readonly balanceOutside: boolean;
  readonly yield: number | null;
  readonly yieldMin: number | null;
  readonly yieldMax: number | null;
  readonly yieldOutside: boolean;
  /** Sites where the goods in it came to be, of an identity-preserving map; two at most are told. Null = not asked. */
  readonly origins: readonly string[] | null;
}

/** An offer of custody that waits for its answer. */
export interface OfferFacts {
  readonly transferId: string;
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetTypeName: string | null;
  readonly mapName: string | null;
  readonly from: string;
  readonly to: string;
  readonly toLabel: string;
  readonly offeredAt: Date;
  readonly orgIds: readonly string[];
}

/** A tracked transaction. */
export interface TransactionFacts {
  readonly trackingId: string;
  readonly txHash: string;
  readonly type: string;
  readonly status: string;
  readonly submittedAt: Date;
  readonly failedAt: Date | null;
  readonly revertReason: string | null;
  readonly eventId: string | null;
  readonly orgIds: readonly string[];
}

/** An event that was prepared and has not landed. */
export interface PreparedFacts {
  readonly id: string;
  readonly processType: string | null;
  readonly processLabel: string | null;
  readonly outputTlc: string | null;
  readonly preparedAt: Date;
  readonly expiresAt: Date | null;
  readonly orgIds: readonly string[];
}

/** A document of a landed event, and which of the event's lots are live. */
export interface DocumentFacts {
  readonly eventId: string;
  readonly processType: string | null;
  readonly type: string;
  readonly number: string;
  readonly issuer: string | null;
  /** Calendar date. */
  readonly validTo: string;
  readonly liveLots: readonly { readonly tokenId: number; readonly tlc: string }[];
  readonly orgIds: readonly string[];
}

/** A webhook subscription that listens. */
export interface SubscriptionFacts {
  readonly id: string;
  readonly host: string;
  /** Since when the service holds back what waits, because nothing came through for days. */
  readonly pausedSince: Date | null;
  readonly failedInARow: number;
  readonly failingSince: Date | null;
  readonly lastError: string | null;
}

/** A pointer as it was checked last. */
export interface PointerFacts {
  readonly pointerId: string;
  readonly kind: string;
  readonly status: string;
  readonly value: string;
  readonly detail: string;
  readonly checkedAt: Date;
  readonly processType: string | null;
  readonly subjectKind: 'lot' | 'event';
  readonly subjectId: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly orgIds: readonly string[];
}

/** How much of a finished lot's mass comes with a declared footprint, by indicator; null = nothing to declare. */
export interface FootprintFacts {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetTypeName: string | null;
  readonly massCoverage: Readonly<Record<string, number | null>>;
  readonly orgIds: readonly string[];
}

/** What the events of one map made of others' goods at one site in one quarter of a year, by time. Masses in kilograms. */
export interface ClaimBalanceFacts {
  /** Tells this balance from others. */
  readonly key: string;
  readonly mapName: string;
  readonly site: string;
  readonly siteKey: string;
  /** From the first moment of the quarter (UTC) to that of the next one. */
  readonly from: Date;
  readonly to: Date;
  readonly events: readonly ClaimedEvent[];
  /** Events that an alert about this balance stands at. */
  readonly standing: readonly string[];
}

export interface ClaimedEvent {
  readonly id: string;
  readonly outputTlc: string | null;
  readonly processType: string | null;
  readonly processLabel: string | null;
  readonly orgIds: readonly string[];
  /** Of the input: what was made under the same map. Null where a mass is unknown. */
  readonly claimedInKg: number | null;
  readonly mainOutputKg: number | null;
  /** The most of the input that can become the main product: the greatest yield that the map expects, else all of it. */
  readonly conversion: number;
}

/** Yields of one process, as many of the latest as are looked at. */
export interface YieldFacts {
  readonly processType: string;
  readonly label: string;
  readonly events: readonly {
    readonly id: string;
    readonly outputTlc: string | null;
    readonly yield: number;
    readonly yieldOutside: boolean;
    readonly orgIds: readonly string[];
  }[];
}
