import { createHash } from 'node:crypto';
import type { SystemTx } from '#persistence';
import { fairShares } from './fair-share.js';
import type { LeasedDelivery, Settlement } from '../deliveries/delivery.js';

/** Everything an attempt needs, its lease committed. */
export interface Lease extends LeasedDelivery {
  readonly url: string;
  readonly sealedSecret: string;
  /** While its grace period lasts. */
  readonly sealedPreviousSecret: string | null;
  /** Span in which the message was published; null where none is recorded. */
  readonly traceparent: string | null;
}

interface LeaseLimits {
  /** Free in this process. No tenant takes more of them than it leaves to the others, with what it holds already. */
  readonly slots: number;
  /** Attempts in this process, by tenant. */
  readonly held: ReadonlyMap<string, number>;
  /** Attempts of one subscription at a time, over all workers. One that is failing gets one. */
  readonly perSubscription: number;
  readonly leaseMs: number;
  /** Subscriptions that are skipped this time. */
  readonly skipped: readonly string[];
}

interface Leased {
  readonly leases: readonly Lease[];
  /** Slots were left where others could have used them: ask again at once. */
  readonly more: boolean;
}

interface DueSubscription {
  readonly tenantId: string;
  readonly id: string;
  readonly cap: number;
  /** What its cap leaves it; counted before it was locked. */
  readonly room: number;
  /** Null: everything goes; else the reason why deliveries are discarded that no admin asked for. */
  readonly closed: string | null;
  readonly deleted: boolean;
}

/**
 * Due deliveries, oldest subscription first, moved to `sending` and counted; those of deleted or inactive subscriptions are discarded.
 * Two statements: the first locks the subscriptions that have something due, so that the second counts their running attempts with a
 * snapshot taken after the lock. One statement would count with an old one and overshoot the cap.
 */
export async function leaseDue(tx: SystemTx, limits: LeaseLimits, at: Date): Promise<Leased> {
  const { slots, perSubscription, leaseMs, skipped, held } = limits;
  if (slots < 1) return NOTHING;
  const parameters = [at, perSubscription, slots, skipped, [...held.keys()], [...held.values()]];
  const [, due] = await Promise.all([tx.sql(LEASING), tx.sql<DueSubscription>(DUE_SUBSCRIPTIONS, parameters)]);
  if (due.length === 0) return NOTHING;
  const closed = due.filter((subscription) => subscription.closed !== null);
  if (closed.length > 0)
    await tx.sql(DISCARD, [column(closed, 'tenantId'), column(closed, 'id'), column(closed, 'closed'), column(closed, 'deleted'), at]);
  const shares = fairShares(due, slots, held);
  const [tenants, ids, caps] = [column(due, 'tenantId'), column(due, 'id'), column(due, 'cap')];
  const leases = await tx.sql<Lease>(LEASE, [tenants, ids, caps, shares, at, leaseMs]);
  return { leases, more: leftOver(due, shares, leases) };
}

/** Attempts whose lease ran out, locked: their worker died. */
export const interruptedAttempts = (tx: SystemTx, limit: number, at: Date): Promise<readonly LeasedDelivery[]> =>
  tx.sql<LeasedDelivery>(INTERRUPTED, [limit, at]);

const NOTHING: Leased = { leases: [], more: false };

/** Some had fewer deliveries waiting than their share, while others could have had more. */
function leftOver(due: readonly DueSubscription[], shares: readonly number[], leases: readonly Lease[]): boolean {
  if (leases.length === shares.reduce((sum, share) => sum + share, 0)) return false;
  const taken = new Map<string, number>();
  for (const { subscriptionId } of leases) taken.set(subscriptionId, (taken.get(subscriptionId) ?? 0) + 1);
  return due.some(({ id, room }, i) => taken.get(id) === shares[i] && shares[i]! < room);
}

/** To compare, as `md5` of PostgreSQL. */
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const column = <Row, Key extends keyof Row>(rows: readonly Row[], key: Key): Row[Key][] => rows.map((row) => row[key]);

/** Shared by those who read bodies to send them: who changed some waits until their leases are committed. */
const LEASING = `select pg_advisory_xact_lock_shared(hashtextextended('webhooks.lease', 0))`;
export const LEASES_ENDED = `select pg_advisory_xact_lock(hashtextextended('webhooks.lease', 0))`;

