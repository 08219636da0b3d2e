export const TRACKED_STATUSES = ['submitted', 'pending', 'confirming', 'confirmed', 'failed', 'replaced', 'dropped'] as const;
export type TrackedStatus = (typeof TRACKED_STATUSES)[number];

/**
 * domain-decisions §2.4. Only `confirmed` and `failed` are final: they come N blocks deep. What was replaced or dropped can
 * still be seen again, on another branch or late.
 */
export const TRACKED_TRANSITIONS: Readonly<Record<TrackedStatus, readonly TrackedStatus[]>> = {
  submitted: ['pending', 'confirming', 'confirmed', 'failed', 'replaced', 'dropped'],
  pending: ['confirming', 'confirmed', 'failed', 'replaced', 'dropped'],
  confirming: ['pending', 'confirmed', 'failed', 'replaced'],
  dropped: ['pending', 'confirming', 'confirmed', 'failed', 'replaced'],
  replaced: ['pending', 'confirming', 'confirmed', 'failed'],
  confirmed: [],
  failed: [],
};

export const OPEN_STATUSES: readonly TrackedStatus[] = ['submitted', 'pending', 'confirming'];

/** What a node says of a transaction. Wei amounts and gas as decimal strings. */
export interface SentFacts {
  readonly from: string;
  readonly to: string | null;
  readonly nonce: number;
}

export interface MinedFacts {
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly succeeded: boolean;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string | null;
}

export interface Sighting {
  /** Null: this node does not know the hash, which is no verdict. */
  readonly sent: SentFacts | null;
  readonly mined: MinedFacts | null;
  /** Of a transaction that failed, where the node could tell. */
  readonly revertReason: string | null;
  /** The event that the calldata records; null when there is none. */
  readonly eventId: string | null;
}

/** How far things have come where the sighting was made. */
export interface Horizon {
  readonly at: Date;
  /** Newest block of the node that was asked. */
  readonly nodeHead: number;
  /** Newest block whose effects the projection shows. */
  readonly projectedHead: number;
  readonly requiredConfirmations: number;
}

/** A transaction hash that somebody asked the service to watch; also the row of `transactions.tracked`. */
export class TrackedTransaction {
  tenantId: string;
  id: string;
  chainId: number;
  /** Lower-case hex. */
  txHash: string;
  type: string;
  status: TrackedStatus;
  ownerKind: 'user' | 'api_key';
  ownerId: string;
  from: string | null;
  to: string | null;
  nonce: number | null;
  blockNumber: number | null;
  blockHash: string | null;
  gasUsed: string | null;
  effectiveGasPrice: string | null;
  revertReason: string | null;
  replacedBy: string | null;
  eventId: string | null;
  submittedAt: Date;
  lastCheckedAt: Date | null;
  confirmedAt: Date | null;

  static submitted(
    by: { readonly tenantId: string; readonly kind: 'user' | 'api_key'; readonly id: string },
    tracking: { readonly id: string; readonly chainId: number; readonly txHash: string; readonly type: string; readonly at: Date },
  ): TrackedTransaction {
    return Object.assign(new TrackedTransaction(), {
      tenantId: by.tenantId,
      ownerKind: by.kind,
      ownerId: by.id,
      id: tracking.id,
      chainId: tracking.chainId,
      txHash: tracking.txHash.toLowerCase(),
      type: tracking.type,
      submittedAt: tracking.at,
      status: 'submitted' as const,
      ...UNSEEN,
      ...NOT_MINED,
    });
  }

  /** Takes in what a node said. A null answer never undoes more than the mining, and that only from a node that is not behind. */
  seen(sighting: Sighting, horizon: Horizon): void {
    this.lastCheckedAt = horizon.at;
    if (sighting.sent) Object.assign(this, { from: sighting.sent.from, to: sighting.sent.to, nonce: sighting.sent.nonce });
    this.eventId ??= sighting.eventId;
    if (sighting.mined) this.mined(sighting.mined, sighting.revertReason, horizon);
    else if (!this.isBehind(horizon) && (sighting.sent || this.status === 'confirming')) this.waiting();
  }

  /** A block that holds it counts as the first confirmation. */
  confirmations(head: number): number {
    return this.blockNumber === null ? 0 : Math.max(0, head - this.blockNumber + 1);
  }

  get final(): boolean {
    return TRACKED_TRANSITIONS[this.status].length === 0;
  }

  private mined(mined: MinedFacts, revertReason: string | null, horizon: Horizon): void {
    const { succeeded, ...facts } = mined;
    Object.assign(this, facts);
    const deep = this.confirmations(horizon.nodeHead) >= horizon.requiredConfirmations;
    // Confirmed means that its effects can be read, so the projection must have passed it too.
    if (!deep || (succeeded && horizon.projectedHead < mined.blockNumber)) return this.become('confirming');
    this.revertReason = succeeded ? null : revertReason;
    this.confirmedAt = horizon.at;
    this.become(succeeded ? 'confirmed' : 'failed');
  }

  /** The node has not come to the block in which another saw the transaction: it cannot say that it is not there. */
  private isBehind(horizon: Horizon): boolean {
    return this.blockNumber !== null && horizon.nodeHead < this.blockNumber;
  }

  private waiting(): void {
    Object.assign(this, NOT_MINED);
    this.become('pending');
  }

  private become(status: TrackedStatus): void {
    if (status === this.status) return;
    if (!TRACKED_TRANSITIONS[this.status].includes(status)) throw new IllegalTracking(this.id, this.status, status);
    this.status = status;
  }
}

const UNSEEN = { from: null, to: null, nonce: null, eventId: null, replacedBy: null, lastCheckedAt: null };
const NOT_MINED = { blockNumber: null, blockHash: null, gasUsed: null, effectiveGasPrice: null, revertReason: null, confirmedAt: null };

export class IllegalTracking extends Error {
  constructor(id: string, from: TrackedStatus, to: TrackedStatus) {
    super(`tracked transaction ${id} cannot go from ${from} to ${to}`);
    this.name = 'IllegalTracking';
  }
}
