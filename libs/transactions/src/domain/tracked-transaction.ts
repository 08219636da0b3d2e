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

/** Looked at with every head. */
export const OPEN_STATUSES: readonly TrackedStatus[] = ['submitted', 'pending', 'confirming'];
/** Looked at now and then: they may come back. */
export const ASLEEP_STATUSES: readonly TrackedStatus[] = ['dropped', 'replaced'];

/** What a node says of a transaction. Wei amounts and gas as decimal strings. */
export interface SentFacts {
  readonly from: string;
  readonly to: string | null;
  readonly nonce: number;
}

/** Of a receipt whose block is the canonical one at its number, by the word of the same node. */
export interface MinedFacts {
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly blockTime: Date;
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
  /** What the calldata commits that event to. */
  readonly eventDataHash: string | null;
  /** Another block stands where the transaction was seen before. */
  readonly orphaned: boolean;
  /** The sender's mined nonce has passed and a receipt asked for after that was not there; with the hash that took it, if found. */
  readonly replaced: { readonly by: string | null } | null;
}

/** No node said anything. */
export const UNSEEN_SIGHTING: Sighting = {
  sent: null,
  mined: null,
  revertReason: null,
  eventId: null,
  eventDataHash: null,
  orphaned: false,
  replaced: null,
};

/** How far things have come where the sighting was made. */
export interface Horizon {
  readonly at: Date;
  /** Newest block of the node that was asked. */
  readonly nodeHead: number;
  /** Newest block whose effects the projection shows as final: their topics may go out. */
  readonly projectedFinal: number;
  readonly requiredConfirmations: number;
  /** How long a transaction may be unseen. */
  readonly dropAfterMs: number;
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
  blockTime: Date | null;
  gasUsed: string | null;
  effectiveGasPrice: string | null;
  revertReason: string | null;
  replacedBy: string | null;
  eventId: string | null;
  eventDataHash: string | null;
  submittedAt: Date;
  /** First look since it was last seen that did not find it. */
  unseenSince: Date | null;
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

  /**
   * Takes in what a node said. A null answer is no verdict: mining is undone only when its block has left the chain, a
   * replacement needs the sender's nonce, and being dropped takes time.
   */
  seen(sighting: Sighting, horizon: Horizon): void {
    this.lastCheckedAt = horizon.at;
    if (sighting.sent) Object.assign(this, { ...sighting.sent, unseenSince: null });
    if (this.eventId === null) Object.assign(this, { eventId: sighting.eventId, eventDataHash: sighting.eventDataHash });
    if (sighting.mined) this.mined(sighting.mined, sighting.revertReason, horizon);
    else if (!this.isBehind(horizon)) this.notMined(sighting, horizon);
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
    Object.assign(this, { ...facts, revertReason: succeeded ? null : revertReason, replacedBy: null, unseenSince: null });
    const deep = this.confirmations(horizon.nodeHead) >= horizon.requiredConfirmations;
    // Confirmed means that its effects can be read and their topics went first, so the projection must have passed it too.
    if (!deep || (succeeded && horizon.projectedFinal < mined.blockNumber)) return this.become('confirming');
    this.confirmedAt = horizon.at;
    this.become(succeeded ? 'confirmed' : 'failed');
  }

  /** The node has not come to the block in which another saw the transaction: it cannot say that it is not there. */
  private isBehind(horizon: Horizon): boolean {
    return this.blockNumber !== null && horizon.nodeHead < this.blockNumber;
  }

  private notMined({ sent, orphaned, replaced }: Sighting, horizon: Horizon): void {
    if (replaced) {
      Object.assign(this, { ...NOT_MINED, replacedBy: replaced.by ?? this.replacedBy });
      this.become('replaced');
    } else if (this.status === 'confirming' ? orphaned : sent) {
      Object.assign(this, { ...NOT_MINED, replacedBy: null });
      this.become('pending');
    }
    if (!sent) this.unseen(horizon);
  }

  private unseen({ at, dropAfterMs }: Horizon): void {
    this.unseenSince ??= at;
    const waits = this.status === 'submitted' || this.status === 'pending';
    if (waits && at.getTime() - this.unseenSince.getTime() >= dropAfterMs) this.become('dropped');
  }

  private become(status: TrackedStatus): void {
    if (status === this.status) return;
    if (!TRACKED_TRANSITIONS[this.status].includes(status)) throw new IllegalTracking(this.id, this.status, status);
    this.status = status;
  }
}

const UNSEEN = {
  from: null,
  to: null,
  nonce: null,
  eventId: null,
  eventDataHash: null,
  replacedBy: null,
  lastCheckedAt: null,
  unseenSince: null,
};
const NOT_MINED = {
  blockNumber: null,
  blockHash: null,
  blockTime: null,
  gasUsed: null,
  effectiveGasPrice: null,
  revertReason: null,
  confirmedAt: null,
};

export class IllegalTracking extends Error {
  constructor(id: string, from: TrackedStatus, to: TrackedStatus) {
    super(`tracked transaction ${id} cannot go from ${from} to ${to}`);
    this.name = 'IllegalTracking';
  }
}
