import { type DynamicModule, Module } from '@nestjs/common';
import { DeliveriesController } from './adapters/http/deliveries.controller.js';
import { SubscriptionActionsController } from './adapters/http/subscription-actions.controller.js';
import { WebhooksController } from './adapters/http/webhooks.controller.js';
import { ChangeSubscription } from './application/change-subscription.js';
import { CheckReceiver } from './application/check-receiver.js';
import { RegisterSubscription } from './application/register-subscription.js';
import { RemoveSubscription } from './application/remove-subscription.js';
import { ResendDeliveries } from './application/resend-deliveries.js';
import { ResumeSubscription } from './application/resume-subscription.js';
import { RotateSecret } from './application/rotate-secret.js';
import { SendTest } from './application/send-test.js';
import { coreProviders, type WebhooksOptions } from './webhooks.core.js';

/** The HTTP side: subscriptions, deliveries, tests, resends. */
@Module({})
export class WebhooksModule {
  static forRoot(options: WebhooksOptions): DynamicModule {
    return {
      module: WebhooksModule,
      controllers: [WebhooksController, SubscriptionActionsController, DeliveriesController],
      providers: [
        ...coreProviders(options),
        CheckReceiver,
        RegisterSubscription,
        ChangeSubscription,
        RemoveSubscription,
        RotateSecret,
        ResumeSubscription,
        SendTest,
        ResendDeliveries,
      ],
    };
  }
}
