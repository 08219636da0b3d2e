import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Deliveries, DeliveryWakeUp, Subscriptions } from '../ports.js';
import { TEST_TOPIC, testBody } from './test-message.js';

@Injectable()
export class SendTest {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly deliveries: Deliveries,
    private readonly workers: DeliveryWakeUp,
    private readonly clock: Clock,
  ) {}

  /** Goes to this subscription alone, whatever it listens to, inactive and paused too. @throws DomainError 404 `webhook_not_found` */
  async send(actor: Actor, subscriptionId: string): Promise<string> {
    const id = newId();
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      const subscription = await this.subscriptions.byId(tx, subscriptionId);
      const at = this.clock.now();
      const body = testBody(actor, subscription.id, 'A test delivery, asked for by an administrator.', at);
      await this.deliveries.addTest(tx, subscription, { id, event: TEST_TOPIC, body }, at);
    });
    await this.workers.wake();
    return id;
  }
}
