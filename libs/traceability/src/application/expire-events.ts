import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { PreparedEvents } from '../ports.js';

const BATCH = 1_000;
/** A declaration may be signed long after it was prepared; without its words the void would have no reason. */
const DECLARATION_KEPT_MS = 365 * 86_400_000;

/** Events that nobody sent in time are expired; error declarations that never landed are forgotten after a year. */
@Injectable()
export class ExpireEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PreparedEvents,
    private readonly clock: Clock,
  ) {}

  async expire(): Promise<void> {
    const now = this.clock.now();
    const before = new Date(now.getTime() - DECLARATION_KEPT_MS);
    for (let done = BATCH; done === BATCH; ) done = await this.work.asSystem((tx) => this.events.expire(tx, now, BATCH));
    for (let done = BATCH; done === BATCH; ) done = await this.work.asSystem((tx) => this.events.forgetDeclarations(tx, before, BATCH));
  }
}
