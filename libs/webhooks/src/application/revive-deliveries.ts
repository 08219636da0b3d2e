import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AttemptBook, AttemptListener, WebhookSettings } from '../ports.js';
import { settledBy } from './settled.js';

const REVIVED_AT_ONCE = 500;

/** Attempts whose worker is gone: what came of them is unknown, so they are tried again. */
@Injectable()
export class ReviveDeliveries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly book: AttemptBook,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
    private readonly listener: AttemptListener,
  ) {}

  /** @returns how many */
  async revive(): Promise<number> {
    const revived = await this.unitOfWork.asSystem(async (tx) => {
      const endedAt = this.clock.now();
      const lost = await this.book.interrupted(tx, REVIVED_AT_ONCE, endedAt);
      const settled = lost.map((delivery) => settledBy(this.settings, { delivery, outcome: { kind: 'interrupted' }, endedAt }));
      await this.book.settle(tx, settled, this.settings.pauseAfterMs);
      return settled;
    });
    for (const { settlement } of revived) this.listener.settled('interrupted', settlement.status);
    return revived.length;
  }
}
