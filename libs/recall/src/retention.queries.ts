import { type RetentionRule, deleteOldest } from '#persistence';

export const recallRetention: readonly RetentionRule[] = [
  {
    table: 'recall.drill',
    settings: ['DRILLS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'recall.drill', where: 'started_at < $1', oldestBy: 'started_at' }),
  },
];

/** Stored notices of recalls. */
export const recallContents: readonly string[] = [
  `select c.cid, true as lasting from unnest($1::text[], $2::text[]) as c(cid, data_hash)
   where exists (select from recall.recall r where r.data_hash = c.data_hash)`,
];
