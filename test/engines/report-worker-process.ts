import type { PostgresEndpoint } from '#persistence';
import { startReportWorker } from './report-worker.js';

// A worker in a process of its own, for a test that kills it: it says when it has begun to read the report, and never ends.
const { endpoint, now } = JSON.parse(process.argv[2]!) as { endpoint: PostgresEndpoint; now: string };
await startReportWorker(endpoint, {
  lots: () => 20_000,
  head: () => 8,
  now: () => new Date(now),
  read: () => {
    process.stdout.write('reading\n');
    return new Promise(() => undefined);
  },
});