/**
 * $1 now, $2 cap per subscription, $3 free slots, $4 subscriptions to skip, $5 tenants with attempts in this process, $6 how many.
 * Subscriptions with something due, found by jumping from one to the next in the index: ten thousand waiting rows of one cost what one
 * row costs. Those at their cap are skipped. One that is failing gets a single slot, so that dead receivers cannot hold all of them
 * until their timeouts.
 *
 * Tenants alternate as in fair-share.ts, as if each of their subscriptions took one slot: those that would get none are not locked.
 * `held` grows and the free slots shrink from one to the next, so the condition is true up to a place and false after it.
 */
const DUE_SUBSCRIPTIONS = `
  with recursive waiting as (
    (select tenant_id, subscription_id, next_attempt_at from webhooks.delivery
     where status in ('pending', 'retrying') order by tenant_id, subscription_id, next_attempt_at limit 1)
    union all
    select next.* from waiting cross join lateral (
      select tenant_id, subscription_id, next_attempt_at from webhooks.delivery
      where status in ('pending', 'retrying') and (tenant_id, subscription_id) > (waiting.tenant_id, waiting.subscription_id)
      order by tenant_id, subscription_id, next_attempt_at limit 1
    ) next
  ), due as (
    select waiting.*, c.cap, r.room,
           coalesce(($6::int[])[array_position($5::uuid[], waiting.tenant_id)], 0)
             + row_number() over (partition by waiting.tenant_id order by waiting.next_attempt_at) as held
    from waiting
    join webhooks.subscription s on s.tenant_id = waiting.tenant_id and s.id = waiting.subscription_id
    cross join lateral (select case when s.failing_since is null then $2::int else 1 end as cap) c
    cross join lateral (
      select c.cap - count(*)::int as room from webhooks.delivery f
      where f.tenant_id = s.tenant_id and f.subscription_id = s.id and f.status = 'sending'
    ) r
    where waiting.next_attempt_at <= $1 and waiting.subscription_id <> all($4::uuid[]) and r.room > 0
  ), fair as materialized (
    select due.*, row_number() over (order by held, next_attempt_at) as place from due
  )
  select s.tenant_id as "tenantId", s.id, fair.cap, fair.room, s.deleted_at is not null as deleted,
         case when s.deleted_at is not null then 'The subscription was deleted.'
              when not s.active then 'The subscription is not active.' end as closed
  from fair
  join webhooks.subscription s on s.tenant_id = fair.tenant_id and s.id = fair.subscription_id
  where fair.held + fair.place <= $3::int + 1
  for no key update of s skip locked`;

/** $1 tenants, $2 subscriptions, $3 reasons, $4 deleted, $5 now. What arrived while the subscription was being closed. */
const DISCARD = `
  update webhooks.delivery d set status = 'discarded', next_attempt_at = null, manual = false, error = s.closed, updated_at = $5
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bool[]) as s(tenant_id, id, closed, deleted)
  where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.status in ('pending', 'retrying')
    and (s.deleted or not (d.manual or d.event = 'webhook.test'))`;

/**
 * $1 tenants, $2 subscriptions, $3 caps, $4 shares of the free slots, $5 now, $6 lease in ms. The attempt is counted here, before it
 * is made. `offset 0` limits each subquery to its whole key: with statistics from when a tenant had few subscriptions the planner joined all
 * of them with all of its deliveries, 900,000 pages for eight leases.
 */
