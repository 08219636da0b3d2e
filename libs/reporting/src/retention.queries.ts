import { type RetentionRule, deleteOldest } from '#persistence';

export const reportingRetention: readonly RetentionRule[] = [
  {
    table: 'reporting.alert',
    settings: ['ALERTS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'reporting.alert', where: 'resolved_at < $1', oldestBy: 'resolved_at' }),
  },
  {
    table: 'reporting.notice',
    settings: ['NOTICES_KEPT_DAYS'],
    sql: deleteOldest({ table: 'reporting.notice', where: 'created_at < $1', oldestBy: 'created_at' }),
  },
  {
    table: 'reporting.notice_mail',
    settings: ['NOTICES_KEPT_DAYS'],
    sql: deleteOldest({ table: 'reporting.notice_mail', where: 'created_at < $1', oldestBy: 'created_at' }),
  },
];
