/** The worker's SQL. Each is set-based: a batch costs the same few round trips whatever its size. */

/**
 * $1 batch, $2 now. Rows are taken in the order they were written and marked in the same transaction as their deliveries, so
 * a relay that dies leaves them to the next one; two relays never take the same row. The patterns are those of domain/topics.ts.
 * The bytes move: from here on they are the message's, which is forgotten in time. The outbox keeps its keys for ever, so that a
 * projection made anew sends nothing twice (ADR 0009).
 */
export const FAN_OUT = `
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
           -- a microsecond a row keeps the order of the outbox for the list and for the claim
           case when not paused then $2::timestamptz + place * interval '1 microsecond' end,
           $2::timestamptz + place * interval '1 microsecond', $2
    from (select *, row_number() over (order by seq) - 1 as place from matched) m
    returning 1
  )
  select (select count(*) from due)::int as topics, (select count(*) from deliveries)::int as deliveries`;

/**
 * $1 now, $2 cap per subscription, $3 free slots, $4 subscriptions to pass over, $5 tenants with attempts under way here, $6 how many.
 * Subscriptions with something due, found by jumping from one to the next in the index: ten thousand waiting rows of one cost what one
 * row costs. Those at their cap are passed over. One that is failing gets a single slot, so that dead receivers cannot hold all of them
 * until their timeouts.
 *
 * Tenants take turns as in domain/shares.ts, as if each of their subscriptions took one slot: those that would come away empty are not
 * locked. `held` grows and what is free shrinks from turn to turn, so the condition holds up to a turn and for none after it.
 */
export const LANES = `
  with recursive lane as (
    (select tenant_id, subscription_id, next_attempt_at from webhooks.delivery
     where status in ('pending', 'retrying') order by tenant_id, subscription_id, next_attempt_at limit 1)
    union all
    select next.* from lane cross join lateral (
      select tenant_id, subscription_id, next_attempt_at from webhooks.delivery
      where status in ('pending', 'retrying') and (tenant_id, subscription_id) > (lane.tenant_id, lane.subscription_id)
      order by tenant_id, subscription_id, next_attempt_at limit 1
    ) next
  ), due as (
    select lane.*, c.cap, r.room,
           coalesce(($6::int[])[array_position($5::uuid[], lane.tenant_id)], 0)
             + row_number() over (partition by lane.tenant_id order by lane.next_attempt_at) as held
    from lane
    join webhooks.subscription s on s.tenant_id = lane.tenant_id and s.id = lane.subscription_id
    cross join lateral (select case when s.failing_since is null then $2::int else 1 end as cap) c
    cross join lateral (
      select c.cap - count(*)::int as room from webhooks.delivery f
      where f.tenant_id = s.tenant_id and f.subscription_id = s.id and f.status = 'sending'
    ) r
    where lane.next_attempt_at <= $1 and lane.subscription_id <> all($4::uuid[]) and r.room > 0
  ), fair as materialized (
    select due.*, row_number() over (order by held, next_attempt_at) as turn from due
  )
  select s.tenant_id as "tenantId", s.id, fair.cap, fair.room, s.deleted_at is not null as deleted,
         case when s.deleted_at is not null then 'The subscription was deleted.'
              when not s.active then 'The subscription is not active.' end as closed
  from fair
  join webhooks.subscription s on s.tenant_id = fair.tenant_id and s.id = fair.subscription_id
  where fair.held + fair.turn <= $3::int + 1
  for no key update of s skip locked`;

/** $1 tenants, $2 subscriptions, $3 reasons, $4 deleted, $5 now. What came in while the subscription was being closed. */
export const DISCARD = `
  update webhooks.delivery d set status = 'discarded', next_attempt_at = null, manual = false, error = lane.closed, updated_at = $5
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bool[]) as lane(tenant_id, id, closed, deleted)
  where d.tenant_id = lane.tenant_id and d.subscription_id = lane.id and d.status in ('pending', 'retrying')
    and (lane.deleted or not (d.manual or d.event = 'webhook.test'))`;

