import { isUuid } from '#kernel';
import type { TenantTx } from '#persistence';
import { tooManyWebhooks, webhookNotFound } from '../../domain/errors.js';
import { Subscription } from '../../domain/subscription.js';
import { Subscriptions } from '../../ports.js';

export class SqlSubscriptions extends Subscriptions {
  constructor(private readonly limit: number) {
    super();
  }

  override async requireRoom(tx: TenantTx): Promise<void> {
    await tx.sql(`select pg_advisory_xact_lock(hashtextextended('webhooks.subscription:' || $1, 0))`, [tx.tenantId]);
    if ((await this.count(tx)) >= this.limit) throw tooManyWebhooks(this.limit);
  }

  override async add(tx: TenantTx, subscription: Subscription): Promise<void> {
    await tx.repository(Subscription).insert(subscription);
  }

  override async count(tx: TenantTx): Promise<number> {
    const [row] = await tx.sql<{ held: number }>(
      'select count(*)::int as held from webhooks.subscription where tenant_id = $1 and deleted_at is null',
      [tx.tenantId],
    );
    return row!.held;
  }

  override async save(tx: TenantTx, subscription: Subscription): Promise<void> {
    await tx.repository(Subscription).save(subscription);
  }

  override forChange(tx: TenantTx, id: string): Promise<Subscription> {
    return this.one(tx, id, true);
  }

  override byId(tx: TenantTx, id: string): Promise<Subscription> {
    return this.one(tx, id, false);
  }

  override all(tx: TenantTx): Promise<readonly Subscription[]> {
    return tx
      .repository(Subscription)
      .createQueryBuilder('s')
      .where('s.tenantId = :tenantId and s.deletedAt is null', { tenantId: tx.tenantId })
      .orderBy({ 's.createdAt': 'DESC', 's.id': 'DESC' })
      .getMany();
  }

  private async one(tx: TenantTx, id: string, lock: boolean): Promise<Subscription> {
    if (!isUuid(id)) throw webhookNotFound(id);
    const found = await tx
      .repository(Subscription)
      .findOne({ where: { tenantId: tx.tenantId, id }, ...(lock && { lock: { mode: 'pessimistic_write' as const } }) });
    if (!found || found.deletedAt !== null) throw webhookNotFound(id);
    return found;
  }
}
