import { Injectable } from '@nestjs/common';
import { ANY_STATE, type Actor, DomainError, type ExpectedState, invalidContent } from '#kernel';
import type { TenantTx } from '#persistence';
import { DeliveriesQueries } from '../deliveries/deliveries.queries.js';
import { DeliveryWakeUp } from '../deliveries/delivery-wake-up.client.js';
import { SecretVault } from '../signing/signing.js';
import { CheckReceiver } from './register-subscription.js';
import { receiverOf, shownOf, type Subscription, type SubscriptionChanges, type SubscriptionWithSecret } from './subscription.js';
import { type SubscriptionUpdate, UpdateSubscription } from './update-subscription.js';
import { TopicCatalogue } from '../topics/topic-catalogue.js';

/** What changes the deliveries of a subscription, too: a change of it, its deletion, the end of a pause. */
@Injectable()
export class ChangeSubscription {
  constructor(
    private readonly updates: UpdateSubscription,
    private readonly topics: TopicCatalogue,
    private readonly receiver: CheckReceiver,
    private readonly deliveries: DeliveriesQueries,
    private readonly workers: DeliveryWakeUp,
  ) {}

  /** @throws DomainError 404 `webhook_not_found`; 422 `invalid_content` for a null, `webhook_url_*`, `webhook_topic_unknown`; 412 */
  async change(actor: Actor, id: string, changes: SubscriptionChanges, expected: ExpectedState = ANY_STATE): Promise<Subscription> {
    refuseNulls(changes);
    await this.checkNewUrl(actor, id, changes);
    const changed = Object.keys(changes);
    return this.updates.update(actor, id, {
      apply: (subscription, at) => {
        expected.check(shownOf(subscription));
        subscription.change(changes, this.topics, at);
        const { url, events, active } = subscription;
        return changed.length === 0 ? null : { action: 'webhook.changed', details: { changed, receiver: receiverOf(url), events, active } };
      },
      afterwards: async (tx, subscription, at) => {
        if (!subscription.active) await this.deliveries.discardWaiting(tx, subscription, 'The subscription is not active.', at);
      },
    });
  }

  /** Waiting deliveries are discarded; all stay readable. @throws DomainError 404 `webhook_not_found`, 412 */
  async remove(actor: Actor, id: string, expected: ExpectedState = ANY_STATE): Promise<void> {
    await this.updates.update(actor, id, this.deletion(expected));
  }

  /** In a transaction of the caller. One that was deleted is left. */
  async removeWithin(tx: TenantTx, actor: Actor, id: string): Promise<void> {
    try {
      await this.updates.updateWithin(tx, actor, id, this.deletion(ANY_STATE));
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'webhook_not_found')) throw error;
    }
  }

  private deletion(expected: ExpectedState): SubscriptionUpdate {
    return {
      apply: (subscription, at) => {
        expected.check(shownOf(subscription));
        subscription.delete(at);
        return { action: 'webhook.deleted' };
      },
      afterwards: (tx, subscription, at) => this.deliveries.discardWaiting(tx, subscription, 'The subscription was deleted.', at),
    };
  }

  /** Ends a pause by the service and releases what it held back. @throws DomainError 404 `webhook_not_found` */
  async resume(actor: Actor, id: string): Promise<Subscription> {
    const resumed = await this.updates.update(actor, id, {
      apply: (subscription, at) => {
        subscription.resume(at);
        return { action: 'webhook.resumed' };
      },
      afterwards: (tx, { id: subscriptionId }, at) => this.deliveries.releaseHeld(tx, subscriptionId, at),
    });
    await this.workers.wake();
    return resumed;
  }

  private async checkNewUrl(actor: Actor, id: string, changes: SubscriptionChanges): Promise<void> {
    const now = await this.updates.read(actor, id);
    if (changes.url !== undefined && changes.url !== now.url) await this.receiver.checkSealed(actor, now, changes.url);
  }
}

function refuseNulls(changes: SubscriptionChanges): void {
  const nulls = Object.entries(changes).filter(([, value]) => value === null);
  if (nulls.length > 0)
    throw invalidContent(
      nulls.map(([key]) => ({ pointer: `/${key}`, code: 'null', message: `${key} cannot be null; leave it out to keep it.` })),
    );
}

@Injectable()
export class RotateSecret {
  constructor(
    private readonly updates: UpdateSubscription,
    private readonly vault: SecretVault,
  ) {}

  /** @throws DomainError 404 `webhook_not_found` */
  async rotate(actor: Actor, id: string, gracePeriodSeconds: number): Promise<SubscriptionWithSecret> {
    const secret = this.vault.newSecret();
    const subscription = await this.updates.update(actor, id, {
      apply: (found, at) => {
        // Sealed for the id as it is stored: the caller may have written it in capitals, and a secret opens only for the exact text.
        found.rotate(this.vault.seal(secret, found.id), gracePeriodSeconds * 1000, at);
        return { action: 'webhook.secret_rotated', details: { gracePeriodSeconds } };
      },
    });
    return { subscription, secret };
  }
}
