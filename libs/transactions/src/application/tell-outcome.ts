import { Tenants } from '#identity';
import type { TenantTx } from '#persistence';
import { EventTracking, type SentEventStatus } from '#traceability';
import { Injectable } from '@nestjs/common';
import { NO_EFFECTS } from '../domain/effects.js';
import type { Horizon, TrackedStatus, TrackedTransaction } from '../domain/tracked-transaction.js';
import { LandedEffects } from '../ports.js';
import { transactionTopic } from './transaction-topic.js';

/** What its transaction makes of a prepared event. A confirmed one is recorded by its log. */
const EVENT_STATUS: Readonly<Record<TrackedStatus, SentEventStatus | null>> = {
  submitted: 'submitted',
  pending: 'submitted',
  confirming: 'submitted',
  confirmed: null,
  failed: 'failed',
  replaced: 'failed',
  dropped: 'prepared',
};

/** Tells the events that transactions carry, and the outbox, in the transaction that wrote their new states down. */
@Injectable()
export class TellOutcome {
  constructor(
    private readonly events: EventTracking,
    private readonly effects: LandedEffects,
    private readonly tenants: Tenants,
  ) {}

  async tell(tx: TenantTx, moved: readonly TrackedTransaction[], { at, nodeHead }: Horizon): Promise<void> {
    if (moved.length === 0) return;
    const { slug, contract } = await this.tenants.byId(tx.tenantId);
    const sent = moved.flatMap((tracked) => {
      const { eventId, eventDataHash: dataHash, from } = tracked;
      const status = EVENT_STATUS[tracked.status];
      // A call of another contract, or of other content, says nothing about our event.
      return eventId && dataHash && from && status && tracked.to === contract ? [{ eventId, dataHash, from, status }] : [];
    });
    await this.events.follow(tx, sent, at);
    const final = moved.filter((tracked) => tracked.final).toSorted(byPlace);
    const effects = await this.effects.of(
      tx,
      final.map(({ txHash }) => txHash),
    );
    await tx.publish(final.map((tracked) => transactionTopic(slug, tracked, effects.get(tracked.txHash) ?? NO_EFFECTS, nodeHead)));
  }
}

const byPlace = (a: TrackedTransaction, b: TrackedTransaction): number =>
  a.blockNumber! - b.blockNumber! || (a.nonce ?? 0) - (b.nonce ?? 0);
