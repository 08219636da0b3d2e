import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { isSuccess, settle } from '../domain/delivery.js';
import { AttemptBook, type Settled, WebhookSettings } from '../ports.js';
import type { Attempted } from './attempt-delivery.js';

const REVIVED_AT_ONCE = 500;

/** Writes down what came of attempts, many in one transaction. */
@Injectable()
export class SettleDeliveries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly book: AttemptBook,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
  ) {}

  async settle(attempted: readonly Attempted[]): Promise<readonly Settled[]> {
    const settled = attempted.map((each) => this.next(each));
    await this.unitOfWork.asSystem((tx) => this.book.settle(tx, settled, this.settings.pauseAfterMs));
    return settled;
  }

  /** Attempts whose worker is gone: unknown, so they are tried again. @returns how many */
  revive(): Promise<number> {
    return this.unitOfWork.asSystem(async (tx) => {
      const endedAt = this.clock.now();
      const lost = await this.book.interrupted(tx, REVIVED_AT_ONCE, endedAt);
      const settled = lost.map((delivery) => this.next({ delivery, outcome: { kind: 'interrupted' }, endedAt }));
      await this.book.settle(tx, settled, this.settings.pauseAfterMs);
      return settled.length;
    });
  }

  private next({ delivery, outcome, endedAt }: Attempted): Settled {
    const settlement = settle(delivery, outcome, this.settings.retry, endedAt, Math.random());
    return { delivery, settlement, endedAt, success: isSuccess(outcome) };
  }
}
