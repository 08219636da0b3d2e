import type { Command } from 'commander';
import { LEFT_OUT, QUEUE_SCHEMA } from '../backup/table-origins.js';

/** Runs anywhere: it asks no engine. */
export function addBackup(program: Command, say: (line: string) => void): void {
  program
    .command('backup')
    .description('dumps of the database')
    .command('left-out')
    .description(
      'print, as options of pg_dump, what a dump may leave out: what the chain and the contents give again, and what nobody misses',
    )
    .action(() => {
      say(`--exclude-schema=${QUEUE_SCHEMA}`);
      for (const table of LEFT_OUT) say(`--exclude-table-data=${table}`);
    });
}
