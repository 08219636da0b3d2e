import type { CopyRule } from '#persistence';

export const interchangeCopies: readonly CopyRule[] = [
  {
    table: 'interchange.import',
    key: ['id'],
    columns: { proposal: 'json', mapping: 'json' },
    scope: 'all',
  },
  { table: 'interchange.import_mapping', key: ['id'], columns: { mapping: 'json' }, scope: 'all' },
  { table: 'interchange.import_row', key: ['import_id', 'row'], columns: { prepared: 'json', problems: 'json' }, scope: 'all' },
  // As it came, with every value. Exports then write the event from its record. The hash of the event goes too: it would confirm guesses.
  {
    table: 'interchange.captured_event',
    sql: 'delete from interchange.captured_event where tenant_id = $1 and event_id = any($2::uuid[])',
  },
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
