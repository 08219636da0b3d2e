import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { checkedUrl } from '../outbound/address.js';
import { OutboundClient } from '../outbound/outbound.client.js';
import { deliveryHeaders, SecretVault } from '../signing/signing.js';
import { receiverOf, Subscription, type SubscriptionInput, type SubscriptionWithSecret } from './subscription.js';
import { UpdateSubscription } from './update-subscription.js';
import { testBody, TopicCatalogue, webhookTest } from '../topics/topic-catalogue.js';

/** Whether a receiver answers at a URL, before it is saved (docs/spec/service.md#delivery-and-retry, docs/spec/reliability.md#webhooks). */
@Injectable()
export class CheckReceiver {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 `webhook_url_invalid`, `webhook_url_not_allowed`, `webhook_url_unreachable` */
  async check(actor: Actor, subscriptionId: string, url: string, secret: string): Promise<void> {
    checkedUrl(url);
    const at = this.clock.now();
    const body = Buffer.from(testBody(actor, subscriptionId, 'Is somebody there?', at));
    const headers = deliveryHeaders({ id: newId(), event: webhookTest.topic, body, secret, previousSecret: null }, at);
    await this.outbound.probe({ url, headers, body });
  }

  /** With the secret of a subscription that is registered. @throws DomainError 422 as `check` */
  checkSealed(actor: Actor, { id, sealedSecret }: Subscription, url: string): Promise<void> {
    return this.check(actor, id, url, this.vault.open(sealedSecret!, id));
  }
}

type AlsoAdded = (tx: TenantTx, subscriptionId: string) => Promise<void>;

@Injectable()
export class RegisterSubscription {
  constructor(
    private readonly updates: UpdateSubscription,
    private readonly topics: TopicCatalogue,
    private readonly receiver: CheckReceiver,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 `webhook_url_*`, `webhook_topic_unknown`; 429 `quota_exceeded` */
  register(actor: Actor, input: SubscriptionInput): Promise<SubscriptionWithSecret> {
    const owner = { tenantId: actor.tenantId, id: newId() };
    return this.add(actor, Subscription.register(owner, input, this.topics, this.clock.now()), { secret: input.secret });
  }

  /** To no topic: what it gets is sent to it alone. @throws DomainError as `register` */
  registerDirect(
    actor: Actor,
    { url, event }: { readonly url: string; readonly event: string },
    also: AlsoAdded,
  ): Promise<SubscriptionWithSecret> {
    const owner = { tenantId: actor.tenantId, id: newId() };
    const subscription = Subscription.register(owner, { url, events: [] }, this.topics, this.clock.now());
    subscription.events = [event];
    return this.add(actor, subscription, { also });
  }

  private async add(
    actor: Actor,
    subscription: Subscription,
    { secret = this.vault.newSecret(), also }: { readonly secret?: string | undefined; readonly also?: AlsoAdded },
  ): Promise<SubscriptionWithSecret> {
    const { id } = subscription;
    subscription.sealedSecret = this.vault.seal(secret, id);
    const { url, events } = subscription;
    // No request is sent for a tenant that may not have another subscription.
    await this.updates.checkRoom(actor);
    // Outside of the transaction: a receiver may take seconds to answer.
    await this.receiver.check(actor, id, url, secret);
    await this.updates.add(actor, subscription, { action: 'webhook.created', details: { receiver: receiverOf(url), events } }, also);
    return { subscription, secret };
  }
}
