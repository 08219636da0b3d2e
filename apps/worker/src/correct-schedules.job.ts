import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork, applySchedules } from '#persistence';
import { PeriodicJob } from '#queue';
import { contexts } from '../../runtime/src/index.js';

/** Every minute: what a clock of the database that was ahead has scheduled is moved to now (docs/spec/reliability.md#clocks). */
@Injectable()
export class CorrectSchedulesJob extends PeriodicJob {
  readonly name = 'worker.correct-schedules';
  readonly everyMs = 60_000;
  private readonly log = new Logger('Clock');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    for (const rule of contexts.flatMap(({ schedules = [] }) => schedules)) {
      const moved = await applySchedules(this.unitOfWork, rule, { now: this.clock.now(), signal });
      if (moved > 0)
        this.log.warn(`The clock of the database was ahead: times that it gave to ${rule.table} were moved back to now (rows: ${moved})`);
    }
  }
}
