import { EntitySchema } from 'typeorm';
import { isUuid } from '#kernel';
import type { TenantTx } from '#persistence';
import { tooManyWebhooks, webhookNotFound } from '../errors.js';
import { Subscription } from './subscription.js';

/** Of one tenant. Deleted subscriptions are not found. */
export class SubscriptionsQueries {
  constructor(private readonly limit: number) {}

  /** For one more; waits for other transactions that asked and are open. @throws DomainError 429 `quota_exceeded` */
  async requireRoom(tx: TenantTx): Promise<void> {
    await tx.sql(`select pg_advisory_xact_lock(hashtextextended('webhooks.subscription:' || $1, 0))`, [tx.tenantId]);
    if ((await this.count(tx)) >= this.limit) throw tooManyWebhooks(this.limit);
  }

  async add(tx: TenantTx, subscription: Subscription): Promise<void> {
    await tx.repository(Subscription).insert(subscription);
  }

  async count(tx: TenantTx): Promise<number> {
    const [row] = await tx.sql<{ held: number }>(
      'select count(*)::int as held from webhooks.subscription where tenant_id = $1 and deleted_at is null',
      [tx.tenantId],
    );
    return row!.held;
  }

  async save(tx: TenantTx, subscription: Subscription): Promise<void> {
    await tx.repository(Subscription).save(subscription);
  }

  /** Locked until the transaction ends. @throws DomainError 404 `webhook_not_found` */
  forChange(tx: TenantTx, id: string): Promise<Subscription> {
    return this.one(tx, id, true);
  }

  /** @throws DomainError 404 `webhook_not_found` */
  byId(tx: TenantTx, id: string): Promise<Subscription> {
    return this.one(tx, id, false);
  }

  /** Newest first. */
  all(tx: TenantTx): Promise<readonly Subscription[]> {
    const rows = 'webhooks.subscription where tenant_id = $1 and deleted_at is null order by created_at desc, id desc';
    return tx.find(Subscription, rows, [tx.tenantId]);
  }

  private async one(tx: TenantTx, id: string, lock: boolean): Promise<Subscription> {
    if (!isUuid(id)) throw webhookNotFound(id);
    const rows = `webhooks.subscription where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`;
    const [found] = await tx.find(Subscription, rows, [tx.tenantId, id]);
    if (!found || found.deletedAt !== null) throw webhookNotFound(id);
    return found;
  }
}

const time = (name: string, nullable = false) => ({ name, type: 'timestamptz', nullable }) as const;

export const subscriptionEntity = new EntitySchema<Subscription>({
  name: 'WebhookSubscription',
  target: Subscription,
  schema: 'webhooks',
  tableName: 'subscription',
  columns: {
    tenantId: { name: 'tenant_id', type: 'uuid', primary: true },
    id: { type: 'uuid', primary: true },
    url: { type: 'text' },
    events: { type: 'text', array: true },
    active: { type: 'boolean' },
    pausedSince: time('paused_since', true),
    pausedReason: { name: 'paused_reason', type: 'text', nullable: true },
    failingSince: time('failing_since', true),
    sealedSecret: { name: 'sealed_secret', type: 'text', nullable: true },
    sealedPreviousSecret: { name: 'sealed_previous_secret', type: 'text', nullable: true },
    previousSecretUntil: time('previous_secret_until', true),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
    deletedAt: time('deleted_at', true),
  },
});
