import { Injectable, Logger } from '@nestjs/common';
import { JobQueue } from '#queue';
import { DeliveryWakeUp } from '../../ports.js';

export const WAKE_UP_TOPIC = 'webhooks.wake-up';

/** A relay that is busy wakes the others ten times a second at most: a job costs the queue more than a batch of deliveries does the database. */
const APART_MS = 100;

/** A queue that is away costs a moment, not a delivery: the workers' own sweep finds what is due. */
@Injectable()
export class QueueWakeUp extends DeliveryWakeUp {
  private readonly log = new Logger('Webhooks');

  constructor(private readonly queue: JobQueue) {
    super();
  }

  private last = 0;
  private later: NodeJS.Timeout | null = null;

  override async wake(): Promise<void> {
    const wait = this.last + APART_MS - performance.now();
    if (wait <= 0) return this.wakeNow();
    this.later ??= setTimeout(() => {
      this.later = null;
      void this.wakeNow();
    }, wait).unref();
  }

  private async wakeNow(): Promise<void> {
    this.last = performance.now();
    await this.queue.enqueue(WAKE_UP_TOPIC, {}).catch((error: unknown) => this.log.warn(`no wake-up: ${(error as Error).message}`));
  }
}
