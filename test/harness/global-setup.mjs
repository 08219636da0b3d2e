// One real PostgreSQL for the whole run; each spec file clones a migrated template of it (#persistence/testing).
// Reads TEST_DATABASE_URL: a superuser's login on another server, instead of the embedded one. Sets TRACE_TEST_POSTGRES and TRACE_TEST_FOLDER for the test processes.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchThisRun } from '../../tools/watchdog.mjs';
import { startTestServer, TEST_SERVER_VARIABLE } from '../../dist/libs/persistence/src/testing/index.js';

export default async function setup() {
  watchThisRun();
  const { stop, admin, login } = await startTestServer({ url: process.env.TEST_DATABASE_URL });
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify({ admin, login });
  // What one worker makes for all of them: the seeded world (seed.ts).
  globalThis.testFolder = mkdtempSync(join(tmpdir(), 'trace-run-'));
  process.env.TRACE_TEST_FOLDER = globalThis.testFolder;
  globalThis.stopTestServer = stop;
}
