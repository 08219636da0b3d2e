import { Injectable } from '@nestjs/common';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { DeliveriesQueries } from './deliveries.queries.js';
import { DeliveryWakeUp } from './delivery-wake-up.client.js';

/** Sends again what was sent before: the same id, the same bytes (docs/spec/reliability.md#webhooks). */
@Injectable()
export class ResendDeliveries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly deliveries: DeliveriesQueries,
    private readonly workers: DeliveryWakeUp,
    private readonly clock: Clock,
  ) {}

  /** Takes the place of a pending retry. @throws DomainError 404 `webhook_not_found`, `delivery_not_found`; 409 `delivery_in_flight` */
  async resend(actor: Actor, subscriptionId: string, deliveryId: string): Promise<void> {
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.deliveries.requireSubscription(tx, subscriptionId);
      await this.deliveries.resend(tx, subscriptionId, deliveryId, this.clock.now());
    });
    await this.workers.wake();
  }

  /** All failed ones since a time. @returns how many. @throws DomainError 404 `webhook_not_found` */
  async recover(actor: Actor, subscriptionId: string, since: Date): Promise<number> {
    const count = await this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.deliveries.requireSubscription(tx, subscriptionId);
      return this.deliveries.recover(tx, subscriptionId, since, this.clock.now());
    });
    await this.workers.wake();
    return count;
  }
}
