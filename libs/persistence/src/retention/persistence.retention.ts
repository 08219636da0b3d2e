import { keyHash } from '../outbox/key-hash.js';
import { type RetentionRule, deleteOldest } from './retention-rule.js';

/** What was sent is not sent again, however often the chain is read: the hash of its key stays. */
const RELAYED = `
  with old as materialized (
    select tenant_id, id, dedup_key from persistence.outbox where created_at < $1 and relayed_at is not null limit $2 for update skip locked
  ), kept as (
    insert into persistence.outbox_key (tenant_id, hash) select tenant_id, ${keyHash('dedup_key')} from old on conflict do nothing
  ), gone as (
    delete from persistence.outbox o using old where o.tenant_id = old.tenant_id and o.id = old.id returning 1
  )
  select count(*)::int as deleted from gone`;

export const persistenceRetention: readonly RetentionRule[] = [
  { table: 'persistence.outbox', settings: ['OUTBOX_KEPT_DAYS'], sql: RELAYED },
  {
    table: 'persistence.span_origin',
    settings: ['TRACE_ORIGINS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'persistence.span_origin', where: 'created_at < $1', oldestBy: 'created_at' }),
  },
];
