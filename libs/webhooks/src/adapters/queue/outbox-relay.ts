import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseNotifications, type Listening, OUTBOX_CHANNEL } from '#persistence';
import { PurgeDeliveries } from '../../application/purge-deliveries.js';
import { RelayOutbox } from '../../application/relay-outbox.js';
import { DeliveryWakeUp, WebhookSettings } from '../../ports.js';
import { DeliveryWorker } from './delivery-worker.js';
import { WakefulLoop } from './wakeful-loop.js';

const PURGE_EVERY_MS = 3_600_000;

/** Who tells the relay, and whom it tells. */
@Injectable()
export class RelaySignals {
  constructor(
    readonly notifications: DatabaseNotifications,
    readonly otherWorkers: DeliveryWakeUp,
  ) {}
}

/** Turns the outbox into deliveries at each NOTIFY of the database, and by itself every sweep, for a notice may be lost. */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly relaying: WakefulLoop;
  private readonly purging: WakefulLoop;
  private listening: Listening | null = null;

  constructor(
    private readonly relayOutbox: RelayOutbox,
    purgeDeliveries: PurgeDeliveries,
    settings: WebhookSettings,
    private readonly worker: DeliveryWorker,
    private readonly signals: RelaySignals,
  ) {
    const log = new Logger('Webhooks');
    const report = (error: unknown): void => log.warn(`trying again: ${(error as Error).message}`);
    this.relaying = new WakefulLoop(() => this.relay(), settings.sweepMs, report);
    this.purging = new WakefulLoop(() => purgeDeliveries.purge().then(() => false), PURGE_EVERY_MS, report);
  }

  onApplicationBootstrap(): void {
    this.relaying.start();
    this.purging.start();
    this.listening = this.signals.notifications.listen(OUTBOX_CHANNEL, () => this.relaying.nudge());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.listening?.close(), this.relaying.stop(), this.purging.stop()]);
  }

  /** The worker of this process at once, those of others through the queue. */
  private async relay(): Promise<boolean> {
    const { deliveries, more } = await this.relayOutbox.relay();
    if (deliveries > 0) {
      this.worker.wake();
      void this.signals.otherWorkers.wake(); // never rejects; a queue that is away must not hold the relay up
    }
    return more;
  }
}
