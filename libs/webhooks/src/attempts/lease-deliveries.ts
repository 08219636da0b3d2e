import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { Attempted } from './attempt-delivery.js';
import { interruptedAttempts, type Lease, leaseDue, settleAttempts, type Settled } from './leases.queries.js';
import { AttemptListener, attemptResult, isSuccess, settle } from '../deliveries/delivery.js';
import { WebhookSettings } from '../webhooks.settings.js';

/** Beyond the time limit of an attempt: for writing its outcome. */
const LEASE_MARGIN_MS = 5_000;

interface SettledAndLeased {
  readonly settled: readonly Settled[];
  /** Their leases and attempt numbers are committed. */
  readonly leases: readonly Lease[];
  /** Another call would find more. */
  readonly more: boolean;
  /** Set where a subscription was skipped for a moment. */
  readonly againInMs: number | null;
}

/** Writes the outcomes of attempts and leases the next deliveries, in one transaction: half the commits and round trips of two. */
@Injectable()
export class LeaseDeliveries {
  private readonly breaker = new CircuitBreaker();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
    private readonly listener: AttemptListener,
  ) {}

  /**
   * @param slots how many deliveries may be leased; none while the process stops
   * @param held attempts in this process, by tenant
   */
  async settleAndLease(attempted: readonly Attempted[], slots: number, held: ReadonlyMap<string, number>): Promise<SettledAndLeased> {
    const { perSubscription, timeoutMs, pauseAfterMs } = this.settings;
    const settled = attempted.map((each) => settledBy(this.settings, each));
    for (const { delivery, success, endedAt } of settled) this.breaker.record(delivery.subscriptionId, success, endedAt.getTime());
    const skipped = this.breaker.open(this.clock.now().getTime());
    const limits = { slots, held, perSubscription, leaseMs: timeoutMs + LEASE_MARGIN_MS, skipped };
    const { leases, more } = await this.unitOfWork.asSystem(async (tx) => {
      const settling = settleAttempts(tx, settled, pauseAfterMs);
      // A failure locks its subscription, which must not wait for another worker while this one has locked others.
      if (!settled.every(({ success }) => success)) await settling;
      const [leased] = await Promise.all([leaseDue(tx, limits, this.clock.now()), settling]);
      return leased;
    });
    attempted.forEach(({ outcome }, i) => this.listener.settled(attemptResult(outcome), settled[i]!.settlement.status));
    return { settled, leases, more, againInMs: skipped.length > 0 ? OPEN_MS : null };
  }
}

/** The state of a delivery after an attempt, by this operator's schedule and with jitter of its own. */
function settledBy({ retry }: Pick<WebhookSettings, 'retry'>, { delivery, outcome, endedAt }: Attempted): Settled {
  return { delivery, settlement: settle(delivery, outcome, retry, endedAt, Math.random()), endedAt, success: isSuccess(outcome) };
}

/** A receiver that has failed for so long is not only busy. */
const DEAD_AFTER_MS = 10_000;
/** How long the circuit of a dead receiver stays open after each attempt: its thousands of retries must not keep the workers from others. */
export const OPEN_MS = 100;
/** Failing subscriptions that a process remembers; beyond them it starts over. */
const MAX_REMEMBERED = 10_000;

/** Subscriptions that this process skips for a moment, because they have answered it with nothing but failures for a while. */
export class CircuitBreaker {
  private readonly failingSince = new Map<string, number>();
  private readonly openUntil = new Map<string, number>();

  /** @param now in milliseconds */
  record(subscriptionId: string, success: boolean, now: number): void {
    if (success) {
      this.failingSince.delete(subscriptionId);
      this.openUntil.delete(subscriptionId);
      return;
    }
    const since = this.failingSince.get(subscriptionId);
    if (since === undefined) this.remember(subscriptionId, now);
    else if (now - since >= DEAD_AFTER_MS) this.openUntil.set(subscriptionId, now + OPEN_MS);
  }

  /** Subscriptions whose circuit is open. */
  open(now: number): readonly string[] {
    for (const [id, until] of this.openUntil) if (until <= now) this.openUntil.delete(id);
    return [...this.openUntil.keys()];
  }

  private remember(subscriptionId: string, now: number): void {
    if (this.failingSince.size >= MAX_REMEMBERED) this.failingSince.clear();
    this.failingSince.set(subscriptionId, now);
  }
}

/** Revived in one transaction. */
const BATCH = 500;

/** Attempts whose worker died: their outcome is unknown, so they are tried again. */
@Injectable()
export class ReviveDeliveries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
    private readonly listener: AttemptListener,
  ) {}

  /** @returns how many */
  async revive(): Promise<number> {
    const revived = await this.unitOfWork.asSystem(async (tx) => {
      const endedAt = this.clock.now();
      const lost = await interruptedAttempts(tx, BATCH, endedAt);
      const settled = lost.map((delivery) => settledBy(this.settings, { delivery, outcome: { kind: 'interrupted' }, endedAt }));
      await settleAttempts(tx, settled, this.settings.pauseAfterMs);
      return settled;
    });
    for (const { settlement } of revived) this.listener.settled('interrupted', settlement.status);
    return revived.length;
  }
}
