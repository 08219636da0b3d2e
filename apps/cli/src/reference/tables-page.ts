import { type Origin, TABLE_ORIGINS } from '../backup/table-origins.js';

const WORDS: Readonly<Record<Origin, string>> = {
  kept: 'a dump alone',
  chain: 'the chain and the content store',
  derived: 'other tables',
  passing: 'nowhere',
};

/** Where each table comes from again, from the list that the dump without the projection is made by. */
export const tablesPage = (): string =>
  [
    '# Tables',
    '',
    '<!-- Made from apps/cli by `npm run cli -- reference`; a test compares them. -->',
    '',
    'Where the rows of each table come from again when the database is lost ([back up and recover](../how-to/back-up-and-recover.md)). What comes',
    'from the chain is projected by the indexer; what comes from other tables is made by those who go around; what comes from nowhere is missed by',
    'nobody for long. The schema `bullmq`, where the queue lies in PostgreSQL, is made anew at the next start.',
    '',
    '| table | comes again from | is |',
    '|---|---|---|',
    ...Object.entries(TABLE_ORIGINS).map(([table, { origin, says }]) => `| \`${table}\` | ${WORDS[origin]} | ${says} |`),
    '',
  ].join('\n');
