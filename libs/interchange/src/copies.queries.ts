import type { CopyRule } from '#persistence';

export const interchangeCopies: readonly CopyRule[] = [
  // As it came, with every value. Exports then write the event from its record. The hash of the event goes too: it would confirm guesses.
  {
    table: 'interchange.captured_event',
    sql: 'delete from interchange.captured_event where tenant_id = $1 and event_id = any($2::uuid[])',
  },
];
