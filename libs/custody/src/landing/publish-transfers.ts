import type { Tenants } from '#identity';
import type { MessageFacts, TopicMessage } from '#kernel';
import type { TenantTx } from '#persistence';
import type { Lots } from '#traceability';
import {
  type CustodyOffered,
  type CustodyRejected,
  type CustodyTransferred,
  custodyOffered,
  custodyRejected,
  custodyTransferred,
} from '../topics.js';
import type { Transfer, Transition } from '../transfers/transfer.js';

/** What a batch of blocks did to transfers, each as it is after the batch. */
interface ChangedTransfers {
  readonly offered: readonly Transfer[];
  readonly closed: readonly Transfer[];
}

/** Publishes offers, rejections and completed transfers in the order of their logs, a message for each lot. */
export async function publishTransfers(
  tx: TenantTx,
  { lots, tenants }: { readonly lots: Lots; readonly tenants: Tenants },
  { offered, closed }: ChangedTransfers,
): Promise<void> {
  const ended = closed.filter(({ completed, status }) => completed || status === 'rejected');
  if (offered.length + ended.length === 0) return;
  const { slug } = await tenants.byId(tx.tenantId);
  const facts = await lots.byTokenIds(tx, [...new Set([...offered, ...ended].map(({ tokenId }) => tokenId))]);
  const tlcs = new Map(facts.map((lot) => [lot.tokenId, lot.tlc]));
  const messages = [
    ...offered.map((transfer) => ({ at: transfer.offered!, message: offeredMessage(transfer, slug, tlcs) })),
    ...ended.map((transfer) => ({ at: transfer.closed!, message: endedMessage(transfer, slug, tlcs) })),
  ];
  await tx.publish(messages.toSorted((a, b) => a.at.block - b.at.block || a.at.logIndex - b.at.logIndex).map(({ message }) => message));
}

type Tlcs = ReadonlyMap<bigint, string>;

const offeredMessage = (transfer: Transfer, slug: string, tlcs: Tlcs): TopicMessage =>
  custodyOffered(
    custodyOfferedPayload(transfer, slug, tlcs.get(transfer.tokenId) ?? null),
    factsOf('custody.offered', transfer, transfer.offered!),
  );

function endedMessage(transfer: Transfer, slug: string, tlcs: Tlcs): TopicMessage {
  const tlc = tlcs.get(transfer.tokenId) ?? null;
  return transfer.completed
    ? custodyTransferred(custodyTransferredPayload(transfer, slug, tlc), factsOf('custody.transferred', transfer, transfer.closed!))
    : custodyRejected(custodyRejectedPayload(transfer, slug, tlc), factsOf('custody.rejected', transfer, transfer.closed!));
}

const factsOf = (topic: string, transfer: Transfer, at: Transition): MessageFacts => ({
  key: transferKey(topic, transfer, at),
  occurredAt: at.at,
  block: { chainId: transfer.chainId, number: at.block },
});

/** The same fact has the same key wherever a reorg lands its transaction. */
const transferKey = (topic: string, transfer: Transfer, at: Transition): string =>
  [topic, transfer.chainId, at.txHash, at.txLogIndex, transfer.tokenId].join(':');

export const transferredKey = (transfer: Transfer): string => transferKey('custody.transferred', transfer, transfer.closed!);

/** What every topic of a transfer says. @param at the offer, or what ended it */
const movingFacts = (transfer: Transfer, tenantSlug: string, tlc: string | null, at: Transition) => ({
  tenantId: tenantSlug,
  chainId: transfer.chainId,
  contractAddress: transfer.contract,
  txHash: at.txHash,
  blockNumber: at.block,
  occurredAt: at.at.toISOString(),
  transferId: transfer.id,
  tokenId: Number(transfer.tokenId),
  tlc,
  from: at.from,
  to: at.to,
  viaContainerTokenId: transfer.viaContainerTokenId === null ? null : Number(transfer.viaContainerTokenId),
});

function custodyOfferedPayload(transfer: Transfer, tenantSlug: string, tlc: string | null): CustodyOffered {
  const offer = transfer.offered!;
  return {
    ...movingFacts(transfer, tenantSlug, tlc, offer),
    eventId: offer.eventId,
  };
}

function custodyRejectedPayload(transfer: Transfer, tenantSlug: string, tlc: string | null): CustodyRejected {
  const end = transfer.closed!;
  return {
    ...movingFacts(transfer, tenantSlug, tlc, end),
    offeredAt: transfer.offered!.at.toISOString(),
    reason: transfer.left?.reason ?? null,
    pendingSeconds: transfer.pendingSeconds!,
  };
}

export function custodyTransferredPayload(transfer: Transfer, tenantSlug: string, tlc: string | null): CustodyTransferred {
  const end = transfer.closed!;
  return {
    ...movingFacts(transfer, tenantSlug, tlc, end),
    offeredAt: transfer.offered?.at.toISOString() ?? null,
    acceptedAt: end.at.toISOString(),
    eventId: transfer.eventId,
    pendingSeconds: transfer.pendingSeconds,
  };
}
