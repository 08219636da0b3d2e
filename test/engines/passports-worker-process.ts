import type { PostgresEndpoint } from '#persistence';
import { startPassportsWorker } from './passports-worker.js';

// A worker in a process of its own, for a test that kills it: after some batches it says so, and stays in the middle of the next one.
const { endpoint, final, batches } = JSON.parse(process.argv[2]!) as { endpoint: PostgresEndpoint; final: number; batches: number };
let begun = 0;
await startPassportsWorker(endpoint, {
  final: () => final,
  batch: async () => {
    if (++begun <= batches) return;
    process.stdout.write('in the middle\n');
    await new Promise(() => undefined);
  },
});
