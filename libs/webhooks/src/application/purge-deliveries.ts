import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AttemptBook, WebhookSettings } from '../ports.js';

const BATCH = 1_000;

/** Nothing grows without a retention rule (architecture §7). */
@Injectable()
export class PurgeDeliveries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly book: AttemptBook,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
  ) {}

  /** One batch, so that a process that ends waits for no more. @returns whether there is another */
  async purge(): Promise<boolean> {
    const before = new Date(this.clock.now().getTime() - this.settings.retentionMs);
    const purged = await this.unitOfWork.asSystem((tx) => this.book.purge(tx, before, BATCH));
    if (purged === BATCH) return true;
    // A message goes after its deliveries.
    return (await this.unitOfWork.asSystem((tx) => this.book.purgeMessages(tx, before, BATCH))) === BATCH;
  }
}
