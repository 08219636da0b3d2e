import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { reportOf } from '#kernel';
import { JobQueue } from '#queue';
import { inSpan } from '#tracing';
import { attemptResult } from '../deliveries/delivery.js';
import { WAKE_UP_TOPIC } from '../deliveries/delivery-wake-up.client.js';
import { WebhookSettings } from '../webhooks.settings.js';
import { AttemptDelivery, type Attempted } from './attempt-delivery.js';
import { LeaseDeliveries, ReviveDeliveries } from './lease-deliveries.js';
import type { Lease } from './leases.queries.js';
import { PollingLoop } from './polling-loop.js';

/** Under load an outcome waits so long for others: a transaction for twenty costs about as much as one for a single outcome. */
const GATHER_MS = 5;

/** Keeps up to `concurrency` attempts running. Each poll writes the outcomes of those that ended and fills their slots. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Webhooks');
  /** With the tenant of each. */
  private readonly attempts = new Map<Promise<void>, string>();
  private readonly retryTimers = new Set<NodeJS.Timeout>();
  private readonly outcomes: Attempted[] = [];
  private readonly leasing: PollingLoop;
  private readonly reviving: PollingLoop;
  private poll: Promise<unknown> = Promise.resolve();
  private gathering: NodeJS.Timeout | null = null;
  private again: NodeJS.Timeout | null = null;
  private closing = false;

  constructor(
    private readonly leaseDeliveries: LeaseDeliveries,
    private readonly attemptDelivery: AttemptDelivery,
    private readonly reviveDeliveries: ReviveDeliveries,
    private readonly settings: WebhookSettings,
    private readonly queue: JobQueue,
  ) {
    const loop = (poll: () => Promise<boolean>): PollingLoop =>
      new PollingLoop(poll, settings.pollMs, (error) => this.log.warn(`trying again: ${reportOf(error)}`));
    this.leasing = loop(() => {
      const next = this.next();
      this.poll = next.catch(() => undefined);
      return next;
    });
    this.reviving = loop(() => this.revive());
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const loop of [this.leasing, this.reviving]) loop.start();
    await this.queue.consume(WAKE_UP_TOPIC, async () => this.wake());
  }

  wake(): void {
    this.leasing.wake();
  }

  /** Leases nothing new; running attempts end and their outcomes are written. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.reviving.stop();
    for (const timer of this.retryTimers) clearTimeout(timer);
    await this.poll; // it may bring the last leases
    await Promise.all(this.attempts.keys());
    for (const timer of [this.gathering, this.again]) if (timer) clearTimeout(timer);
    await this.leasing.stop();
    await this.next().catch((error: unknown) => this.log.error(`outcomes lost, their leases will end: ${(error as Error).message}`));
  }

  /** Whether another poll would find more. */
  private async next(): Promise<boolean> {
    const batch = [...this.outcomes];
    const free = this.closing ? 0 : this.settings.concurrency - this.attempts.size;
    if (batch.length === 0 && free < 1) return false;
    const { settled, leases, more, againInMs } = await this.leaseDeliveries.settleAndLease(batch, free, this.heldByTenant());
    this.outcomes.splice(0, batch.length);
    for (const lease of leases) this.start(lease);
    if (againInMs !== null) this.pollAgainIn(againInMs);
    for (const { settlement, endedAt } of settled)
      if (settlement.nextAttemptAt) this.wakeIn(settlement.nextAttemptAt.getTime() - endedAt.getTime());
    return more;
  }

  private start(lease: Lease): void {
    const attempt = this.attempt(lease).then((attempted) => {
      this.attempts.delete(attempt);
      this.outcomes.push(attempted);
      this.gather();
    });
    this.attempts.set(attempt, lease.tenantId);
  }

  /** A child of the span in which the message was published; without one the attempt has no span either. */
  private attempt(lease: Lease): Promise<Attempted> {
    if (!lease.traceparent) return this.attemptDelivery.attempt(lease);
    const { traceparent: parent, event, tenantId, id, subscriptionId, attempt, resends } = lease;
    const facts = {
      'messaging.destination.name': event,
      'traceability.tenant.id': tenantId,
      'traceability.delivery.id': id,
      'traceability.subscription.id': subscriptionId,
      'traceability.delivery.attempt': attempt + resends,
    };
    return inSpan(`deliver ${event}`, { kind: 'consumer', parent, facts }, async (span) => {
      const attempted = await this.attemptDelivery.attempt(lease);
      const result = attemptResult(attempted.outcome);
      span?.add({ 'traceability.delivery.outcome': result });
      if (result !== 'success') span?.fail({ code: result });
      return attempted;
    });
  }

  private heldByTenant(): ReadonlyMap<string, number> {
    const held = new Map<string, number>();
    for (const tenantId of this.attempts.values()) held.set(tenantId, (held.get(tenantId) ?? 0) + 1);
    return held;
  }

  /** At once when no other attempt is running or enough outcomes have come, else together with those that come within a moment. */
  private gather(): void {
    if (this.attempts.size === 0 || this.outcomes.length >= this.settings.concurrency / 4) return this.wake();
    this.gathering ??= setTimeout(() => {
      this.gathering = null;
      this.wake();
    }, GATHER_MS);
  }

  /** One timer for all skipped subscriptions. */
  private pollAgainIn(ms: number): void {
    this.again ??= setTimeout(() => {
      this.again = null;
      this.wake();
    }, ms);
  }

  /** Longer waits are found by the next poll. */
  private wakeIn(ms: number): void {
    if (ms >= this.settings.pollMs) return;
    const timer = setTimeout(() => {
      this.retryTimers.delete(timer);
      this.wake();
    }, ms + 1);
    this.retryTimers.add(timer);
  }

  private async revive(): Promise<boolean> {
    const revived = await this.reviveDeliveries.revive();
    if (revived > 0) {
      this.log.warn(`${revived} attempts of a worker that died are tried again`);
      this.wake();
    }
    return false;
  }
}
