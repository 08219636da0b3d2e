import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, reportOf } from '#kernel';
import { DatabaseNotifications, type NotificationListener, OUTBOX_CHANNEL, UnitOfWork } from '#persistence';
import { DeliveryWorker } from '../attempts/delivery-worker.job.js';
import { PollingLoop } from '../attempts/polling-loop.js';
import { DeliveryWakeUp } from '../deliveries/delivery-wake-up.client.js';
import { fanOut } from './fan-out.queries.js';
import { WebhookSettings } from '../webhooks.settings.js';

const BATCH = 500;

interface Relayed {
  readonly deliveries: number;
  /** The batch was full: poll again at once. */
  readonly more: boolean;
}

/** Outbox → deliveries, one batch in one transaction. Any number of relays may run at once. */
@Injectable()
export class RelayOutbox {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async relay(): Promise<Relayed> {
    const { messages, deliveries } = await this.unitOfWork.writeAsSystem((tx) => fanOut(tx, BATCH, this.clock.now()));
    return { deliveries, more: messages === BATCH };
  }
}

/** Relays the outbox at each NOTIFY of the database, and at an interval, because a notification may be lost. */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: PollingLoop;
  private listening: NotificationListener | null = null;

  constructor(
    private readonly relayOutbox: RelayOutbox,
    settings: WebhookSettings,
    private readonly worker: DeliveryWorker,
    private readonly notifications: DatabaseNotifications,
    private readonly otherWorkers: DeliveryWakeUp,
  ) {
    const log = new Logger('Webhooks');
    const report = (error: unknown): void => log.warn(`trying again: ${reportOf(error)}`);
    this.loop = new PollingLoop(() => this.relay(), settings.pollMs, report);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
    this.listening = this.notifications.listen(OUTBOX_CHANNEL, () => this.loop.wake());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.listening?.close(), this.loop.stop()]);
  }

  /** Wakes the worker of this process at once, those of other processes through the queue. */
  private async relay(): Promise<boolean> {
    const { deliveries, more } = await this.relayOutbox.relay();
    if (deliveries > 0) {
      this.worker.wake();
      void this.otherWorkers.wake(); // never rejects; a queue that is away must not delay the relay
    }
    return more;
  }
}
