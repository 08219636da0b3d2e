import { type RetentionRule, deleteOldest } from '#persistence';

export const reportingRetention: readonly RetentionRule[] = [
  {
    table: 'reporting.alert',
    settings: ['ALERTS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'reporting.alert', where: 'resolved_at < $1', oldestBy: 'resolved_at' }),
  },
];
