import { type RetentionRule, deleteOldest } from '#persistence';

const TABLE = 'transactions.tracked';

export const transactionsRetention: readonly RetentionRule[] = [
  {
    table: TABLE,
    settings: ['TX_KEPT_DAYS'],
    sql: deleteOldest({
      table: TABLE,
      where: `status in ('confirmed', 'failed', 'replaced') and coalesce(confirmed_at, submitted_at) < $1`,
      oldestBy: 'coalesce(confirmed_at, submitted_at)',
    }),
  },
  {
    table: 'transactions.relay',
    settings: ['TX_KEPT_DAYS'],
    sql: deleteOldest({
      table: 'transactions.relay',
      where: `status not in ('queued', 'sent') and created_at < $1`,
      oldestBy: 'created_at',
    }),
  },
  {
    table: 'transactions.sponsor_transaction',
    settings: ['TX_KEPT_DAYS'],
    sql: deleteOldest({ table: 'transactions.sponsor_transaction', where: 'settled and created_at < $1', oldestBy: 'created_at' }),
  },
  {
    // Anybody can invent a hash, so those that no block has are kept for a shorter time. They are looked for during a week.
    table: TABLE,
    settings: ['TX_DROPPED_KEPT_DAYS'],
    sql: deleteOldest({ table: TABLE, where: `status = 'dropped' and submitted_at < $1`, oldestBy: 'submitted_at' }),
  },
];
