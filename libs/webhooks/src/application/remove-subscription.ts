import { Injectable } from '@nestjs/common';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '#identity';
import { Deliveries, Subscriptions } from '../ports.js';

@Injectable()
export class RemoveSubscription {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly deliveries: Deliveries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What waits ends as discarded; the deliveries stay readable. @throws DomainError 404 `webhook_not_found` */
  remove(actor: Actor, id: string): Promise<void> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const subscription = await this.subscriptions.forChange(tx, id);
      const at = this.clock.now();
      subscription.delete(at);
      await this.subscriptions.save(tx, subscription);
      await this.audit.record(tx, actor.tenantId, actor, { action: 'webhook.deleted', subject: subscription.id });
      await this.deliveries.discardWaiting(tx, subscription, 'The subscription was deleted.', at);
    });
  }
}
