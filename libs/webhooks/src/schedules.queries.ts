import { type ScheduleRule, moveToNow } from '#persistence';

/** What a delivery had left to wait when it was written, it waits from now. */
export const webhooksSchedules: readonly ScheduleRule[] = [
  {
    table: 'webhooks.delivery',
    sql: moveToNow({
      table: 'webhooks.delivery',
      where: `status in ('pending', 'retrying') and next_attempt_at > $2 and updated_at > $2`,
      set: 'next_attempt_at = next_attempt_at - (updated_at - $1), updated_at = $1',
    }),
  },
  {
    // The attempt may still run: its lease keeps its length.
    table: 'webhooks.delivery',
    sql: moveToNow({
      table: 'webhooks.delivery',
      where: `status = 'sending' and leased_until > $2 and started_at > $2`,
      set: 'leased_until = leased_until - (started_at - $1), started_at = $1, updated_at = $1',
    }),
  },
  {
    table: 'webhooks.subscription',
    sql: moveToNow({ table: 'webhooks.subscription', where: 'failing_since > $2', set: 'failing_since = $1' }),
  },
];
