import { type RetentionRule, deleteOldest } from '#persistence';

const SETTING = ['WEBHOOK_RETENTION_DAYS'];

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
  {
    // A message goes after its deliveries. It is written in the same moment as these, so only deliveries of its own age can need it: the
    // few that an administrator resent.
    table: 'webhooks.message',
    settings: SETTING,
    sql: deleteOldest({
      table: 'webhooks.message',
      where: `created_at < $1 and not exists (
        select from webhooks.delivery d
        where d.created_at < $1::timestamptz + interval '1 minute' and d.tenant_id = message.tenant_id and d.message_id = message.id)`,
    }),
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
