import { Injectable } from '@nestjs/common';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { Subscription } from '../domain/subscription.js';
import { DeliveryWakeUp } from '../ports.js';
import { SubscriptionStores } from './subscription-stores.js';

@Injectable()
export class ResumeSubscription {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stores: SubscriptionStores,
    private readonly workers: DeliveryWakeUp,
    private readonly clock: Clock,
  ) {}

  /** Lifts a pause by the service and lets go what it held back. @throws DomainError 404 `webhook_not_found` */
  async resume(actor: Actor, id: string): Promise<Subscription> {
    const resumed = await this.unitOfWork.inTransaction(actor, async (tx) => {
      const subscription = await this.stores.subscriptions.forChange(tx, id);
      const at = this.clock.now();
      subscription.resume(at);
      await this.stores.subscriptions.save(tx, subscription);
      await this.stores.deliveries.releaseHeld(tx, id, at);
      return subscription;
    });
    await this.workers.wake();
    return resumed;
  }
}
