import { isUuid } from '#kernel';
import type { TenantTx } from '#persistence';
import { recordedSpan } from '#tracing';
import { type DeliveryStatus, RESENDABLE } from '../../domain/delivery.js';
import { deliveryInFlight, deliveryNotFound, webhookNotFound } from '../../domain/errors.js';
import type { Subscription } from '../../domain/subscription.js';
import { Deliveries, type DeliveryFilter, type DeliveryRecord, type NewDelivery } from '../../ports.js';

export class SqlDeliveries extends Deliveries {
  override async list(tx: TenantTx, subscriptionId: string, filter: DeliveryFilter): Promise<readonly DeliveryRecord[]> {
    if (!isUuid(subscriptionId)) throw webhookNotFound(subscriptionId);
    const known = await tx.sql('select from webhooks.subscription where tenant_id = $1 and id = $2', [tx.tenantId, subscriptionId]);
    if (known.length === 0) throw webhookNotFound(subscriptionId);
    return tx.sql<DeliveryRecord>(LIST, [
      tx.tenantId,
      subscriptionId,
      filter.event,
      filter.status,
      filter.before?.createdAt ?? null,
      filter.before?.id ?? null,
      filter.limit,
    ]);
  }

  override async addTest(tx: TenantTx, subscription: Subscription, { id, event, body }: NewDelivery, at: Date): Promise<void> {
    await tx.sql('insert into webhooks.message (tenant_id, id, topic, body, created_at, traceparent) values ($1, $2, $3, $4, $5, $6)', [
      tx.tenantId,
      id,
      event,
      body,
      at,
      recordedSpan()?.traceparent ?? null,
    ]);
    await tx.sql(
      `insert into webhooks.delivery
         (tenant_id, id, subscription_id, message_id, event, url, status, next_attempt_at, created_at, updated_at)
       values ($1, $2, $3, $2, $4, $5, 'pending', $6, $6, $6)`,
      [tx.tenantId, id, subscription.id, event, subscription.url, at],
    );
  }

  override async resend(tx: TenantTx, subscriptionId: string, id: string, at: Date): Promise<void> {
    if (!isUuid(id) || !isUuid(subscriptionId)) throw deliveryNotFound(id);
    const [found] = await tx.sql<{ status: DeliveryStatus }>(
      'select status from webhooks.delivery where tenant_id = $1 and subscription_id = $2 and id = $3 for update',
      [tx.tenantId, subscriptionId, id],
    );
    if (!found) throw deliveryNotFound(id);
    if (found.status !== 'pending' && !RESENDABLE.includes(found.status)) throw deliveryInFlight(id);
    await tx.sql(
      `update webhooks.delivery set status = 'pending', manual = (manual or status <> 'pending'), next_attempt_at = $3, updated_at = $3
       where tenant_id = $1 and id = $2`,
      [tx.tenantId, id, at],
    );
  }

  override async recover(tx: TenantTx, subscriptionId: string, since: Date, at: Date): Promise<number> {
    const [found] = await tx.sql<{ sent: number }>(
      `with sent as (
         update webhooks.delivery set status = 'pending', manual = true, next_attempt_at = $4, updated_at = $4
         where tenant_id = $1 and subscription_id = $2 and created_at >= $3 and status = 'failed' returning 1
       )
       select count(*)::int as sent from sent`,
      [tx.tenantId, subscriptionId, since, at],
    );
    return found!.sent;
  }

  override async discardWaiting(tx: TenantTx, subscription: Subscription, reason: string, at: Date): Promise<void> {
    await tx.sql(
      `update webhooks.delivery set status = 'discarded', next_attempt_at = null, manual = false, error = $3, updated_at = $4
       where tenant_id = $1 and subscription_id = $2 and status in ('pending', 'retrying')
         and ($5 or not (manual or event = 'webhook.test'))`,
      [tx.tenantId, subscription.id, reason, at, subscription.deletedAt !== null],
    );
  }

  override async releaseHeld(tx: TenantTx, subscriptionId: string, at: Date): Promise<void> {
    await tx.sql(
      `update webhooks.delivery set next_attempt_at = $3, updated_at = $3
       where tenant_id = $1 and subscription_id = $2 and status in ('pending', 'retrying') and next_attempt_at is null`,
      [tx.tenantId, subscriptionId, at],
    );
  }
}

const LIST = `
  select d.id, d.subscription_id as "subscriptionId", d.event, d.url, d.status, d.attempt, d.resends,
         d.status_code as "statusCode", d.response_body as "responseBody", d.error,
         d.delivered_at is not null as "deliveredBefore", d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt",
         to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position,
         coalesce(a.attempts, '[]') as attempts
  from (
    select * from webhooks.delivery
    where tenant_id = $1 and subscription_id = $2
      and ($3::text is null or event = $3) and ($4::text is null or status = $4)
      and ($5::timestamptz is null or (created_at, id) < ($5::timestamptz, $6::uuid))
    order by created_at desc, id desc limit $7
  ) d
  left join lateral (
    select jsonb_agg(jsonb_build_object(
             'number', number, 'manual', manual, 'statusCode', status_code, 'responseBody', response_body, 'error', error,
             'startedAt', to_char(started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'durationMs', duration_ms) order by number) as attempts
    from webhooks.attempt where tenant_id = d.tenant_id and delivery_id = d.id
  ) a on true
  order by d.created_at desc, d.id desc`;
