import { type Hex, derivedId } from '#kernel';
import type { ShortReason } from './custody-request.rules.js';
import type { HandOver } from './hand-over.js';

export const TRANSFER_STATUSES = ['pending', 'accepted', 'rejected', 'cancelled', 'direct'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];
export type Closing = 'accepted' | 'rejected' | 'cancelled';

/** What may follow what. A direct ERC-721 transfer is complete at once. */
export const TRANSFER_TRANSITIONS: Readonly<Record<TransferStatus, readonly TransferStatus[]>> = {
  pending: ['accepted', 'rejected', 'cancelled'],
  accepted: [],
  rejected: [],
  cancelled: [],
  direct: [],
};

/** A transition of a transfer, as the chain recorded it. */
export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
  readonly logIndex: number;
  /** Among the logs of its transaction; survives a reorg. */
  readonly txLogIndex: number;
  /** UUID of the event that the call recorded. */
  readonly eventId: string | null;
  /** Hash of what is stored with the call: a note, or the content of its event; null without one. */
  readonly note: Hex | null;
  /** What the note says; null where it says nothing. */
  readonly handOver: HandOver | null;
}

/** Which lot moves, under which offer, and inside what. */
export interface Moving {
  readonly chainId: number;
  readonly contract: string;
  readonly tokenId: bigint;
  /** The lot that the call named: the lot itself, or its outermost container. */
  readonly namedTokenId: bigint;
  /** The container it is directly inside while it moves; null when the call names the lot itself. */
  readonly viaContainerTokenId: bigint | null;
}

/** The transfer of one lot from one custodian to another; also the row of `custody.transfer`. */
export class Transfer {
  tenantId: string;
  /** `<tokenId>-<offerNo>`; derived from the chain's coordinates for a direct move. */
  id: string;
  chainId: number;
  contract: string;
  tokenId: bigint;
  namedTokenId: bigint;
  viaContainerTokenId: bigint | null;
  offerNo: bigint | null;
  status: TransferStatus;
  /** Of what the receiver left of an offered lot: a lot of its own since this block. */
  left: { readonly block: number; readonly reason: ShortReason } | null;
  offered: Transition | null;
  /** Acceptance, rejection, cancellation or the direct move. Its `from` and `to` are the current ones: a wallet may have been replaced since the offer. */
  closed: Transition | null;

  static offered(tenantId: string, moving: Moving, offerNo: bigint, transition: Transition): Transfer {
    const id = `${moving.tokenId}-${offerNo}`;
    return Object.assign(new Transfer(), {
      ...moving,
      tenantId,
      id,
      offerNo,
      status: 'pending' as const,
      left: null,
      offered: transition,
      closed: null,
    });
  }

  static direct(tenantId: string, moving: Moving, transition: Transition): Transfer {
    const id = derivedId('transfer', moving.chainId, moving.contract, transition.txHash, transition.txLogIndex, moving.tokenId);
    return Object.assign(new Transfer(), {
      ...moving,
      tenantId,
      id,
      offerNo: null,
      status: 'direct' as const,
      left: null,
      offered: null,
      closed: transition,
    });
  }

  /** Of a part that was split from this lot while it was offered: offered with it. */
  split(tokenId: bigint, block: number, reason: ShortReason): Transfer {
    return Object.assign(new Transfer(), this, {
      id: `${tokenId}-${this.offerNo}`,
      tokenId,
      namedTokenId: tokenId,
      left: { block, reason },
    });
  }

  close(status: Closing, transition: Transition): void {
    if (!TRANSFER_TRANSITIONS[this.status].includes(status)) throw new IllegalTransfer(this.id, this.status, status);
    this.status = status;
    this.closed = transition;
  }

  get completed(): boolean {
    return this.status === 'accepted' || this.status === 'direct';
  }

  /** The receiving event, or the shipping event where none was recorded on acceptance. */
  get eventId(): string | null {
    return this.closed?.eventId ?? this.offered?.eventId ?? null;
  }

  /** When and where the goods changed hands, as the note of its end says, otherwise that of the offer; a receiving event says it itself. */
  get handOver(): HandOver | null {
    return this.closed?.eventId ? null : (this.closed?.handOver ?? this.offered?.handOver ?? null);
  }

  /** From the offer to its end; a direct move never waits. Null while the offer is open. */
  get pendingSeconds(): number | null {
    if (this.closed === null) return null;
    return this.offered === null ? 0 : Math.round((this.closed.at.getTime() - this.offered.at.getTime()) / 1000);
  }
}

/** The chain cannot do this: a log was lost or applied twice, so indexing must stop. */
export class IllegalTransfer extends Error {
  constructor(id: string, from: TransferStatus, to: TransferStatus) {
    super(`transfer ${id} cannot go from ${from} to ${to}`);
    this.name = 'IllegalTransfer';
  }
}
