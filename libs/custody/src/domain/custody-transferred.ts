import type { ChainFacts } from '#kernel';
import type { Transfer } from './transfer.js';

/** `data` of the topic `custody.transferred` (domain-decisions §5): one per lot, on acceptance and for direct moves. */
export interface CustodyTransferred extends ChainFacts {
  readonly transferId: string;
  readonly tokenId: number;
  /** The code, or its hash while the text is unknown. */
  readonly tlc: string | null;
  readonly from: string;
  readonly to: string;
  /** Null for a direct move. */
  readonly offeredAt: string | null;
  readonly acceptedAt: string;
  readonly viaContainerTokenId: number | null;
  readonly eventId: string | null;
  readonly pendingSeconds: number | null;
}

export function custodyTransferred(transfer: Transfer, tenantSlug: string, tlc: string | null): CustodyTransferred {
  const end = transfer.closed!;
  return {
    tenantId: tenantSlug,
    chainId: transfer.chainId,
    contractAddress: transfer.contract,
    txHash: end.txHash,
    blockNumber: end.block,
    occurredAt: end.at.toISOString(),
    transferId: transfer.id,
    tokenId: Number(transfer.tokenId),
    tlc,
    from: end.from,
    to: end.to,
    offeredAt: transfer.offered?.at.toISOString() ?? null,
    acceptedAt: end.at.toISOString(),
    viaContainerTokenId: transfer.viaContainerTokenId === null ? null : Number(transfer.viaContainerTokenId),
    eventId: transfer.eventId,
    pendingSeconds: transfer.pendingSeconds,
  };
}

/** The same fact has the same key wherever a reorg lands its transaction. */
export const transferredKey = (transfer: Transfer): string =>
  ['custody.transferred', transfer.chainId, transfer.closed!.txHash, transfer.closed!.txLogIndex, transfer.tokenId].join(':');
