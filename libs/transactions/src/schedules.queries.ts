import { type ScheduleRule, moveToNow } from '#persistence';

export const transactionsSchedules: readonly ScheduleRule[] = [
  {
    // What is expected in a block waits for minutes; what was dropped waits longer, as of its last poll.
    table: 'transactions.tracked',
    sql: moveToNow({
      table: 'transactions.tracked',
      where: `next_check_at > $2 and (status in ('submitted', 'pending') or (status in ('dropped', 'replaced') and last_checked_at > $2))`,
      set: 'next_check_at = $1',
    }),
  },
];
