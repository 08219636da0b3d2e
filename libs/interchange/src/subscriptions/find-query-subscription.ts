import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { DirectWebhooks } from '#webhooks';
import { Injectable } from '@nestjs/common';
import { epcisSubscriptionNotFound } from '../errors.js';
import { DefineQuery } from '../repository/define-query.js';
import type { QuerySubscription } from './query-subscription.js';
import { QuerySubscriptionQueries } from './query-subscriptions.queries.js';

/** Subscriptions that there are. */
@Injectable()
export class FindQuerySubscription {
  constructor(
    private readonly work: UnitOfWork,
    private readonly queries: DefineQuery,
    private readonly subscriptions: QuerySubscriptionQueries,
    private readonly webhooks: DirectWebhooks,
  ) {}

  /** @throws DomainError 404 `epcis_subscription_not_found` */
  async byId(actor: Actor, queryName: string, id: string): Promise<QuerySubscription> {
    const found = isUuid(id) ? await this.work.read(actor, (tx) => this.subscriptions.byId(tx, queryName, id)) : null;
    if (!found) throw epcisSubscriptionNotFound(id);
    return found;
  }

  /** @throws DomainError 404 `epcis_query_not_found` */
  async ofQuery(actor: Actor, queryName: string): Promise<readonly QuerySubscription[]> {
    await this.queries.byName(actor, queryName);
    return this.work.read(actor, (tx) => this.subscriptions.ofQuery(tx, queryName));
  }

  /** With its webhook, whose deliveries stay readable. @throws DomainError 404 `epcis_subscription_not_found` */
  async remove(actor: Actor, queryName: string, id: string): Promise<void> {
    const { webhookId } = await this.byId(actor, queryName, id);
    await this.work.inTransaction(actor, async (tx) => {
      await this.subscriptions.delete(tx, id);
      await this.webhooks.remove(tx, actor, webhookId);
    });
  }
}
