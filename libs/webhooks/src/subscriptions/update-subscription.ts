import { Injectable } from '@nestjs/common';
import { AuditLog, Quotas } from '#identity';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import type { Subscription } from './subscription.js';
import { SubscriptionsQueries } from './subscriptions.queries.js';

type AuditEntry = Omit<Parameters<AuditLog['record']>[3], 'subject'>;

export interface SubscriptionUpdate {
  /** Changes the subscription, or refuses to. @returns the entry of the audit log; null for none */
  readonly apply: (subscription: Subscription, at: Date) => AuditEntry | null;
  /** Afterwards, in the same transaction. */
  readonly afterwards?: (tx: TenantTx, subscription: Subscription, at: Date) => Promise<void>;
}

/** Every write of a subscription: in one transaction, with its entry in the audit log. */
@Injectable()
export class UpdateSubscription {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: SubscriptionsQueries,
    private readonly audit: AuditLog,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {
    quotas.counted('subscriptions', (tx) => subscriptions.count(tx));
  }

  /** @throws DomainError 404 `webhook_not_found` */
  update(actor: Actor, id: string, update: SubscriptionUpdate): Promise<Subscription> {
    return this.unitOfWork.inTransaction(actor, (tx) => this.updateWithin(tx, actor, id, update));
  }

  /** In a transaction of the caller. @throws DomainError 404 `webhook_not_found` */
  async updateWithin(tx: TenantTx, actor: Actor, id: string, { apply, afterwards }: SubscriptionUpdate): Promise<Subscription> {
    const subscription = await this.subscriptions.forChange(tx, id);
    const at = this.clock.now();
    const entry = apply(subscription, at);
    await this.subscriptions.save(tx, subscription);
    if (entry) await this.audit.record(tx, actor.tenantId, actor, { ...entry, subject: subscription.id });
    await afterwards?.(tx, subscription, at);
    return subscription;
  }

  /** @throws DomainError 404 `webhook_not_found` */
  read(actor: Actor, id: string): Promise<Subscription> {
    return this.unitOfWork.read(actor, (tx) => this.subscriptions.byId(tx, id));
  }

  /** @throws DomainError 429 `quota_exceeded` */
  checkRoom(actor: Actor): Promise<void> {
    return this.unitOfWork.inTransaction(actor, (tx) => this.requireRoom(tx));
  }

  /** @param also in the same transaction @throws DomainError 429 `quota_exceeded` */
  add(
    actor: Actor,
    subscription: Subscription,
    entry: AuditEntry,
    also?: (tx: TenantTx, subscriptionId: string) => Promise<void>,
  ): Promise<void> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.requireRoom(tx);
      await this.subscriptions.add(tx, subscription);
      await this.audit.record(tx, actor.tenantId, actor, { ...entry, subject: subscription.id });
      await also?.(tx, subscription.id);
    });
  }

  private async requireRoom(tx: TenantTx): Promise<void> {
    await this.quotas.requireRoom(tx, 'subscriptions');
    await this.subscriptions.requireRoom(tx);
  }
}
