import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
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

  async purge(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - this.settings.retentionMs);
    await this.inBatches((tx) => this.book.purge(tx, before, BATCH));
    await this.inBatches((tx) => this.book.purgeMessages(tx, before, BATCH));
  }

  private async inBatches(purge: (tx: SystemTx) => Promise<number>): Promise<void> {
    for (let purged = BATCH; purged === BATCH; ) purged = await this.unitOfWork.asSystem(purge);
  }
}
