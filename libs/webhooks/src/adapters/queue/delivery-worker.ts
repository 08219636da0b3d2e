import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { JobQueue } from '#queue';
import { inSpan } from '#tracing';
import { AttemptDelivery, type Attempted } from '../../application/attempt-delivery.js';
import { ReviveDeliveries } from '../../application/revive-deliveries.js';
import { TakeTurn } from '../../application/take-turn.js';
import { attemptResult } from '../../domain/attempt-result.js';
import { type Claim, WebhookSettings } from '../../ports.js';
import { WAKE_UP_TOPIC } from './queue-wake-up.js';
import { WakefulLoop } from './wakeful-loop.js';

/** Under load an outcome waits so long for others: a transaction costs about the same for one and for twenty. */
const GATHER_MS = 5;

/** Keeps up to `concurrency` attempts in flight. Each turn writes down those that ended and fills their places. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Webhooks');
  /** With the tenant of each. */
  private readonly attempts = new Map<Promise<void>, string>();
  private readonly retryTimers = new Set<NodeJS.Timeout>();
  private readonly outcomes: Attempted[] = [];
  private readonly turning: WakefulLoop;
  private readonly reviving: WakefulLoop;
  private turnUnderWay: Promise<unknown> = Promise.resolve();
  private gathering: NodeJS.Timeout | null = null;
  private again: NodeJS.Timeout | null = null;
  private closing = false;

  constructor(
    private readonly turns: TakeTurn,
    private readonly attemptDelivery: AttemptDelivery,
    private readonly reviveDeliveries: ReviveDeliveries,
    private readonly settings: WebhookSettings,
    private readonly queue: JobQueue,
  ) {
    const loop = (round: () => Promise<boolean>): WakefulLoop =>
      new WakefulLoop(round, settings.sweepMs, (error) => this.log.warn(`trying again: ${(error as Error).message}`));
    this.turning = loop(() => {
      const turn = this.turn();
      this.turnUnderWay = turn.catch(() => undefined);
      return turn;
    });
    this.reviving = loop(() => this.revive());
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const loop of [this.turning, this.reviving]) loop.start();
    await this.queue.consume(WAKE_UP_TOPIC, async () => this.wake());
  }

  wake(): void {
    this.turning.nudge();
  }

  /** Takes nothing new; what is in flight ends and is written down. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.reviving.stop();
    for (const timer of this.retryTimers) clearTimeout(timer);
    await this.turnUnderWay; // it may bring the last claims
    await Promise.all(this.attempts.keys());
    for (const timer of [this.gathering, this.again]) if (timer) clearTimeout(timer);
    await this.turning.stop();
    await this.turn().catch((error: unknown) => this.log.error(`outcomes lost, their leases will end: ${(error as Error).message}`));
  }

  /** Whether another turn would find more. */
  private async turn(): Promise<boolean> {
    const batch = [...this.outcomes];
    const free = this.closing ? 0 : this.settings.concurrency - this.attempts.size;
    if (batch.length === 0 && free < 1) return false;
    const { settled, claims, more, againInMs } = await this.turns.take(batch, free, this.heldByTenant());
    this.outcomes.splice(0, batch.length);
    for (const claim of claims) this.start(claim);
    if (againInMs !== null) this.lookAgain(againInMs);
    for (const { settlement, endedAt } of settled)
      if (settlement.nextAttemptAt) this.wakeIn(settlement.nextAttemptAt.getTime() - endedAt.getTime());
    return more;
  }

  private start(claim: Claim): void {
    const attempt = this.attempt(claim).then((attempted) => {
      this.attempts.delete(attempt);
      this.outcomes.push(attempted);
      this.gather();
    });
    this.attempts.set(attempt, claim.tenantId);
  }

  /** In the trace of what it tells of; one that is recorded nowhere is none of its own either. */
  private attempt(claim: Claim): Promise<Attempted> {
    if (!claim.traceparent) return this.attemptDelivery.attempt(claim);
    const { traceparent: parent, event, tenantId, id, subscriptionId, attempt, resends } = claim;
    const facts = {
      'messaging.destination.name': event,
      'traceability.tenant.id': tenantId,
      'traceability.delivery.id': id,
      'traceability.subscription.id': subscriptionId,
      'traceability.delivery.attempt': attempt + resends,
    };
    return inSpan(`deliver ${event}`, { kind: 'consumer', parent, facts }, async (span) => {
      const attempted = await this.attemptDelivery.attempt(claim);
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

  /** At once when nobody else is on the way or enough have come, else together with those that come within a moment. */
  private gather(): void {
    if (this.attempts.size === 0 || this.outcomes.length >= this.settings.concurrency / 4) return this.wake();
    this.gathering ??= setTimeout(() => {
      this.gathering = null;
      this.wake();
    }, GATHER_MS);
  }

  /** For those that rest: one timer for all of them. */
  private lookAgain(ms: number): void {
    this.again ??= setTimeout(() => {
      this.again = null;
      this.wake();
    }, ms);
  }

  /** Waits longer than a sweep are found by the sweep. */
  private wakeIn(ms: number): void {
    if (ms >= this.settings.sweepMs) return;
    const timer = setTimeout(() => {
      this.retryTimers.delete(timer);
      this.wake();
    }, ms + 1);
    this.retryTimers.add(timer);
  }

  private async revive(): Promise<boolean> {
    const revived = await this.reviveDeliveries.revive();
    if (revived > 0) {
      this.log.warn(`${revived} attempts of a worker that is gone are tried again`);
      this.wake();
    }
    return false;
  }
}
