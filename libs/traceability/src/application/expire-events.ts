import { Injectable, Optional } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { EventSettings, PreparedEvents } from '../ports.js';

const BATCH = 1_000;

/** Events that nobody sent in time are expired; error declarations that never landed are forgotten. */
@Injectable()
export class ExpireEvents {
  private readonly settings: EventSettings;

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PreparedEvents,
    private readonly clock: Clock,
    @Optional() settings?: EventSettings,
  ) {
    this.settings = settings ?? new EventSettings();
  }

  async expire(): Promise<void> {
    const now = this.clock.now();
    const before = new Date(now.getTime() - this.settings.preparedTtlSeconds * 1000);
    for (let done = BATCH; done === BATCH; ) done = await this.work.asSystem((tx) => this.events.expire(tx, now, BATCH));
    for (let done = BATCH; done === BATCH; ) done = await this.work.asSystem((tx) => this.events.forgetDeclarations(tx, before, BATCH));
  }
}
