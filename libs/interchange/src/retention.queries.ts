import { type RetentionRule, deleteOldest } from '#persistence';

/**
 * Captured events that never landed, and captures whose process died: their event was deleted after it had expired. All that are older are
 * examined, each by the key of its event: a worker may have been away for longer than any time that would bound it.
 */
export const interchangeRetention: readonly RetentionRule[] = [
  {
    // With its rows.
    table: 'interchange.import',
    settings: ['IMPORTS_KEPT_DAYS'],
    sql: deleteOldest({
      table: 'interchange.import',
      where: `created_at < $1 and state not in ('waiting', 'running')`,
      oldestBy: 'created_at',
    }),
  },
  {
    // With what queries find it by. What is on chain stays.
    table: 'interchange.epcis_event',
    settings: ['EPCIS_KEPT_DAYS'],
    sql: `with old as materialized (
        select tenant_id, key from interchange.epcis_event where block_number is null and record_time < $1
        order by record_time limit $2 for update skip locked
      ), names as (
        delete from interchange.epcis_name n using old where n.tenant_id = old.tenant_id and n.key = old.key
      ), numbers as (
        delete from interchange.epcis_value v using old where v.tenant_id = old.tenant_id and v.key = old.key
      ), gone as (
        delete from interchange.epcis_event e using old where e.tenant_id = old.tenant_id and e.key = old.key returning 1
      )
      select count(*)::int as deleted from gone`,
  },
  {
    table: 'interchange.captured_event',
    settings: ['PREPARED_EVENT_SECONDS', 'EXPIRED_EVENT_SECONDS'],
    sql: deleteOldest({
      table: 'interchange.captured_event',
      where: `reserved_at < $1 and not exists (
        select from traceability.event_v1 e where e.tenant_id = captured_event.tenant_id and e.id = captured_event.event_id)`,
    }),
  },
  {
    // A capture that uses it again meanwhile changes `used_at`, for which the deletion waits and after which it leaves the row.
    table: 'interchange.captured_context',
    settings: ['PREPARED_EVENT_SECONDS', 'EXPIRED_EVENT_SECONDS'],
    sql: deleteOldest({
      table: 'interchange.captured_context',
      where: `used_at < $1 and not exists (
        select from interchange.captured_event e where e.tenant_id = captured_context.tenant_id and e.context_hash = captured_context.hash)`,
    }),
  },
  {
    table: 'interchange.capture_job',
    settings: ['PREPARED_EVENT_SECONDS', 'EXPIRED_EVENT_SECONDS'],
    sql: deleteOldest({ table: 'interchange.capture_job', where: 'created_at < $1' }),
  },
];
