import type { SystemTx } from '#persistence';

/** One batch of released messages, in order: a delivery for each active subscription to their topics. */
export async function fanOut(tx: SystemTx, batch: number, at: Date): Promise<{ readonly messages: number; readonly deliveries: number }> {
  const [counts] = await tx.sql<{ messages: number; deliveries: number }>(FAN_OUT, [batch, at]);
  return counts!;
}

/**
 * $1 batch, $2 now. Rows are taken in the order they were written and marked in the same transaction as their deliveries, so
 * a relay that dies leaves them to the next one; two relays never take the same row. The patterns are those of topic-catalogue.ts.
 * The bytes move to the message, which is deleted in time. The outbox always keeps its keys, so that nothing is sent twice when the
 * chain is indexed again (docs/adr/0009-outbox-with-finality.md).
 */
const FAN_OUT = `
  with taken as materialized (
    select tenant_id, id, body from persistence.outbox where released and relayed_at is null order by seq limit $1 for update skip locked
  ), due as materialized (
    update persistence.outbox o set relayed_at = $2, body = '' from taken where o.tenant_id = taken.tenant_id and o.id = taken.id
    returning o.id, o.tenant_id, o.topic, taken.body, o.seq, o.traceparent
  ), matched as materialized (
    select due.tenant_id, due.id as message_id, due.topic, due.seq, s.id as subscription_id, s.url, s.paused_since is not null as paused
    from due join webhooks.subscription s
      on s.tenant_id = due.tenant_id and s.active and s.deleted_at is null
     and s.events && array[due.topic, split_part(due.topic, '.', 1) || '.*', '*']
  ), messages as (
    insert into webhooks.message (tenant_id, id, topic, body, created_at, traceparent)
    select tenant_id, id, topic, body, $2, traceparent from due where exists (select from matched m where m.message_id = due.id)
  ), deliveries as (
    insert into webhooks.delivery
      (tenant_id, id, subscription_id, message_id, event, url, status, next_attempt_at, created_at, updated_at)
    select tenant_id, gen_random_uuid(), subscription_id, message_id, topic, url, 'pending',
           -- a microsecond a row keeps the order of the outbox for the list and for the lease
           case when not paused then $2::timestamptz + place * interval '1 microsecond' end,
           $2::timestamptz + place * interval '1 microsecond', $2
    from (select *, row_number() over (order by seq) - 1 as place from matched) m
    returning 1
  )
  select (select count(*) from due)::int as messages, (select count(*) from deliveries)::int as deliveries`;