/**
 * $1 tenants, $2 subscriptions, $3 caps, $4 shares of the free slots, $5 now, $6 lease in ms. The attempt is counted here, before it
 * is made. `offset 0` holds each look-up to its whole key: with statistics from when a tenant had few subscriptions the planner joined all
 * of them with all of its deliveries, 900,000 pages for eight claims.
 */
export const CLAIM = `
  with picked as materialized (
    select d.* from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[]) as lane(tenant_id, id, cap, share)
    cross join lateral (
      select count(*)::int as running from webhooks.delivery f
      where f.tenant_id = lane.tenant_id and f.subscription_id = lane.id and f.status = 'sending'
    ) f
    cross join lateral (
      select w.tenant_id, w.id, w.subscription_id, w.message_id from webhooks.delivery w
      where w.tenant_id = lane.tenant_id and w.subscription_id = lane.id and w.status in ('pending', 'retrying') and w.next_attempt_at <= $5
      order by w.next_attempt_at limit greatest(0, least(lane.share, lane.cap - f.running)) for update skip locked
    ) d
  ), due as (
    select picked.tenant_id, picked.id, m.body, m.traceparent, s.* from picked
    cross join lateral (
      select body, traceparent from webhooks.message m where m.tenant_id = picked.tenant_id and m.id = picked.message_id offset 0
    ) m
    cross join lateral (
      select url, sealed_secret, case when previous_secret_until > $5 then sealed_previous_secret end as sealed_previous_secret
      from webhooks.subscription s where s.tenant_id = picked.tenant_id and s.id = picked.subscription_id offset 0
    ) s
  )
  update webhooks.delivery d
  set status = 'sending', attempt = d.attempt + (not d.manual)::int, resends = d.resends + d.manual::int, url = due.url,
      next_attempt_at = null, started_at = $5, leased_until = $5::timestamptz + $6 * interval '1 millisecond', updated_at = $5
  from due where d.tenant_id = due.tenant_id and d.id = due.id
  returning d.tenant_id as "tenantId", d.id, d.subscription_id as "subscriptionId", d.event, due.body, d.attempt, d.resends, d.manual,
            d.delivered_at is not null as "deliveredBefore", d.started_at as "startedAt", due.url, due.sealed_secret as "sealedSecret",
            due.sealed_previous_secret as "sealedPreviousSecret", due.traceparent`;

/** $1 limit, $2 now. */
export const INTERRUPTED = `
  select d.tenant_id as "tenantId", d.id, d.subscription_id as "subscriptionId", d.event, '' as body, d.attempt, d.resends, d.manual,
         d.delivered_at is not null as "deliveredBefore", d.started_at as "startedAt"
  from webhooks.delivery d where d.status = 'sending' and d.leased_until <= $2
  limit $1 for update skip locked`;

/**
 * Attempt and resend numbers together fence off a worker that lost its lease: its outcome no longer moves the delivery,
 * but is kept in the attempt's record, where it replaces "unknown". Answers whether STRUGGLE has anything to do.
 */
export const SETTLE = `
  with outcome as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::bool[], $6::text[], $7::timestamptz[], $8::int[], $9::text[],
                         $10::text[], $11::timestamptz[], $12::timestamptz[], $13::bool[], $14::uuid[])
      as o(tenant_id, id, attempt, resends, manual, status, next_attempt_at, status_code, response_body, error, started_at, ended_at, success,
           subscription_id)
  ), settled as (
    update webhooks.delivery d
    set status = o.status, next_attempt_at = o.next_attempt_at, status_code = o.status_code, response_body = o.response_body, error = o.error,
        manual = false, leased_until = null, updated_at = o.ended_at,
        delivered_at = case when o.success then coalesce(d.delivered_at, o.ended_at) else d.delivered_at end
    from outcome o
    where d.tenant_id = o.tenant_id and d.id = o.id and d.status = 'sending' and d.attempt = o.attempt and d.resends = o.resends
  ), recorded as (
    insert into webhooks.attempt (tenant_id, delivery_id, number, manual, status_code, response_body, error, started_at, duration_ms)
    select tenant_id, id, attempt + resends, manual, status_code, response_body, error, started_at,
           -- an interrupted one may come from a backup: the column ends at 24 days
           least(greatest(0, extract(epoch from ended_at - started_at) * 1000), 2147483647)::int
    from outcome
    on conflict (tenant_id, delivery_id, number) do update
    set status_code = excluded.status_code, response_body = excluded.response_body, error = excluded.error, duration_ms = excluded.duration_ms
  )
  select exists (select from outcome o join webhooks.subscription s on s.tenant_id = o.tenant_id and s.id = o.subscription_id
                 where not o.success or s.failing_since is not null) as struggling`;

