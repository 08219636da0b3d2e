import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { DeliveriesQueries } from '../deliveries/deliveries.queries.js';
import { DeliveryWakeUp } from '../deliveries/delivery-wake-up.client.js';
import { testBody, webhookTest } from '../topics/topic-catalogue.js';
import { SubscriptionsQueries } from './subscriptions.queries.js';

@Injectable()
export class SendTest {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: SubscriptionsQueries,
    private readonly deliveries: DeliveriesQueries,
    private readonly workers: DeliveryWakeUp,
    private readonly clock: Clock,
  ) {}

  /** To this subscription alone, whatever it listens to, also when it is inactive or paused. @throws DomainError 404 `webhook_not_found` */
  async send(actor: Actor, subscriptionId: string): Promise<string> {
    const id = newId();
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      const subscription = await this.subscriptions.byId(tx, subscriptionId);
      const at = this.clock.now();
      const body = testBody(actor, subscription.id, 'A test delivery, asked for by an administrator.', at);
      await this.deliveries.addTest(tx, subscription, { id, event: webhookTest.topic, body }, at);
    });
    await this.workers.wake();
    return id;
  }
}
