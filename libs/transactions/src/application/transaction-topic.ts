import type { OutboxMessage } from '#persistence';
import type { Effects } from '../domain/effects.js';
import type { TrackedTransaction } from '../domain/tracked-transaction.js';

/**
 * `transaction.confirmed` or `transaction.failed` of domain-decisions §5, for one that just became final. It waits for no block:
 * the effects' topics were released before, so it comes after them.
 */
export function transactionTopic(tenantSlug: string, tracked: TrackedTransaction, effects: Effects, head: number): OutboxMessage {
  const topic = tracked.status === 'failed' ? 'transaction.failed' : 'transaction.confirmed';
  const { chainId, txHash, to, blockNumber, id, type, status, from, revertReason } = tracked;
  return {
    topic,
    key: [topic, chainId, txHash].join(':'),
    occurredAt: tracked.blockTime!,
    data: {
      tenantId: tenantSlug,
      chainId,
      contractAddress: to,
      txHash,
      blockNumber,
      occurredAt: tracked.blockTime!.toISOString(),
      trackingId: id,
      type,
      status,
      from,
      confirmations: tracked.confirmations(head),
      revertReason,
      effects,
    },
  };
}
