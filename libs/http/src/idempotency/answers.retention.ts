import { type RetentionRule, deleteOldest } from '#persistence';

/** An answer has its end with it: the setting was added to the time when its request began. */
export const httpRetention: readonly RetentionRule[] = [
  {
    table: 'http.answer',
    settings: [],
    sql: deleteOldest({ table: 'http.answer', where: 'expires_at <= $1', oldestBy: 'expires_at' }),
  },
];
