import type { SystemTx } from '#persistence';
import { CHANGES_CHANNEL } from '../changes/change.js';

/** One batch of released messages, in order: each gets its place in the change feed, and a delivery for each active subscription to its topic. */
export async function fanOut(tx: SystemTx, batch: number, at: Date): Promise<{ readonly messages: number; readonly deliveries: number }> {
  const [, [counts]] = await Promise.all([
    tx.sql(ONE_RELAY_AT_A_TIME),
    tx.sql<{ messages: number; deliveries: number }>(FAN_OUT, [batch, at]),
  ]);
  return counts!;
}

/**
 * Places are given in the order in which they become visible: a reader that has seen one never finds a smaller one later. A message that is
 * committed late gets a later place, whatever its number in the outbox. The next statement sees what the relay before it committed.
 */
const ONE_RELAY_AT_A_TIME = `select pg_advisory_xact_lock(hashtextextended('webhooks.relay', 0))`;

/**
 * $1 batch, $2 now. Rows are taken in the order they were written and marked in the same transaction as their deliveries, so
 * a relay that dies leaves them to the next one. The patterns are those of topic-catalogue.ts.
 * The bytes move to the message, which is deleted in time. The outbox always keeps its keys, so that nothing is sent twice when the
 * chain is indexed again (docs/adr/0009-outbox-with-finality.md).
 */
const FAN_OUT = `
  with taken as materialized (
    select tenant_id, id, body from persistence.outbox where released and relayed_at is null order by seq limit $1 for update
  ), due as materialized (
    update persistence.outbox o set relayed_at = $2, body = '' from taken where o.tenant_id = taken.tenant_id and o.id = taken.id
    returning o.id, o.tenant_id, o.topic, taken.body, o.seq, o.traceparent
  ), ends as materialized (
    insert into webhooks.feed as f (tenant_id, last_position) select tenant_id, count(*) from due group by tenant_id order by tenant_id
    on conflict (tenant_id) do update set last_position = f.last_position + excluded.last_position returning f.tenant_id, f.last_position
  ), matched as materialized (
    select due.tenant_id, due.id as message_id, due.topic, due.seq, s.id as subscription_id, s.url, s.paused_since is not null as paused
    from due join webhooks.subscription s
      on s.tenant_id = due.tenant_id and s.active and s.deleted_at is null
     and s.events && array[due.topic, split_part(due.topic, '.', 1) || '.*', '*']
  ), messages as (
    insert into webhooks.message (tenant_id, id, position, topic, body, created_at, traceparent)
    select tenant_id, due.id, ends.last_position + 1 - row_number() over (partition by tenant_id order by due.seq desc), due.topic, due.body, $2,
           due.traceparent
    from due join ends using (tenant_id)
  ), deliveries as (
    insert into webhooks.delivery
      (tenant_id, id, subscription_id, message_id, event, url, status, next_attempt_at, created_at, updated_at)
    select tenant_id, gen_random_uuid(), subscription_id, message_id, topic, url, 'pending',
           -- a microsecond a row keeps the order of the outbox for the list and for the lease
           case when not paused then $2::timestamptz + place * interval '1 microsecond' end,
           $2::timestamptz + place * interval '1 microsecond', $2
    from (select *, row_number() over (order by seq) - 1 as place from matched) m
    returning 1
  ), readers as materialized (
    select pg_notify('${CHANGES_CHANNEL}', tenant_id::text) from ends
  )
  select (select count(*) from due)::int as messages, (select count(*) from deliveries)::int as deliveries,
         (select count(*) from readers)::int as tenants`;
