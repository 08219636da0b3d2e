import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { PeriodicJob } from '#queue';
import { PreparedQueries } from './prepared-events.queries.js';

const BATCH = 1_000;

/** Once a minute: events that were not sent in time expire. */
@Injectable()
export class ExpireEventsJob extends PeriodicJob {
  readonly name = 'traceability.expire-events';
  readonly everyMs = 60_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PreparedQueries,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @param leaving stops after the current batch; the next run does the rest */
  override async run(leaving: AbortSignal): Promise<void> {
    const now = this.clock.now();
    for (let done = BATCH; done === BATCH && !leaving.aborted;)
      done = await this.work.writeAsSystem((tx) => this.events.expire(tx, now, BATCH));
  }
}
