import { type DynamicModule, Module } from '@nestjs/common';
import { SqlAttemptBook } from './adapters/persistence/sql-attempt-book.js';
import { DeliveryPurge } from './adapters/queue/delivery-purge.js';
import { DeliveryWorker } from './adapters/queue/delivery-worker.js';
import { OutboxRelay } from './adapters/queue/outbox-relay.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { PurgeDeliveries } from './application/purge-deliveries.js';
import { RelayOutbox } from './application/relay-outbox.js';
import { ReviveDeliveries } from './application/revive-deliveries.js';
import { TakeTurn } from './application/take-turn.js';
import { AttemptBook, AttemptListener } from './ports.js';
import { coreProviders, type WebhooksOptions } from './webhooks.core.js';

/** The worker's side: relay, attempts, sweeps. Any number of processes may run it. */
@Module({})
export class WebhooksWorkerModule {
  static forRoot(options: WebhooksOptions): DynamicModule {
    return {
      module: WebhooksWorkerModule,
      providers: [
        ...coreProviders(options),
        { provide: AttemptBook, useClass: SqlAttemptBook },
        { provide: AttemptListener, useValue: options.listener ?? { settled: () => undefined } },
        RelayOutbox,
        TakeTurn,
        AttemptDelivery,
        ReviveDeliveries,
        PurgeDeliveries,
        DeliveryWorker,
        OutboxRelay,
        DeliveryPurge,
      ],
    };
  }
}
