import { Tenants } from '#identity';
import type { TopicMessage } from '#kernel';
import type { TenantTx } from '#persistence';
import { EventTracking, type SentStatus } from '#traceability';
import { Injectable } from '@nestjs/common';
import { EffectQueries, type Effects, NO_EFFECTS } from '../effects/effects.queries.js';
import { transactionConfirmed, transactionFailed } from '../topics.js';
import type { PollContext, TrackedStatus, TrackedTransaction } from '../tracking/tracked-transaction.js';

/** The status that a transaction gives its prepared event. The log of a confirmed one records it. */
const EVENT_STATUS: Readonly<Record<TrackedStatus, SentStatus | null>> = {
  submitted: 'submitted',
  pending: 'submitted',
  confirming: 'submitted',
  confirmed: null,
  failed: 'failed',
  replaced: 'failed',
  dropped: 'prepared',
};

const NOT_LANDED: ReadonlySet<TrackedStatus> = new Set(['failed', 'replaced', 'dropped']);

/** Updates the events that transactions carry and publishes final transactions, in the transaction that stores their new states. */
@Injectable()
export class PublishOutcome {
  constructor(
    private readonly events: EventTracking,
    private readonly effects: EffectQueries,
    private readonly tenants: Tenants,
  ) {}

  async publish(tx: TenantTx, changed: readonly TrackedTransaction[], { at, nodeHead }: PollContext): Promise<void> {
    if (changed.length === 0) return;
    const { slug, contract } = await this.tenants.byId(tx.tenantId);
    // A call of another contract, or with other content, does not concern the prepared event.
    const carrying = changed.flatMap((tracked) => {
      const { eventId, eventDataHash: dataHash, from } = tracked;
      return eventId && dataHash && from && tracked.to === contract ? [{ tracked, eventId, dataHash, from }] : [];
    });
    const sent = carrying.flatMap(({ tracked, ...of }) => {
      const status = EVENT_STATUS[tracked.status];
      return status ? [{ ...of, status }] : [];
    });
    await this.events.follow(tx, sent, at);
    const relayed = carrying.flatMap(({ tracked: { signedBy, paidBy, status }, ...of }) =>
      signedBy === null ? [] : [{ ...of, signedBy, paidBy: NOT_LANDED.has(status) ? null : paidBy }],
    );
    if (relayed.length > 0) await this.events.relay(tx, relayed, at);
    const final = changed.filter((tracked) => tracked.final).toSorted(byPlace);
    const effects = await this.effects.of(
      tx,
      final.map(({ txHash }) => txHash),
    );
    await tx.publish(final.map((tracked) => transactionTopic(slug, tracked, effects.get(tracked.txHash) ?? NO_EFFECTS, nodeHead)));
  }
}

const byPlace = (a: TrackedTransaction, b: TrackedTransaction): number =>
  a.blockNumber! - b.blockNumber! || (a.nonce ?? 0) - (b.nonce ?? 0);

/**
 * `transaction.confirmed` or `transaction.failed` (docs/spec/domain.md#webhook-data), for a transaction that became final. It is not bound to
 * a block: the topics of its effects were released before.
 */
function transactionTopic(tenantSlug: string, tracked: TrackedTransaction, effects: Effects, head: number): TopicMessage {
  const topic = tracked.status === 'failed' ? transactionFailed : transactionConfirmed;
  const { chainId, txHash, to, blockNumber, id, type, status, from, revertReason, callIndex } = tracked;
  return topic(
    {
      tenantId: tenantSlug,
      chainId,
      contractAddress: to,
      txHash,
      blockNumber: blockNumber!,
      occurredAt: tracked.blockTime!.toISOString(),
      trackingId: id,
      type,
      status,
      from,
      confirmations: tracked.confirmations(head),
      revertReason,
      effects,
    },
    // The calls of one batch are in one transaction.
    { key: [topic.topic, chainId, txHash, ...(callIndex ? [callIndex] : [])].join(':'), occurredAt: tracked.blockTime! },
  );
}
