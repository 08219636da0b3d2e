import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { WebhooksConfig } from '#config';
import { Clock, type TopicDescription } from '#kernel';
import { DirectWebhooks } from './contract.js';
import { ChangeConsumer } from './changes/change-consumer.js';
import { ChangesController } from './changes/changes.controller.js';
import { ChangesQueries } from './changes/changes.queries.js';
import { ConsumersController } from './changes/consumers.controller.js';
import { ConsumersQueries } from './changes/consumers.queries.js';
import { ReadChanges } from './changes/read-changes.js';
import { WatchChanges } from './changes/watch-changes.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesQueries } from './deliveries/deliveries.queries.js';
import { DeliveryWakeUp } from './deliveries/delivery-wake-up.client.js';
import { ReadDeliveryRequest } from './deliveries/read-delivery-request.js';
import { ResendDeliveries } from './deliveries/resend-deliveries.js';
import { networksFrom } from './outbound/address.js';
import { OutboundClient } from './outbound/outbound.client.js';
import { SecretVault, sealingKey } from './signing/signing.js';
import { ChangeSubscription, RotateSecret } from './subscriptions/change-subscription.js';
import { RegisterDirect } from './subscriptions/register-direct.js';
import { CheckReceiver, RegisterSubscription } from './subscriptions/register-subscription.js';
import { SendTest } from './subscriptions/send-test.js';
import { SubscriptionActionsController, SubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { SubscriptionsQueries } from './subscriptions/subscriptions.queries.js';
import { UpdateSubscription } from './subscriptions/update-subscription.js';
import { TopicCatalogue, topicCatalogue } from './topics/topic-catalogue.js';
import { topicsController } from './topics/topics.controller.js';
import { WebhookSettings } from './webhooks.settings.js';

export interface WebhooksOptions {
  readonly webhooks: WebhooksConfig;
  /** 32 bytes; seals the subscriptions' secrets. */
  readonly encryptionKey: Buffer;
  /** Older keys, which only open. */
  readonly retiredEncryptionKeys?: readonly Buffer[];
}

/** What the change feed needs. */
const CHANGES = [ChangeConsumer, ChangesQueries, ConsumersQueries, ReadChanges, WatchChanges];

/** The HTTP side: the change feed; subscriptions, deliveries, tests, resends, topics. */
@Module({})
export class WebhooksModule {
  /** @param topics of the other contexts */
  static forRoot({ topics, ...options }: WebhooksOptions & { readonly topics: readonly TopicDescription[] }): DynamicModule {
    const catalogue = topicCatalogue(topics);
    const { subscriptionsPerTenant } = options.webhooks;
    return {
      module: WebhooksModule,
      // Its contract is for other contexts.
      global: true,
      exports: [DirectWebhooks],
      controllers: [
        topicsController(catalogue),
        SubscriptionsController,
        SubscriptionActionsController,
        DeliveriesController,
        ConsumersController,
        ChangesController,
      ],
      providers: [
        ...sharedProviders(options),
        { provide: TopicCatalogue, useValue: catalogue },
        { provide: SubscriptionsQueries, useValue: new SubscriptionsQueries(subscriptionsPerTenant) },
        ...CHANGES,
        DeliveriesQueries,
        UpdateSubscription,
        CheckReceiver,
        RegisterSubscription,
        ChangeSubscription,
        RotateSecret,
        SendTest,
        ReadDeliveryRequest,
        ResendDeliveries,
        { provide: DirectWebhooks, useClass: RegisterDirect },
      ],
    };
  }
}

/** What both roles need. `UnitOfWork`, `JobQueue` and `DatabaseNotifications` come from the engines' global modules, `Clock` from identity's. */
export function sharedProviders({ webhooks, encryptionKey, retiredEncryptionKeys = [] }: WebhooksOptions): Provider[] {
  const { timeoutMs, responseBytes } = webhooks;
  return [
    { provide: WebhookSettings, useValue: new WebhookSettings(webhooks) },
    { provide: SecretVault, useValue: new SecretVault([sealingKey(encryptionKey), ...retiredEncryptionKeys.map(sealingKey)]) },
    DeliveryWakeUp,
    {
      provide: OutboundClient,
      useFactory: (clock: Clock) =>
        new OutboundClient({ networks: networksFrom(webhooks.allowedNetworks), timeoutMs, responseBytes }, clock),
      inject: [Clock],
    },
  ];
}
