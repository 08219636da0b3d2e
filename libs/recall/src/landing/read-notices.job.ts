import { Clock } from '#kernel';
import { PeriodicJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { ReadNotices } from './read-notices.js';

/** Every ten seconds, the notices that are due. */
@Injectable()
export class ReadNoticesJob extends PeriodicJob {
  readonly name = 'recall.read-notices';
  readonly everyMs = 10_000;

  constructor(
    private readonly readNotices: ReadNotices,
    private readonly clock: Clock,
  ) {
    super();
  }

  override run(signal: AbortSignal): Promise<number> {
    return this.readNotices.readDue(this.clock.now(), signal);
  }
}
