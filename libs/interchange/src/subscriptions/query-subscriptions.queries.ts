import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { QuerySubscription } from './query-subscription.js';
import type { Schedule } from './schedule.js';

interface Row extends Omit<QuerySubscription, 'schedule'> {
  readonly schedule: string | null;
}

const COLUMNS = `id, query_name as "queryName", webhook_id as "webhookId", schedule, next_due_at as "nextDueAt",
  report_if_empty as "reportIfEmpty", sent_at as "sentAt", since, origin, created_at as "createdAt"`;

@Injectable()
export class QuerySubscriptionQueries {
  /** Until the end of the transaction, the query cannot be deleted. @returns false where there is none */
  async holdQuery(tx: TenantTx, name: string): Promise<boolean> {
    return (
      (await tx.sql('select from interchange.epcis_query where tenant_id = $1 and name = $2 for share', [tx.tenantId, name])).length > 0
    );
  }

  async insert(tx: TenantTx, subscription: QuerySubscription, by: string): Promise<void> {
    const { id, queryName, webhookId, schedule, nextDueAt, reportIfEmpty, since, origin, createdAt } = subscription;
    await tx.sql(
      `insert into interchange.epcis_subscription
         (tenant_id, id, query_name, webhook_id, schedule, next_due_at, report_if_empty, since, origin, created_at, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[tx.tenantId, id, queryName, webhookId, schedule && JSON.stringify(schedule), nextDueAt],
        ...[reportIfEmpty, since, origin, createdAt, by],
      ],
    );
  }

  /** What was written since `since` and is final waits for the subscription, counted no further than `most`. @returns how many */
  async addEarlier(tx: TenantTx, id: string, since: Date, most: number): Promise<number> {
    const rows = await tx.sql(
      `insert into interchange.epcis_pending (tenant_id, subscription_id, key)
       select $1, $2, e.key from (
         select distinct key from interchange.epcis_event
         where tenant_id = $1 and record_time >= $3
           and (block_number is null or block_number <= (select final_block from interchange.epcis_cursor where tenant_id = $1))
         order by key limit $4
       ) e returning key`,
      [tx.tenantId, id, since, most],
    );
    return rows.length;
  }

  /** In the order of their making. */
  async ofQuery(tx: TenantTx, queryName: string): Promise<readonly QuerySubscription[]> {
    const rows = await tx.sql<Row>(
      `select ${COLUMNS} from interchange.epcis_subscription where tenant_id = $1 and query_name = $2 order by created_at, id`,
      [tx.tenantId, queryName],
    );
    return rows.map(subscriptionOf);
  }

  async byId(tx: TenantTx, queryName: string, id: string): Promise<QuerySubscription | null> {
    const [row] = await tx.sql<Row>(
      `select ${COLUMNS} from interchange.epcis_subscription where tenant_id = $1 and query_name = $2 and id = $3`,
      [tx.tenantId, queryName, id],
    );
    return row ? subscriptionOf(row) : null;
  }

  async delete(tx: TenantTx, id: string): Promise<void> {
    await tx.sql('delete from interchange.epcis_subscription where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  }

  async count(tx: TenantTx): Promise<number> {
    const [row] = await tx.sql<{ count: string }>('select count(*) from interchange.epcis_subscription where tenant_id = $1', [
      tx.tenantId,
    ]);
    return Number(row!.count);
  }

  /** Tenants with a subscription that has something to do. */
  dueTenants(tx: SystemTx, now: Date): Promise<{ tenantId: string; slug: string }[]> {
    return tx.sql(
      `select t.tenant_id as "tenantId", t.slug from identity.tenant_v1 t
       where exists (select from interchange.epcis_subscription s where s.tenant_id = t.tenant_id and ${IS_DUE('$1')}) order by t.slug`,
      [now],
    );
  }

  async due(tx: TenantTx, now: Date): Promise<readonly string[]> {
    const rows = await tx.sql<{ id: string }>(
      `select s.id from interchange.epcis_subscription s where s.tenant_id = $1 and ${IS_DUE('$2')} order by s.id`,
      [tx.tenantId, now],
    );
    return rows.map(({ id }) => id);
  }

  /** Locked for this transaction. @returns null where it is gone, or another process has it */
  async acquire(tx: TenantTx, id: string): Promise<QuerySubscription | null> {
    const [row] = await tx.sql<Row>(
      `select ${COLUMNS} from interchange.epcis_subscription where tenant_id = $1 and id = $2 for update skip locked`,
      [tx.tenantId, id],
    );
    return row ? subscriptionOf(row) : null;
  }

  /** The next events to examine, in their order. What is not final yet waits. */
  async next(tx: TenantTx, id: string, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ key: string }>(
      `select p.key from interchange.epcis_pending p where p.tenant_id = $1 and p.subscription_id = $2 and not p.is_done and ${IS_FINAL}
       order by p.place limit $3`,
      [tx.tenantId, id, limit],
    );
    return rows.map(({ key }) => key);
  }

  async settle(tx: TenantTx, id: string, keys: readonly string[]): Promise<void> {
    await tx.sql('delete from interchange.epcis_pending where tenant_id = $1 and subscription_id = $2 and key = any($3::text[])', [
      tx.tenantId,
      id,
      keys,
    ]);
  }

  async saveProgress(tx: TenantTx, { id, sentAt, nextDueAt }: Pick<QuerySubscription, 'id' | 'sentAt' | 'nextDueAt'>): Promise<void> {
    await tx.sql('update interchange.epcis_subscription set sent_at = $3, next_due_at = $4 where tenant_id = $1 and id = $2', [
      tx.tenantId,
      id,
      sentAt,
      nextDueAt,
    ]);
  }
}

const IS_FINAL = `not exists (
  select from interchange.epcis_event e join interchange.epcis_cursor c on c.tenant_id = e.tenant_id
  where e.tenant_id = p.tenant_id and e.key = p.key and e.block_number > c.final_block)`;

const IS_DUE = (now: string): string => `(s.next_due_at <= ${now} or s.schedule is null and exists (
  select from interchange.epcis_pending p where p.tenant_id = s.tenant_id and p.subscription_id = s.id and not p.is_done and ${IS_FINAL}))`;

const subscriptionOf = ({ schedule, ...row }: Row): QuerySubscription => ({
  ...row,
  schedule: schedule === null ? null : (JSON.parse(schedule) as Schedule),
});
