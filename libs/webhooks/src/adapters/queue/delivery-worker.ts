import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { JobQueue } from '#queue';
import { AttemptDelivery, type Attempted } from '../../application/attempt-delivery.js';
import { ClaimDeliveries } from '../../application/claim-deliveries.js';
import { SettleDeliveries } from '../../application/settle-deliveries.js';
import { type Claim, WebhookSettings } from '../../ports.js';
import { WAKE_UP_TOPIC } from './queue-wake-up.js';
import { WakefulLoop } from './wakeful-loop.js';

/**
 * Keeps up to `concurrency` attempts in flight. Outcomes that arrive while others are being written go together in the next
 * write, so the cost per delivery falls as the load rises.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Webhooks');
  private readonly attempts = new Set<Promise<void>>();
  private readonly retryTimers = new Set<NodeJS.Timeout>();
  private readonly outcomes: Attempted[] = [];
  private readonly claiming: WakefulLoop;
  private readonly settling: WakefulLoop;
  private readonly reviving: WakefulLoop;

  constructor(
    private readonly claims: ClaimDeliveries,
    private readonly attemptDelivery: AttemptDelivery,
    private readonly settleDeliveries: SettleDeliveries,
    private readonly settings: WebhookSettings,
    private readonly queue: JobQueue,
  ) {
    const loop = (round: () => Promise<boolean>): WakefulLoop =>
      new WakefulLoop(round, settings.sweepMs, (error) => this.log.warn(`trying again: ${(error as Error).message}`));
    this.claiming = loop(() => this.claim());
    this.settling = loop(() => this.settle());
    this.reviving = loop(() => this.revive());
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const loop of [this.claiming, this.settling, this.reviving]) loop.start();
    await this.queue.consume(WAKE_UP_TOPIC, async () => this.wake());
  }

  wake(): void {
    this.claiming.nudge();
  }

  /** Takes nothing new; what is in flight ends and is written down. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.claiming.stop(), this.reviving.stop()]);
    for (const timer of this.retryTimers) clearTimeout(timer);
    await Promise.all(this.attempts);
    await this.settling.stop();
    if (this.outcomes.length > 0)
      await this.settle().catch((error: unknown) => this.log.error(`outcomes lost, their leases will end: ${(error as Error).message}`));
  }

  private async claim(): Promise<boolean> {
    const free = this.settings.concurrency - this.attempts.size - this.outcomes.length;
    for (const claim of free > 0 ? await this.claims.claim(free) : []) this.start(claim);
    return false;
  }

  private start(claim: Claim): void {
    const attempt = this.attemptDelivery.attempt(claim).then((attempted) => {
      this.attempts.delete(attempt);
      this.outcomes.push(attempted);
      this.settling.nudge();
    });
    this.attempts.add(attempt);
  }

  private async settle(): Promise<boolean> {
    const batch = [...this.outcomes];
    if (batch.length === 0) return false;
    const settled = await this.settleDeliveries.settle(batch);
    this.outcomes.splice(0, batch.length);
    for (const { settlement, endedAt } of settled)
      if (settlement.nextAttemptAt) this.wakeIn(settlement.nextAttemptAt.getTime() - endedAt.getTime());
    this.wake();
    return this.outcomes.length > 0;
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
    const revived = await this.settleDeliveries.revive();
    if (revived > 0) {
      this.log.warn(`${revived} attempts of a worker that is gone are tried again`);
      this.wake();
    }
    return false;
  }
}
