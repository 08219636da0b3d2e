import { type DynamicModule, Module } from '@nestjs/common';
import { AttemptDelivery } from './attempts/attempt-delivery.js';
import { LeaseDeliveries, ReviveDeliveries } from './attempts/lease-deliveries.js';
import { DeliveryWorker } from './attempts/delivery-worker.job.js';
import { DirectMessages, GuardedPosts } from './contract.js';
import { DeliveriesQueries } from './deliveries/deliveries.queries.js';
import { AttemptListener } from './deliveries/delivery.js';
import { OutboundClient } from './outbound/outbound.client.js';
import { OutboxRelay, RelayOutbox } from './outbox/relay-outbox.job.js';
import { SendDirect } from './deliveries/send-direct.js';
import { sharedProviders, type WebhooksOptions } from './webhooks.module.js';

/** The worker's side: relay, attempts. Any number of processes may run it. */
@Module({})
export class WebhooksWorkerModule {
  /** @param listener told of attempts; by default nobody */
  static forRoot({ listener, ...options }: WebhooksOptions & { readonly listener?: AttemptListener }): DynamicModule {
    return {
      module: WebhooksWorkerModule,
      global: true,
      exports: [DirectMessages, GuardedPosts],
      providers: [
        ...sharedProviders(options),
        { provide: AttemptListener, useValue: listener ?? { settled: () => undefined } },
        RelayOutbox,
        LeaseDeliveries,
        AttemptDelivery,
        ReviveDeliveries,
        DeliveryWorker,
        OutboxRelay,
        DeliveriesQueries,
        { provide: DirectMessages, useClass: SendDirect },
        { provide: GuardedPosts, useExisting: OutboundClient },
      ],
    };
  }
}