const LEASE = `
  with picked as materialized (
    select d.* from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[]) as s(tenant_id, id, cap, share)
    cross join lateral (
      select count(*)::int as running from webhooks.delivery f
      where f.tenant_id = s.tenant_id and f.subscription_id = s.id and f.status = 'sending'
    ) f
    cross join lateral (
      select w.tenant_id, w.id, w.subscription_id, w.message_id from webhooks.delivery w
      where w.tenant_id = s.tenant_id and w.subscription_id = s.id and w.status in ('pending', 'retrying') and w.next_attempt_at <= $5
      order by w.next_attempt_at limit greatest(0, least(s.share, s.cap - f.running)) for update skip locked
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
const INTERRUPTED = `
  select d.tenant_id as "tenantId", d.id, d.subscription_id as "subscriptionId", d.event, '' as body, d.attempt, d.resends, d.manual,
         d.delivered_at is not null as "deliveredBefore", d.started_at as "startedAt"
  from webhooks.delivery d where d.status = 'sending' and d.leased_until <= $2
  limit $1 for update skip locked`;

export interface Settled {
  readonly delivery: LeasedDelivery;
  readonly settlement: Settlement;
  readonly endedAt: Date;
  readonly success: boolean;
}

/** Writes outcomes. One that comes after its lease was given to another worker changes nothing but the attempt's record. */
export async function settleAttempts(tx: SystemTx, settled: readonly Settled[], pauseAfterMs: number): Promise<void> {
  if (settled.length === 0) return;
  const of = <T>(value: (each: Settled) => T): T[] => settled.map(value);
  const [found] = await tx.sql<{ failing: boolean }>(SETTLE, [
    of(({ delivery }) => delivery.tenantId),
    of(({ delivery }) => delivery.id),
    of(({ delivery }) => delivery.attempt),
    of(({ delivery }) => delivery.resends),
    of(({ delivery }) => delivery.manual),
    of(({ settlement }) => settlement.status),
    of(({ settlement }) => settlement.nextAttemptAt),
    of(({ settlement }) => settlement.statusCode),
    of(({ settlement }) => settlement.responseBody),
    of(({ settlement }) => settlement.error),
    of(({ delivery }) => delivery.startedAt),
    of(({ endedAt }) => endedAt),
    of(({ success }) => success),
    of(({ delivery }) => delivery.subscriptionId),
    of(({ delivery, settlement }) => (settlement.responseBody ? md5(delivery.body) : null)),
  ]);
  if (!found!.failing) return;
  await tx.sql(UPDATE_FAILING, [
    of(({ delivery }) => delivery.tenantId),
    of(({ delivery }) => delivery.subscriptionId),
    of(({ success }) => success),
    of(({ settlement }) => settlement.status === 'failed'),
    of(({ endedAt }) => endedAt),
    pauseAfterMs,
  ]);
}

/**
 * Attempt and resend numbers together fence off a worker that lost its lease: its outcome no longer moves the delivery,
 * but is kept in the attempt's record, where it replaces "unknown". What a receiver answered is kept only while the body is as it was sent:
 * it may repeat a value that was erased since. Answers whether UPDATE_FAILING has anything to do.
 */
const SETTLE = `
  with given as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::bool[], $6::text[], $7::timestamptz[], $8::int[], $9::text[],
                         $10::text[], $11::timestamptz[], $12::timestamptz[], $13::bool[], $14::uuid[], $15::text[])
      as o(tenant_id, id, attempt, resends, manual, status, next_attempt_at, status_code, response_body, error, started_at, ended_at, success,
           subscription_id, digest)
  ), repeatable as materialized (
    select m.id from given g
    join webhooks.delivery d on d.tenant_id = g.tenant_id and d.id = g.id
    join webhooks.message m on m.tenant_id = d.tenant_id and m.id = d.message_id
    where g.digest is not null and md5(m.body) = g.digest
    for share of m
  ), outcome as materialized (
    select g.*, case when g.response_body = '' or d.message_id in (select id from repeatable) then g.response_body end as kept_body
    from given g left join webhooks.delivery d on d.tenant_id = g.tenant_id and d.id = g.id
  ), settled as (
    update webhooks.delivery d
    set status = o.status, next_attempt_at = o.next_attempt_at, status_code = o.status_code, response_body = o.kept_body, error = o.error,
        manual = false, leased_until = null, updated_at = o.ended_at,
        delivered_at = case when o.success then coalesce(d.delivered_at, o.ended_at) else d.delivered_at end
    from outcome o
    where d.tenant_id = o.tenant_id and d.id = o.id and d.status = 'sending' and d.attempt = o.attempt and d.resends = o.resends
  ), recorded as (
    insert into webhooks.attempt (tenant_id, delivery_id, number, manual, status_code, response_body, error, started_at, duration_ms)
    select tenant_id, id, attempt + resends, manual, status_code, kept_body, error, started_at,
           -- an interrupted one may come from a backup: the column ends at 24 days
           least(greatest(0, extract(epoch from ended_at - started_at) * 1000), 2147483647)::int
    from outcome
    on conflict (tenant_id, delivery_id, number) do update
    set status_code = excluded.status_code, response_body = excluded.response_body, error = excluded.error, duration_ms = excluded.duration_ms
  )
  select exists (select from outcome o join webhooks.subscription s on s.tenant_id = o.tenant_id and s.id = o.subscription_id
                 where not o.success or s.failing_since is not null) as failing`;

/**
 * $1 tenants, $2 subscriptions, $3 success, $4 exhausted, $5 ended, $6 pause after ms. One success clears the record; when
 * nothing was delivered for the whole span and another delivery is exhausted, the subscription is paused and what waits
 * is held. Never on a count (docs/spec/reliability.md#webhooks).
 */
const UPDATE_FAILING = `
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
