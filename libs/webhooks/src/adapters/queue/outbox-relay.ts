import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseNotifications, type Listening, OUTBOX_CHANNEL } from '#persistence';
import { RelayOutbox } from '../../application/relay-outbox.js';
import { DeliveryWakeUp, WebhookSettings } from '../../ports.js';
import { DeliveryWorker } from './delivery-worker.js';
import { WakefulLoop } from './wakeful-loop.js';

/** Turns the outbox into deliveries at each NOTIFY of the database, and by itself every sweep, for a notice may be lost. */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly relaying: WakefulLoop;
  private listening: Listening | null = null;

  constructor(
    private readonly relayOutbox: RelayOutbox,
    settings: WebhookSettings,
    private readonly worker: DeliveryWorker,
    private readonly notifications: DatabaseNotifications,
    private readonly otherWorkers: DeliveryWakeUp,
  ) {
    const log = new Logger('Webhooks');
    const report = (error: unknown): void => log.warn(`trying again: ${(error as Error).message}`);
    this.relaying = new WakefulLoop(() => this.relay(), settings.sweepMs, report);
  }

  onApplicationBootstrap(): void {
    this.relaying.start();
    this.listening = this.notifications.listen(OUTBOX_CHANNEL, () => this.relaying.nudge());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.listening?.close(), this.relaying.stop()]);
  }

  /** The worker of this process at once, those of others through the queue. */
  private async relay(): Promise<boolean> {
    const { deliveries, more } = await this.relayOutbox.relay();
    if (deliveries > 0) {
      this.worker.wake();
      void this.otherWorkers.wake(); // never rejects; a queue that is away must not hold the relay up
    }
    return more;
  }
}
