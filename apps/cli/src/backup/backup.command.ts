import type { Command } from 'commander';
import { LEFT_OUT, QUEUE_SCHEMA } from './table-origins.js';

/** Needs no engine. */
export function addBackup(program: Command, say: (line: string) => void): void {
  program
    .command('backup')
    .description('dumps of the database')
    .command('left-out')
    .description(
      'print, as options of pg_dump, the tables that a dump may omit: those that the service rebuilds, and those with short-lived rows',
    )
    .action(() => {
      say(`--exclude-schema=${QUEUE_SCHEMA}`);
      for (const table of LEFT_OUT) say(`--exclude-table-data=${table}`);
    });
}
