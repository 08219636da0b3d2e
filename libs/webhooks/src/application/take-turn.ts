import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { attemptResult } from '../domain/attempt-result.js';
import { REST_MS, Resting } from '../domain/resting.js';
import { AttemptBook, AttemptListener, type Claim, type Settled, WebhookSettings } from '../ports.js';
import type { Attempted } from './attempt-delivery.js';
import { settledBy } from './settled.js';

/** Beyond the time limit of an attempt: for the answer to be written down. */
const LEASE_MARGIN_MS = 5_000;

export interface Turn {
  readonly settled: readonly Settled[];
  /** Their leases and attempt numbers are committed. */
  readonly claims: readonly Claim[];
  /** Another turn would find more. */
  readonly more: boolean;
  /** Set where a subscription was left alone for a moment. */
  readonly againInMs: number | null;
}

/** Writes down what came of attempts and takes the next deliveries, in one transaction: half the commits and exchanges of two. */
@Injectable()
export class TakeTurn {
  private readonly resting = new Resting();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly book: AttemptBook,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
    private readonly listener: AttemptListener,
  ) {}

  /**
   * @param slots how many deliveries may be claimed; none while the process stops
   * @param held attempts under way in this process, tenant by tenant
   */
  async take(attempted: readonly Attempted[], slots: number, held: ReadonlyMap<string, number>): Promise<Turn> {
    const { perSubscription, timeoutMs, pauseAfterMs } = this.settings;
    const settled = attempted.map((each) => settledBy(this.settings, each));
    for (const { delivery, success, endedAt } of settled) this.resting.ended(delivery.subscriptionId, success, endedAt.getTime());
    const resting = this.resting.at(this.clock.now().getTime());
    const limits = { slots, held, perSubscription, leaseMs: timeoutMs + LEASE_MARGIN_MS, resting };
    const { claims, more } = await this.unitOfWork.asSystem(async (tx) => {
      await this.book.settle(tx, settled, pauseAfterMs);
      return this.book.claim(tx, limits, this.clock.now());
    });
    attempted.forEach(({ outcome }, i) => this.listener.settled(attemptResult(outcome), settled[i]!.settlement.status));
    return { settled, claims, more, againInMs: resting.length > 0 ? REST_MS : null };
  }
}
