import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AttemptBook } from '../ports.js';

const BATCH = 500;

export interface Relayed {
  readonly deliveries: number;
  /** The batch was full: look again at once. */
  readonly more: boolean;
}

/** Outbox → deliveries, one batch in one transaction. Any number of relays may run at once. */
@Injectable()
export class RelayOutbox {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly book: AttemptBook,
    private readonly clock: Clock,
  ) {}

  async relay(): Promise<Relayed> {
    const { topics, deliveries } = await this.unitOfWork.asSystem((tx) => this.book.fanOut(tx, BATCH, this.clock.now()));
    return { deliveries, more: topics === BATCH };
  }
}
