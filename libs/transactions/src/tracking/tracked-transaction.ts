import type { MinedFacts, Observation } from '../observation/observation.js';
import { nextCheck } from './next-check.js';

export const TRACKED_STATUSES = ['submitted', 'pending', 'confirming', 'confirmed', 'failed', 'replaced', 'dropped'] as const;
export type TrackedStatus = (typeof TRACKED_STATUSES)[number];

/**
 * docs/spec/domain.md#tracked-transactions. Only `confirmed` and `failed` are final: they are N blocks deep. A replaced or dropped
 * transaction can still appear, on another branch or late.
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
/** Polled for a week: they may come back. */
export const REVIVABLE_STATUSES: readonly TrackedStatus[] = ['dropped', 'replaced'];

/** The state of node and index at the moment of an observation. */
export interface PollContext {
  readonly at: Date;
  /** Newest block of the node that answered. */
  readonly nodeHead: number;
  /** Newest final block that is indexed: topics of its effects are released. */
  readonly projectedFinal: number;
  readonly requiredConfirmations: number;
  /** How long a transaction may be unknown to all nodes. */
  readonly dropAfterMs: number;
}

/** A transaction hash that the service watches for a user; also the row of `transactions.tracked`. */
export class TrackedTransaction {
  tenantId: string;
  id: string;
  chainId: number;
  /** Lower-case hex. Empty while a relayed call was not sent yet. */
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
  /** The first poll that did not find it, since it was last found. */
  unseenSince: Date | null;
  /** The last poll that changed something here, or was a minute after the one before. */
  lastCheckedAt: Date | null;
  /** When it is polled again. In the past: with every new head. */
  nextCheckAt: Date;
  confirmedAt: Date | null;
  /** Null for what its signer sent. */
  relayId: string | null;
  callIndex: number | null;
  /** The sponsor, EIP-55. */
  paidBy: string | null;
  /** Id of the passkey. */
  signedBy: string | null;
  /** Anybody may send a relayed batch again until then, so one that reverted is not final before. */
  landsUntil: Date | null;

  /** A call that the sponsor sends: its event and addresses are known, its transaction is not. */
  static relayed(by: Parameters<typeof TrackedTransaction.submitted>[0], tracking: Tracking, call: RelayedCall): TrackedTransaction {
    return Object.assign(TrackedTransaction.submitted(by, { ...tracking, txHash: '' }), call);
  }

  static submitted(
    by: { readonly tenantId: string; readonly kind: 'user' | 'api_key'; readonly id: string },
    tracking: Tracking & { readonly txHash: string },
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
      nextCheckAt: new Date(0),
      status: 'submitted' as const,
      ...UNSEEN,
      ...NOT_MINED,
      ...NOT_RELAYED,
    });
  }

  /**
   * Applies what a node said. A null answer proves nothing: mining is undone only when its block has left the chain, a
   * replacement needs the sender's nonce, and being dropped takes time.
   */
  observe(observation: Observation, context: PollContext): void {
    this.lastCheckedAt = context.at;
    // Of a relayed call, sender and receiver are those of the call, not of the sponsor's transaction around it.
    if (observation.sent) Object.assign(this, { ...(this.relayId === null && observation.sent), unseenSince: null });
    if (this.eventId === null && this.relayId === null)
      Object.assign(this, { eventId: observation.eventId, eventDataHash: observation.eventDataHash });
    if (observation.mined) this.mined(observation.mined, observation.revertReason, context);
    else if (!this.isBehind(context)) this.notMined(observation, context);
    this.nextCheckAt = nextCheck(this, context);
  }

  /** Its own block is the first confirmation. */
  confirmations(head: number): number {
    return this.blockNumber === null ? 0 : Math.max(0, head - this.blockNumber + 1);
  }

  get final(): boolean {
    return TRACKED_TRANSITIONS[this.status].length === 0;
  }

  private mined(mined: MinedFacts, revertReason: string | null, context: PollContext): void {
    const { succeeded, ...facts } = mined;
    // Of a relayed call it is shown before it is final, so there must be one.
    const reason = revertReason ?? (this.relayId === null ? null : UNKNOWN_REASON);
    Object.assign(this, { ...facts, revertReason: succeeded ? null : reason, replacedBy: null, unseenSince: null });
    const deep = this.confirmations(context.nodeHead) >= context.requiredConfirmations;
    // Confirmed means that its effects can be read and their topics were released, so its block must be indexed too.
    if (!deep || (succeeded && context.projectedFinal < mined.blockNumber)) return this.become('confirming');
    if (!succeeded && this.landsUntil && context.at < this.landsUntil) return this.become('confirming');
    this.confirmedAt = context.at;
    this.become(succeeded ? 'confirmed' : 'failed');
  }

  /** The node has not reached the block in which another node saw the transaction, so it cannot deny it. */
  private isBehind(context: PollContext): boolean {
    return this.blockNumber !== null && context.nodeHead < this.blockNumber;
  }

  private notMined({ sent, orphaned, replaced }: Observation, context: PollContext): void {
    // The sponsor knows what became of a nonce of its own.
    if (replaced && this.relayId === null) {
      Object.assign(this, { ...NOT_MINED, replacedBy: replaced.by ?? this.replacedBy });
      this.become('replaced');
    } else if (this.status === 'confirming' ? orphaned : sent) {
      Object.assign(this, { ...NOT_MINED, replacedBy: null });
      this.become('pending');
    }
    if (!sent && this.relayId === null) this.unseen(context);
  }

  private unseen({ at, dropAfterMs }: PollContext): void {
    this.unseenSince ??= at;
    const waits = this.status === 'submitted' || this.status === 'pending';
    if (waits && at.getTime() - this.unseenSince.getTime() >= dropAfterMs) this.become('dropped');
  }

  /** It will not be sent. @param reason a sentence without its stop */
  giveUp(reason: string): void {
    this.revertReason = reason;
    if (!this.final) this.become('dropped');
  }

  private become(status: TrackedStatus): void {
    if (status === this.status) return;
    if (!TRACKED_TRANSITIONS[this.status].includes(status)) throw new IllegalTracking(this.id, this.status, status);
    this.status = status;
  }
}

interface Tracking {
  readonly id: string;
  readonly chainId: number;
  readonly type: string;
  readonly at: Date;
}

/** What is known of a relayed call before it is sent. */
export interface RelayedCall {
  readonly relayId: string;
  readonly callIndex: number;
  readonly paidBy: string;
  readonly signedBy: string;
  readonly landsUntil: Date;
  /** The account, and the contract that it calls; EIP-55. */
  readonly from: string;
  readonly to: string;
  readonly eventId: string | null;
  readonly eventDataHash: string | null;
}

const UNKNOWN_REASON = 'the node could not give the reason';
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
const NOT_RELAYED = { relayId: null, callIndex: null, paidBy: null, signedBy: null, landsUntil: null };
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
