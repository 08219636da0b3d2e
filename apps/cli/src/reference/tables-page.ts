import type { Origin } from '../backup/table-origin.js';
import { keptOf } from '../backup/kept-rows.js';
import { TABLE_ORIGINS } from '../backup/table-origins.js';

const WORDS: Readonly<Record<Origin, string>> = {
  dump: 'a dump only',
  chain: 'the chain and the content store',
  derived: 'other tables',
  temporary: 'not restored',
};

/** How each table is restored, from the list that decides what a dump may omit. */
export const tablesPage = (): string =>
  [
    '# Tables',
    '',
    '<!-- Generated from apps/cli by `npm run cli -- reference`; a test compares them. -->',
    '',
    'How the rows of each table are restored when the database is lost ([back up and recover](../how-to/back-up-and-recover.md)). The indexer',
    'reads the chain again; background work rebuilds tables from other tables; short-lived rows are not restored. The schema `bullmq` (the queue,',
    'when it is in PostgreSQL) is created again at the next start; its jobs are kept for `JOBS_COMPLETED_KEPT_SECONDS` and `JOBS_FAILED_KEPT_SECONDS`.',
    '',
    'Each table has a bound: what adds rows to it, and for how long they are kept ([retention](../explanation/retention.md)). `npm run cli -- storage`',
    'shows how large each one is.',
    '',
    '| table | restored from | holds | grows with | kept |',
    '|---|---|---|---|---|',
    ...Object.entries(TABLE_ORIGINS).map(
      ([table, { origin, holds, grows }]) => `| \`${table}\` | ${WORDS[origin]} | ${holds} | ${grows} | ${keptOf(table)} |`,
    ),
    '',
  ].join('\n');
