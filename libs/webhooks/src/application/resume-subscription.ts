import { Injectable } from '@nestjs/common';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '#identity';
import type { Subscription } from '../domain/subscription.js';
import { Deliveries, DeliveryWakeUp, Subscriptions } from '../ports.js';

@Injectable()
export class ResumeSubscription {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly deliveries: Deliveries,
    private readonly workers: DeliveryWakeUp,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Lifts a pause by the service and lets go what it held back. @throws DomainError 404 `webhook_not_found` */
  async resume(actor: Actor, id: string): Promise<Subscription> {
    const resumed = await this.unitOfWork.inTransaction(actor, async (tx) => {
      const subscription = await this.subscriptions.forChange(tx, id);
      const at = this.clock.now();
      subscription.resume(at);
      await this.subscriptions.save(tx, subscription);
      await this.audit.record(tx, actor.tenantId, actor, { action: 'webhook.resumed', subject: subscription.id });
      await this.deliveries.releaseHeld(tx, id, at);
      return subscription;
    });
    await this.workers.wake();
    return resumed;
  }
}
