import type { SystemTx } from '#persistence';

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
