import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AttemptBook, type Claim, WebhookSettings } from '../ports.js';

/** Beyond the time limit of an attempt: for the answer to be written down. */
const LEASE_MARGIN_MS = 5_000;

/** Takes due deliveries for this process; lease and attempt number are committed when it returns. */
@Injectable()
export class ClaimDeliveries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly book: AttemptBook,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
  ) {}

  claim(slots: number): Promise<readonly Claim[]> {
    const { perSubscription, timeoutMs } = this.settings;
    const limits = { slots, perSubscription, leaseMs: timeoutMs + LEASE_MARGIN_MS };
    return this.unitOfWork.asSystem((tx) => this.book.claim(tx, limits, this.clock.now()));
  }
}
