import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { AuditLog, Quotas } from '#identity';
import { Subscription, type SubscriptionInput, receiverOf } from '../domain/subscription.js';
import { Subscriptions } from '../ports.js';
import { CheckReceiver } from './check-receiver.js';
import { SecretVault } from './secret-vault.js';

export interface Registered {
  readonly subscription: Subscription;
  /** Shown once, here. */
  readonly secret: string;
}

@Injectable()
export class RegisterSubscription {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly receiver: CheckReceiver,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {
    quotas.counted('subscriptions', (tx) => subscriptions.count(tx));
  }

  /** @throws DomainError 422 `webhook_url_*`, `webhook_topic_unknown`; 429 `quota_exceeded` */
  async register(actor: Actor, input: SubscriptionInput): Promise<Registered> {
    const id = newId();
    const secret = this.vault.newSecret();
    const subscription = Subscription.register(actor.tenantId, id, input, this.vault.seal(secret, id), this.clock.now());
    // Who may not have another one knocks at nobody's door.
    await this.unitOfWork.inTransaction(actor, (tx) => this.requireRoom(tx));
    // Outside of the transaction: a receiver may take seconds to answer.
    await this.receiver.check(actor, id, subscription.url, secret);
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.requireRoom(tx);
      await this.subscriptions.add(tx, subscription);
      const { url, events } = subscription;
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'webhook.created',
        subject: id,
        details: { receiver: receiverOf(url), events },
      });
    });
    return { subscription, secret };
  }

  private async requireRoom(tx: TenantTx): Promise<void> {
    await this.quotas.requireRoom(tx, 'subscriptions');
    await this.subscriptions.requireRoom(tx);
  }
}
