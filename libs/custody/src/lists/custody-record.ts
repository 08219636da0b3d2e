import { ZERO_ADDRESS } from '#kernel';
import type { ShortReason } from '../transfers/custody-request.rules.js';
import type { HandOver } from '../transfers/hand-over.js';
import type { Transfer, TransferStatus } from '../transfers/transfer.js';

/** The first entry of a lot's history. */
interface Minting {
  readonly tokenId: bigint;
  readonly custodian: string;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
  readonly eventId: string;
}

/** One line of a lot's custody history (docs/spec/domain.md#custody). */
export interface CustodyRecord {
  /** Null for the mint. */
  readonly transferId: string | null;
  readonly tokenId: bigint;
  readonly status: TransferStatus | 'mint';
  readonly from: string;
  readonly to: string;
  readonly offeredAt: Date | null;
  readonly acceptedAt: Date | null;
  /** End of an offer that was not accepted. */
  readonly closedAt: Date | null;
  /** When custody changed; otherwise the end of the offer, or the offer. */
  readonly timestamp: Date;
  /** From the offer to its end; null while it is open. */
  readonly durationSeconds: number | null;
  readonly viaContainerTokenId: bigint | null;
  readonly eventId: string | null;
  /** As the note of its end says, otherwise that of the offer; null where neither does. */
  readonly handOver: HandOver | null;
  /** Of a part that the receiver left. */
  readonly reason: ShortReason | null;
  /** Of the offer, or of the direct move or mint. */
  readonly txHash: string;
  readonly acceptTxHash: string | null;
  /** Of the transition at `timestamp`. */
  readonly lastTxHash: string;
  /** Of the transition at `timestamp`. */
  readonly blockNumber: number;
}

export const mintRecord = ({ tokenId, custodian, at, block, txHash, eventId }: Minting): CustodyRecord => ({
  transferId: null,
  tokenId,
  status: 'mint',
  from: ZERO_ADDRESS,
  to: custodian,
  offeredAt: null,
  acceptedAt: at,
  closedAt: null,
  timestamp: at,
  durationSeconds: 0,
  viaContainerTokenId: null,
  eventId,
  handOver: null,
  reason: null,
  txHash,
  acceptTxHash: null,
  lastTxHash: txHash,
  blockNumber: block,
});

export function transferRecord(transfer: Transfer): CustodyRecord {
  const { offered, closed } = transfer;
  const last = closed ?? offered!;
  return {
    transferId: transfer.id,
    tokenId: transfer.tokenId,
    status: transfer.status,
    from: last.from,
    to: last.to,
    offeredAt: offered?.at ?? null,
    acceptedAt: transfer.completed ? last.at : null,
    closedAt: closed && !transfer.completed ? closed.at : null,
    timestamp: last.at,
    durationSeconds: transfer.pendingSeconds,
    viaContainerTokenId: transfer.viaContainerTokenId,
    eventId: transfer.eventId,
    handOver: transfer.handOver,
    reason: transfer.left?.reason ?? null,
    txHash: (offered ?? last).txHash,
    acceptTxHash: transfer.status === 'accepted' ? last.txHash : null,
    lastTxHash: last.txHash,
    blockNumber: last.block,
  };
}
