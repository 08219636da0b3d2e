import type { CopyRule } from '#persistence';

/** Imports that made one of the events. Their files have the values too, and the rows that were wrong. */
const IMPORTS = `i.tenant_id = $1 and exists (
  select from interchange.import_row r where r.tenant_id = $1 and r.import_id = i.id and r.event_id = any($2::uuid[]))`;

export const interchangeCopies: readonly CopyRule[] = [
  {
    table: 'interchange.import',
    sql: `select documents.remove_files($1, array(select i.file_id from interchange.import i where ${IMPORTS}))`,
  },
  { table: 'interchange.import', sql: `delete from interchange.import i where ${IMPORTS}` },
  {
    table: 'interchange.import',
    key: ['id'],
    columns: { name: 'text', proposal: 'keyed', mapping: 'keyed', remarks: 'json', failure: 'json' },
    scope: 'all',
  },
  { table: 'interchange.import_mapping', key: ['id'], columns: { name: 'text', partner: 'text', mapping: 'keyed' }, scope: 'all' },
  { table: 'interchange.capture_job', key: ['id'], columns: { events: 'text', request: 'text' }, scope: 'all' },
  { table: 'interchange.capture_progress', key: ['job_id', 'place'], columns: { events: 'text' }, scope: 'all' },
  // Kept events belong to no event of the record: who erases a person finds them. Their hashes stay.
  { table: 'interchange.epcis_event', key: ['key', 'audience'], columns: { event: 'text', terms: 'list' }, scope: 'none' },
  // Without the value it would ask for something else: who reads the receipt deletes it.
  { table: 'interchange.epcis_query', key: ['name'], columns: { name: 'text', query: 'text' }, scope: 'none', stays: true },
  { table: 'interchange.import_row', key: ['import_id', 'row'], columns: { prepared: 'json', problems: 'json' }, scope: 'all' },
  // As it came, with every value. Exports then write the event from its record. The hash of the event goes too: it would confirm guesses.
  {
    table: 'interchange.captured_event',
    sql: 'delete from interchange.captured_event where tenant_id = $1 and event_id = any($2::uuid[])',
  },
  { table: 'interchange.epcis_name', key: ['name', 'role', 'key', 'audience'], columns: { name: 'text' }, scope: 'none', goes: true },
  // Names, places and documents of an event are values of it. The projector writes it again from its record.
  ...['epcis_event', 'epcis_name', 'epcis_value'].map((table) => ({
    table: `interchange.${table}`,
    sql: `delete from interchange.${table} where tenant_id = $1 and key in (select 'event:' || id from unnest($2::uuid[]) as o(id))`,
  })),
  {
    table: 'interchange.epcis_due',
    sql: `insert into interchange.epcis_due (tenant_id, event_id) select $1, id from unnest($2::uuid[]) as o(id) on conflict do nothing`,
  },
];
