import { Clock, EngineUnavailable } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { holdErasures } from '#sealed-contents';
import { DirectMessages } from '#webhooks';
import { Injectable } from '@nestjs/common';
import { simpleQueryOf } from '../repository/define-query.js';
import { EpcisEventQueries, type Reader } from '../repository/epcis-events.queries.js';
import { NamedQueryQueries } from '../repository/named-queries.queries.js';
import { queryDocumentText } from '../repository/query-document.js';
import { QUERY_EVENT } from './create-query-subscription.js';
import type { QuerySubscription } from './query-subscription.js';
import { QuerySubscriptionQueries } from './query-subscriptions.queries.js';
import { nextDue } from './schedule.js';

interface Tenant {
  readonly tenantId: string;
  readonly slug: string;
}

/** Events that are examined, and sent, together. */
const BATCH = 100;
/** Those who subscribe are administrators, who read every event whole. */
const READER: Reader = { readsAll: true, orgId: null, scope: null };

/** Which of some events a subscription gets. */
@Injectable()
export class MatchingEvents {
  constructor(
    private readonly queries: NamedQueryQueries,
    private readonly events: EpcisEventQueries,
  ) {}

  /** JSON of each. */
  async among(tx: TenantTx, { queryName }: QuerySubscription, keys: readonly string[]): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const query = simpleQueryOf((await this.queries.byName(tx, queryName))!);
    const conditions = [...query.conditions, { kind: 'keys', any: keys } as const];
    const found = await this.events.page(tx, READER, { ...query, conditions }, null, keys.length);
    return found.map(({ text }) => text);
  }
}

/**
 * Examines new events for each subscription and sends those that its query finds. What is sent is a delivery of a webhook, written in the
 * transaction that forgets the events: a process that dies has done both or nothing.
 */
@Injectable()
export class SendQueryResults {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly subscriptions: QuerySubscriptionQueries,
    private readonly matches: MatchingEvents,
    private readonly messages: DirectMessages,
  ) {}

  async tenants(): Promise<readonly Tenant[]> {
    return this.work.readAsSystem((tx) => this.subscriptions.dueTenants(tx, this.clock.now()));
  }

  /** Until nothing is left. @throws EngineUnavailable at once; AggregateError of those that failed, which stop no other subscription */
  async send(tenant: Tenant, stop: AbortSignal): Promise<void> {
    const due = await this.work.read(tenant, (tx) => this.subscriptions.due(tx, this.clock.now()));
    const failures: unknown[] = [];
    for (const id of due)
      try {
        while (!stop.aborted && (await this.work.inTransaction(tenant, (tx) => this.batch(tx, tenant, id))));
        await this.messages.wake();
      } catch (error) {
        if (error instanceof EngineUnavailable) throw error;
        failures.push(error);
      }
    if (failures.length > 0) throw new AggregateError(failures, 'some subscriptions were not sent', { cause: failures[0] });
  }

  /** @returns whether there is more */
  private async batch(tx: TenantTx, tenant: Tenant, id: string): Promise<boolean> {
    // What is read of events is a message then.
    await holdErasures(tx);
    const subscription = await this.subscriptions.acquire(tx, id);
    const now = this.clock.now();
    if (!subscription) return false;
    const isScheduled = subscription.schedule !== null;
    if (isScheduled && subscription.nextDueAt! > now) return false;
    const keys = await this.subscriptions.next(tx, id, BATCH);
    const found = await this.matches.among(tx, subscription, keys);
    const isEnd = keys.length < BATCH;
    const isSilent = subscription.sentAt === null || (isScheduled && subscription.sentAt < subscription.nextDueAt!);
    const isReport = found.length > 0 || (isEnd && subscription.reportIfEmpty && isSilent);
    if (isReport && !(await this.post(tx, tenant, subscription, found, now))) {
      // Its webhook was deleted.
      await this.subscriptions.delete(tx, id);
      return false;
    }
    await this.subscriptions.settle(tx, id, keys);
    const nextDueAt = isEnd && subscription.schedule ? nextDue(subscription.schedule, now) : subscription.nextDueAt;
    await this.subscriptions.saveProgress(tx, { id, sentAt: isReport ? now : subscription.sentAt, nextDueAt });
    return !isEnd;
  }

  private post(
    tx: TenantTx,
    { slug }: Tenant,
    { id, queryName, webhookId, origin }: QuerySubscription,
    items: readonly string[],
    at: Date,
  ): Promise<boolean> {
    const naming = { base: origin, tenant: slug };
    const address = `${origin}/epcis/${slug}/queries/${queryName}/events`;
    const body = queryDocumentText({ id: address, at, queryName, subscriptionID: id, items }, naming);
    return this.messages.send(tx, webhookId, { event: QUERY_EVENT, body });
  }
}
