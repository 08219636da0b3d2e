import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AttemptBook, WebhookSettings } from '../ports.js';
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
  ) {}

  /** @returns how many */
  revive(): Promise<number> {
    return this.unitOfWork.asSystem(async (tx) => {
      const endedAt = this.clock.now();
      const lost = await this.book.interrupted(tx, REVIVED_AT_ONCE, endedAt);
      const settled = lost.map((delivery) => settledBy(this.settings, { delivery, outcome: { kind: 'interrupted' }, endedAt }));
      await this.book.settle(tx, settled, this.settings.pauseAfterMs);
      return settled.length;
    });
  }
}
