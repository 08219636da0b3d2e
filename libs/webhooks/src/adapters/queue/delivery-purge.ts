import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PurgeDeliveries } from '../../application/purge-deliveries.js';
import { WakefulLoop } from './wakeful-loop.js';

const EVERY_MS = 3_600_000;

/** Forgets what is older than the retention, every hour. */
@Injectable()
export class DeliveryPurge implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly purging: WakefulLoop;

  constructor(purgeDeliveries: PurgeDeliveries) {
    const log = new Logger('Webhooks');
    const report = (error: unknown): void => log.warn(`trying again: ${(error as Error).message}`);
    this.purging = new WakefulLoop(() => purgeDeliveries.purge(), EVERY_MS, report);
  }

  onApplicationBootstrap(): void {
    this.purging.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.purging.stop();
  }
}
