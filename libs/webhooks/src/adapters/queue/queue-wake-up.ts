import { Injectable, Logger } from '@nestjs/common';
import { JobQueue } from '#queue';
import { DeliveryWakeUp } from '../../ports.js';

export const WAKE_UP_TOPIC = 'webhooks.wake-up';

/** A queue that is away costs a moment, not a delivery: the workers' own sweep finds what is due. */
@Injectable()
export class QueueWakeUp extends DeliveryWakeUp {
  private readonly log = new Logger('Webhooks');

  constructor(private readonly queue: JobQueue) {
    super();
  }

  override async wake(): Promise<void> {
    await this.queue.enqueue(WAKE_UP_TOPIC, {}).catch((error: unknown) => this.log.warn(`no wake-up: ${(error as Error).message}`));
  }
}
