import { type RetentionRule, deleteOldest } from '#persistence';

const SETTING = ['WEBHOOK_RETENTION_DAYS'];

/**
 * The feed goes on behind the last place that leaves it: who has not read up to there is refused and not shown a feed with gaps. A message
 * stays as long as its deliveries.
 */
const CHANGES = `
  with old as materialized (
    select tenant_id, id, position from webhooks.message where created_at < $1 and position is not null limit $2 for update
  ), feeds as (
    update webhooks.feed f set kept_from = greatest(f.kept_from, o.last + 1)
    from (select tenant_id, max(position) as last from old group by tenant_id) o where f.tenant_id = o.tenant_id
  ), gone as (
    update webhooks.message m set position = null from old where m.tenant_id = old.tenant_id and m.id = old.id
  )
  select count(*)::int as deleted from old`;

/** Oldest first, by the block ranges of the BRIN index. What a pause has held back for so long is deleted too. */
const DELIVERIES = `
  with old as materialized (
    select tenant_id, id from webhooks.delivery
    where created_at < $1 and (status in ('delivered', 'failed', 'discarded') or (status in ('pending', 'retrying') and next_attempt_at is null))
    limit $2 for update skip locked
  ), attempts as (
    delete from webhooks.attempt a using old where a.tenant_id = old.tenant_id and a.delivery_id = old.id
  ), gone as (
    delete from webhooks.delivery d using old where d.tenant_id = old.tenant_id and d.id = old.id
  )
  select count(*)::int as deleted from old`;

export const webhooksRetention: readonly RetentionRule[] = [
  { table: 'webhooks.delivery', settings: SETTING, sql: DELIVERIES },
  { table: 'webhooks.message', settings: ['CHANGES_KEPT_DAYS'], sql: CHANGES },
  {
    // A message goes after it left the feed, and after its deliveries. It is written in the same moment as these, so only deliveries of its
    // own age can need it: the few that an administrator resent.
    table: 'webhooks.message',
    settings: SETTING,
    sql: deleteOldest({
      table: 'webhooks.message',
      oldestBy: 'created_at',
      where: `created_at < $1 and position is null and not exists (
        select from webhooks.delivery d
        where d.created_at < $1::timestamptz + interval '1 minute' and d.tenant_id = message.tenant_id and d.message_id = message.id)`,
    }),
  },
  {
    // Its next change would be too old.
    table: 'webhooks.consumer',
    settings: ['CHANGES_KEPT_DAYS'],
    sql: deleteOldest({ table: 'webhooks.consumer', where: 'used_at < $1', oldestBy: 'used_at' }),
  },
  {
    // Its deliveries stay readable after it was deleted.
    table: 'webhooks.subscription',
    settings: SETTING,
    sql: deleteOldest({
      table: 'webhooks.subscription',
      where: `deleted_at < $1 and not exists (
        select from webhooks.delivery d where d.tenant_id = subscription.tenant_id and d.subscription_id = subscription.id)`,
    }),
  },
];
