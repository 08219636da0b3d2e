import { Injectable } from '@nestjs/common';
import { isUuid } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { recordedSpan } from '#tracing';
import { type DeliveryStatus, RESENDABLE } from './delivery.js';
import { deliveryInFlight, deliveryNotFound, webhookNotFound } from '../errors.js';

export interface DeliveryFilter {
  readonly event: string | null;
  readonly status: DeliveryStatus | null;
  readonly before: { readonly createdAt: string; readonly id: string } | null;
  readonly limit: number;
}

/** A row of the list; times in ISO 8601. */
export interface DeliveryRecord {
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: string;
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly attempt: number;
  readonly resends: number;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly deliveredBefore: boolean;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** `createdAt` in full, for the cursor: a Date has no microseconds. */
  readonly position: string;
  readonly attempts: readonly AttemptRecord[];
}

export interface AttemptRecord {
  readonly number: number;
  readonly manual: boolean;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly startedAt: string;
  readonly durationMs: number;
}

/** What was sent, and what signs it. Ids as they are stored. */
export interface DeliveryContent {
  readonly id: string;
  readonly subscriptionId: string;
  readonly url: string;
  readonly event: string;
  readonly body: string | null;
  readonly sealedSecret: string | null;
  readonly sealedPreviousSecret: string | null;
  readonly previousSecretUntil: Date | null;
}

interface NewDelivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

/** The subscription of a delivery. */
interface DeliveryTarget {
  readonly id: string;
  readonly url: string;
  readonly deletedAt: Date | null;
}

/** The admin's side of the delivery table, within one tenant. */
@Injectable()
export class DeliveriesQueries {
  /** @throws DomainError 404 `webhook_not_found` */
  async requireSubscription(tx: TenantTx, id: string, which: 'not deleted' | 'deleted too' = 'not deleted'): Promise<void> {
    if (!isUuid(id)) throw webhookNotFound(id);
    const found = await tx.sql('select from webhooks.subscription where tenant_id = $1 and id = $2 and (deleted_at is null or $3)', [
      tx.tenantId,
      id,
      which === 'deleted too',
    ]);
    if (found.length === 0) throw webhookNotFound(id);
  }

  /** Of a deleted subscription too: its deliveries stay readable. @throws DomainError 404 `webhook_not_found` */
  async list(tx: TenantTx, subscriptionId: string, filter: DeliveryFilter): Promise<readonly DeliveryRecord[]> {
    if (!isUuid(subscriptionId)) throw webhookNotFound(subscriptionId);
    const { event, status, before, limit } = filter;
    const [, records] = await Promise.all([
      this.requireSubscription(tx, subscriptionId, 'deleted too'),
      tx.sql<DeliveryRecord>(LIST, [tx.tenantId, subscriptionId, event, status, before?.createdAt ?? null, before?.id ?? null, limit]),
    ]);
    return records;
  }

  /** Of a deleted subscription too. @throws DomainError 404 `webhook_not_found`, `delivery_not_found` */
  async content(tx: TenantTx, subscriptionId: string, id: string): Promise<DeliveryContent> {
    if (!isUuid(subscriptionId)) throw webhookNotFound(subscriptionId);
    if (!isUuid(id)) throw deliveryNotFound(id);
    const [, [found]] = await Promise.all([
      this.requireSubscription(tx, subscriptionId, 'deleted too'),
      tx.sql<DeliveryContent>(
        `select d.id, d.subscription_id as "subscriptionId", d.url, d.event, m.body, s.sealed_secret as "sealedSecret",
           s.sealed_previous_secret as "sealedPreviousSecret", s.previous_secret_until as "previousSecretUntil"
         from webhooks.delivery d
         join webhooks.subscription s on s.tenant_id = d.tenant_id and s.id = d.subscription_id
         left join webhooks.message m on m.tenant_id = d.tenant_id and m.id = d.message_id
         where d.tenant_id = $1 and d.subscription_id = $2 and d.id = $3`,
        [tx.tenantId, subscriptionId, id],
      ),
    ]);
    if (!found) throw deliveryNotFound(id);
    return found;
  }

  /** It is sent although the subscription does not listen to it, or is paused or inactive. */
  async addTest(tx: TenantTx, subscription: DeliveryTarget, { id, event, body }: NewDelivery, at: Date): Promise<void> {
    const traceparent = recordedSpan()?.traceparent ?? null;
    await Promise.all([
      tx.sql('insert into webhooks.message (tenant_id, id, topic, body, created_at, traceparent) values ($1, $2, $3, $4, $5, $6)', [
        ...[tx.tenantId, id, event, body],
        ...[at, traceparent],
      ]),
      tx.sql(
        `insert into webhooks.delivery
           (tenant_id, id, subscription_id, message_id, event, url, status, next_attempt_at, created_at, updated_at)
         values ($1, $2, $3, $2, $4, $5, 'pending', $6, $6, $6)`,
        [tx.tenantId, id, subscription.id, event, subscription.url, at],
      ),
    ]);
  }

