import { Injectable } from '@nestjs/common';
import { type Actor, Clock, invalidContent } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '#identity';
import { type Subscription, type SubscriptionChanges, receiverOf } from '../domain/subscription.js';
import { CheckReceiver } from './check-receiver.js';
import { SecretVault } from './secret-vault.js';
import { Deliveries, Subscriptions } from '../ports.js';

@Injectable()
export class ChangeSubscription {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly deliveries: Deliveries,
    private readonly receiver: CheckReceiver,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `webhook_not_found`; 422 `invalid_content` for a null, `webhook_url_*`, `webhook_topic_unknown` */
  async change(actor: Actor, id: string, changes: SubscriptionChanges): Promise<Subscription> {
    refuseNulls(changes);
    await this.checkNewUrl(actor, id, changes);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const subscription = await this.subscriptions.forChange(tx, id);
      const at = this.clock.now();
      subscription.change(changes, at);
      await this.subscriptions.save(tx, subscription);
      const changed = Object.keys(changes);
      const { active, events } = subscription;
      const details = { changed, receiver: receiverOf(subscription.url), events, active };
      if (changed.length > 0)
        await this.audit.record(tx, actor.tenantId, actor, { action: 'webhook.changed', subject: subscription.id, details });
      if (!active) await this.deliveries.discardWaiting(tx, subscription, 'The subscription is not active.', at);
      return subscription;
    });
  }

  private async checkNewUrl(actor: Actor, id: string, changes: SubscriptionChanges): Promise<void> {
    const now = await this.unitOfWork.inTransaction(actor, (tx) => this.subscriptions.byId(tx, id));
    if (changes.url === undefined || changes.url === now.url) return;
    await this.receiver.check(actor, now.id, changes.url, this.vault.open(now.sealedSecret!, now.id));
  }
}

function refuseNulls(changes: SubscriptionChanges): void {
  const nulls = Object.entries(changes).filter(([, value]) => value === null);
  if (nulls.length > 0)
    throw invalidContent(
      nulls.map(([key]) => ({ pointer: `/${key}`, code: 'null', message: `${key} cannot be null; leave it out to keep it.` })),
    );
}
