import { type RetentionRule, deleteOldest } from '#persistence';

export const traceabilityRetention: readonly RetentionRule[] = [
  {
    // What never landed. Its reservations go with it.
    table: 'traceability.event',
    settings: ['EXPIRED_EVENT_SECONDS'],
    sql: deleteOldest({
      table: 'traceability.event',
      where: `status in ('expired', 'failed') and expires_at < $1 and block_number is null`,
      oldestBy: 'expires_at',
    }),
  },
  {
    // A declaration may be signed long after it was prepared; without its words the void would have no reason.
    table: 'traceability.error_declaration',
    settings: ['ERROR_DECLARATIONS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'traceability.error_declaration', where: 'prepared_at < $1 and not landed', oldestBy: 'prepared_at' }),
  },
  {
    table: 'traceability.retraction',
    settings: ['RETRACTIONS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'traceability.retraction', where: 'announced_at < $1', oldestBy: 'announced_at' }),
  },
];

/** Stored contents that a record refers to. */
export const traceabilityContents: readonly string[] = [
  `select c.cid, bool_or(e.block_number is not null) as lasting
   from unnest($1::text[], $2::text[]) as c(cid, data_hash) join traceability.event e on e.ipfs_cid = c.cid group by c.cid`,
  `select c.cid, true as lasting from unnest($1::text[], $2::text[]) as c(cid, data_hash)
   where exists (select from traceability.process_map m where m.cid = c.cid)`,
  `select c.cid, bool_or(d.landed) as lasting
   from unnest($1::text[], $2::text[]) as c(cid, data_hash) join traceability.error_declaration d on d.data_hash = c.data_hash group by c.cid`,
];