/**
 * $1 tenants, $2 subscriptions, $3 success, $4 exhausted, $5 ended, $6 pause after ms. One success clears the record; when
 * nothing has come through for the whole span and another delivery is exhausted, the subscription is paused and what waits
 * is held. Never on a count (reliability-decisions §1.10).
 */
export const STRUGGLE = `
  with seen as materialized (
    select tenant_id, id, bool_or(success) as success, bool_or(exhausted) as exhausted, min(ended_at) as since, max(ended_at) as until
    from unnest($1::uuid[], $2::uuid[], $3::bool[], $4::bool[], $5::timestamptz[]) as o(tenant_id, id, success, exhausted, ended_at)
    group by tenant_id, id
  ), touched as (
    select s.tenant_id, s.id, seen.success, seen.since, seen.until,
           seen.exhausted and not seen.success and s.paused_since is null
             and s.failing_since <= seen.until - $6::bigint * interval '1 millisecond' as pause
    from seen join webhooks.subscription s using (tenant_id, id)
    where (s.failing_since is not null) = seen.success or seen.exhausted
    order by s.tenant_id, s.id for no key update of s
  ), marked as (
    update webhooks.subscription s
    set failing_since = case when touched.success then null else coalesce(s.failing_since, touched.since) end,
        paused_since = case when touched.pause then touched.until else s.paused_since end,
        paused_reason = case when touched.pause
          then 'No delivery has succeeded since ' || to_char(s.failing_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '.'
          else s.paused_reason end
    from touched where s.tenant_id = touched.tenant_id and s.id = touched.id
  )
  update webhooks.delivery d set next_attempt_at = null
  from touched where touched.pause and d.tenant_id = touched.tenant_id and d.subscription_id = touched.id
    and d.status in ('pending', 'retrying') and not (d.manual or d.event = 'webhook.test')`;

/** $1 before, $2 limit. Oldest first, by the block ranges of the BRIN index. What a pause has held back for so long goes too. */
export const PURGE = `
  with old as materialized (
    select tenant_id, id from webhooks.delivery
    where created_at < $1 and (status in ('delivered', 'failed', 'discarded') or (status in ('pending', 'retrying') and next_attempt_at is null))
    limit $2 for update skip locked
  ), attempts as (
    delete from webhooks.attempt a using old where a.tenant_id = old.tenant_id and a.delivery_id = old.id
  ), deliveries as (
    delete from webhooks.delivery d using old where d.tenant_id = old.tenant_id and d.id = old.id
  )
  select count(*)::int as purged from old`;

/**
 * $1 before, $2 limit. A message is written in the same moment as its deliveries, so only those of its own age can hold it: the
 * few that are on their way again, because an administrator resent them.
 */
export const PURGE_MESSAGES = `
  with old as materialized (
    select m.tenant_id, m.id from webhooks.message m where m.created_at < $1 and not exists (
      select from webhooks.delivery d
      where d.created_at < $1::timestamptz + interval '1 minute' and d.tenant_id = m.tenant_id and d.message_id = m.id)
    limit $2
  ), gone as (
    delete from webhooks.message m using old where m.tenant_id = old.tenant_id and m.id = old.id
  )
  select count(*)::int as purged from old`;
