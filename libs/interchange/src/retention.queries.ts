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
