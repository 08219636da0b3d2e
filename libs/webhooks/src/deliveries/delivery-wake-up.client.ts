import { Injectable, Logger } from '@nestjs/common';
import { reportOf } from '#kernel';
import { JobQueue } from '#queue';

export const WAKE_UP_TOPIC = 'webhooks.wake-up';

/** A busy relay wakes the others ten times a second at most: a job costs the queue more than a batch of deliveries costs the database. */
const MIN_INTERVAL_MS = 100;

/** Tells the workers of all processes that something is due. Only a hint: they poll, too, so a queue that is away costs a moment, not a delivery. */
@Injectable()
export class DeliveryWakeUp {
  private readonly log = new Logger('Webhooks');

  private last = 0;
  private later: NodeJS.Timeout | null = null;

  constructor(private readonly queue: JobQueue) {}

  /** Never rejects. */
  async wake(): Promise<void> {
    const wait = this.last + MIN_INTERVAL_MS - performance.now();
    if (wait <= 0) return this.wakeNow();
    this.later ??= setTimeout(() => {
      this.later = null;
      void this.wakeNow();
    }, wait).unref();
  }

  private async wakeNow(): Promise<void> {
    this.last = performance.now();
    await this.queue.enqueue(WAKE_UP_TOPIC, {}).catch((error: unknown) => this.log.warn(`no wake-up: ${reportOf(error)}`));
  }
}