  /** For this webhook alone; held while it is paused, discarded while it is inactive. @returns false where it was deleted */
  async addDirect(tx: TenantTx, subscriptionId: string, { id, event, body }: NewDelivery, at: Date): Promise<boolean> {
    const rows = await tx.sql(
      `with target as materialized (
         select id, url, active, paused_since from webhooks.subscription where tenant_id = $1 and id = $2 and deleted_at is null for share
       ), message as (
         insert into webhooks.message (tenant_id, id, topic, body, created_at, traceparent) select $1, $3, $4, $5, $6, $7 from target
       )
       insert into webhooks.delivery
         (tenant_id, id, subscription_id, message_id, event, url, status, next_attempt_at, error, created_at, updated_at)
       select $1, $3, id, $3, $4, url, case when active then 'pending' else 'discarded' end,
         case when active and paused_since is null then $6::timestamptz end,
         case when not active then 'The subscription is not active.' end, $6, $6
       from target returning id`,
      [tx.tenantId, subscriptionId, id, event, body, at, recordedSpan()?.traceparent ?? null],
    );
    return rows.length > 0;
  }

  /** @throws DomainError 404 `delivery_not_found`, 409 `delivery_in_flight` */
  async resend(tx: TenantTx, subscriptionId: string, id: string, at: Date): Promise<void> {
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

  /** Sends all failed ones again that were created from `since` on. @returns how many */
  async recover(tx: TenantTx, subscriptionId: string, since: Date, at: Date): Promise<number> {
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

  /** Of an inactive subscription what an admin asked for is still sent; of a deleted one nothing. */
  async discardWaiting(tx: TenantTx, subscription: DeliveryTarget, reason: string, at: Date): Promise<void> {
    await tx.sql(
      `update webhooks.delivery set status = 'discarded', next_attempt_at = null, manual = false, error = $3, updated_at = $4
       where tenant_id = $1 and subscription_id = $2 and status in ('pending', 'retrying')
         and ($5 or not (manual or event = 'webhook.test'))`,
      [tx.tenantId, subscription.id, reason, at, subscription.deletedAt !== null],
    );
  }

  /** Releases what a pause held back. */
  async releaseHeld(tx: TenantTx, subscriptionId: string, at: Date): Promise<void> {
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

/** Deliveries whose time has come and that nobody attempts, over all tenants. */
export interface DeliveryBacklog {
  /** Ends at 10,000. */
  readonly due: number;
  /** For how long the oldest of them has been due; null where there is none. */
  readonly oldestSeconds: number | null;
}

/** Reads the index of what waits, by jumping from one subscription to the next: at most 10,000 of each. What a pause holds back is not due. */
export async function deliveryBacklog(tx: SystemTx): Promise<DeliveryBacklog> {
  // The index gives the order that old statistics would have the planner sort for.
  await tx.sql('set local enable_sort = off');
  const [backlog] = await tx.sql<DeliveryBacklog>(BACKLOG, [10_000]);
  return backlog!;
}

const BACKLOG = `
  with recursive lane as (
    (select tenant_id, subscription_id, next_attempt_at, 1 as place from webhooks.delivery
     where status in ('pending', 'retrying') order by tenant_id, subscription_id, next_attempt_at limit 1)
    union all
    select next.*, lane.place + 1 from lane cross join lateral (
      select tenant_id, subscription_id, next_attempt_at from webhooks.delivery
      where status in ('pending', 'retrying') and (tenant_id, subscription_id) > (lane.tenant_id, lane.subscription_id)
      order by tenant_id, subscription_id, next_attempt_at limit 1
    ) next where lane.place < $1
  )
  select (select count(*) from (
            select from lane cross join lateral (
              select from webhooks.delivery d
              where d.tenant_id = lane.tenant_id and d.subscription_id = lane.subscription_id and d.status in ('pending', 'retrying')
                and d.next_attempt_at <= now()
              order by d.next_attempt_at limit $1
            ) due where lane.next_attempt_at <= now() limit $1
          ) counted)::int as due,
         (select extract(epoch from now() - min(next_attempt_at)) from lane where next_attempt_at <= now())::float8 as "oldestSeconds"`;
