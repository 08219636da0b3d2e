import type { CopyRule } from '#persistence';

export const reportingCopies: readonly CopyRule[] = [
  // Answers of reports are computed again, and so are the places of lots.
  { table: 'reporting.report_cache', sql: 'delete from reporting.report_cache where tenant_id = $1 and $2::uuid[] is not null' },
  {
    table: 'reporting.alert_evaluation',
    sql: `update reporting.alert_evaluation set narration = null, narrated_by = null, narrated_at = null, narrated_digest = null
      where tenant_id = $1 and narration is not null and $2::uuid[] is not null`,
  },
  // Titles of alerts and documents may have values of events.
  {
    table: 'reporting.notice',
    sql: `delete from reporting.notice where tenant_id = $1 and topic in ('alert', 'document') and $2::uuid[] is not null`,
  },
  {
    table: 'reporting.due_lot',
    sql: `insert into reporting.due_lot (tenant_id, token_id)
      select distinct $1::uuid, n.token_id from traceability.event_lot_v1 n where n.tenant_id = $1 and n.event_id = any($2::uuid[])
      on conflict do nothing`,
  },
  { table: 'reporting.stock_place', key: ['place_id'], columns: { location: 'json', location_key: 'text' }, scope: 'all' },
  {
    table: 'reporting.alert',
    key: ['id'],
    columns: { key: 'text', title: 'text', detail: 'text', evidence: 'json', acknowledged_note: 'text' },
    scope: 'event',
    about: 't.subject_id = any($3::text[])',
  },
  {
    table: 'reporting.pointer',
    key: ['id'],
    columns: { value: 'text', detail: 'text' },
    scope: 'event',
    about: 't.subject_id = any($3::text[])',
  },
  {
    table: 'reporting.dated_document',
    key: ['event_id', 'type', 'number'],
    columns: { number: 'text', issuer: 'text' },
    scope: 'event',
    about: 't.event_id = any($3::uuid[])',
  },
  {
    table: 'reporting.document_use',
    key: ['event_id', 'document_id'],
    columns: { url: 'text', sha256: 'text', least_sha256: 'text', cid: 'text' },
    scope: 'event',
    about: 't.event_id = any($3::uuid[])',
  },
  {
    table: 'reporting.document',
    key: ['document_id'],
    columns: { number: 'text', issuer: 'text' },
    scope: 'event',
    about: `exists (select from reporting.document_use u where u.tenant_id = t.tenant_id and u.document_id = t.document_id
      and u.event_id = any($3::uuid[])) and not exists (select from reporting.document_use u where u.tenant_id = t.tenant_id
      and u.document_id = t.document_id and u.event_id <> all($3::uuid[]))`,
  },
];
