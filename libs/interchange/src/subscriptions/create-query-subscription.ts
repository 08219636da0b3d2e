import { type Actor, Clock, DomainError, invalidContent, newId } from '#kernel';
import { DirectWebhooks } from '#webhooks';
import { Injectable } from '@nestjs/common';
import { epcisQueryNotFound } from '../errors.js';
import type { Json } from '../epcis/json.js';
import { DefineQuery, simpleQueryOf } from '../repository/define-query.js';
import { PendingEventQueries } from '../repository/pending-events.queries.js';
import { type QuerySubscription, readSubscription } from './query-subscription.js';
import { QuerySubscriptionQueries } from './query-subscriptions.queries.js';
import { nextDue } from './schedule.js';

/** Each new event is examined for each of them. */
const MOST_SUBSCRIPTIONS = 100;
/** Earlier events that a new subscription gets. */
const MOST_EARLIER = 10_000;
export const QUERY_EVENT = 'epcis.query';

/** Subscriptions to the queries of a tenant. */
@Injectable()
export class CreateQuerySubscription {
  constructor(
    private readonly clock: Clock,
    private readonly queries: DefineQuery,
    private readonly subscriptions: QuerySubscriptionQueries,
    private readonly pending: PendingEventQueries,
    private readonly webhooks: DirectWebhooks,
  ) {}

  /** @throws DomainError 422 for what is no subscription, `webhook_url_*`; 404 `epcis_query_not_found`; 429 `quota_exceeded` */
  async create(
    actor: Actor,
    queryName: string,
    body: Json,
    origin: string,
  ): Promise<{ readonly subscription: QuerySubscription; readonly secret: string }> {
    const read = readSubscription(body);
    if (!('url' in read)) throw invalidContent(read);
    const { url, initialRecordTime, ...request } = read;
    await this.requireFit(actor, queryName);
    const now = this.clock.now();
    const about = { id: newId(), queryName, ...request, origin, createdAt: now, since: initialRecordTime ?? now, sentAt: null };
    const nextDueAt = request.schedule && nextDue(request.schedule, now);
    let subscription: QuerySubscription | null = null;
    const { secret } = await this.webhook(actor, url, async (tx, webhookId) => {
      if (!(await this.subscriptions.holdQuery(tx, queryName))) throw epcisQueryNotFound(queryName);
      await this.pending.hold(tx);
      if ((await this.subscriptions.count(tx)) >= MOST_SUBSCRIPTIONS)
        throw invalidContent([
          { pointer: '', code: 'too_many', message: `A tenant has at most ${MOST_SUBSCRIPTIONS} subscriptions to queries.` },
        ]);
      subscription = { ...about, webhookId, nextDueAt };
      await this.subscriptions.insert(tx, subscription, actor.id);
      const earlier = initialRecordTime && (await this.subscriptions.addEarlier(tx, about.id, initialRecordTime, MOST_EARLIER + 1));
      if (earlier !== null && earlier > MOST_EARLIER) throw tooEarly();
    });
    return { subscription: subscription!, secret };
  }

  /** Here, the URL is named `dest`. */
  private async webhook(
    actor: Actor,
    url: string,
    also: Parameters<DirectWebhooks['register']>[2],
  ): ReturnType<DirectWebhooks['register']> {
    try {
      return await this.webhooks.register(actor, { url, event: QUERY_EVENT }, also);
    } catch (error) {
      if (!(error instanceof DomainError) || !error.code.startsWith('webhook_url_')) throw error;
      const errors = error.details.errors?.map((one) => ({ ...one, pointer: '/dest' }));
      throw new DomainError(error.code, error.status, error.message, { ...error.details, ...(errors && { errors }) });
    }
  }

  /** Limits are of one answer, and results of a subscription are many. */
  private async requireFit(actor: Actor, queryName: string): Promise<void> {
    const { eventCountLimit, maxEventCount } = simpleQueryOf(await this.queries.byName(actor, queryName));
    if (eventCountLimit === null && maxEventCount === null) return;
    const message = 'A query with eventCountLimit or maxEventCount cannot be subscribed to.';
    throw invalidContent([{ pointer: '', code: 'not_allowed', message }]);
  }
}

const tooEarly = () => {
  const message = `More than ${MOST_EARLIER} events were written since then: name a later time, and read the others by the query.`;
  return invalidContent([{ pointer: '/initialRecordTime', code: 'out_of_range', message }]);
};
