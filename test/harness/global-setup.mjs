// One real PostgreSQL for the whole run; each spec file clones a migrated template of it (#persistence/testing).
// Reads TEST_DATABASE_URL: a superuser's login on another server, instead of the embedded one. Sets TRACE_TEST_POSTGRES for the test processes.
import { startTestServer, TEST_SERVER_VARIABLE } from '../../dist/libs/persistence/src/testing/index.js';

export default async function setup() {
  const { stop, admin, login } = await startTestServer({ url: process.env.TEST_DATABASE_URL });
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify({ admin, login });
  globalThis.stopTestServer = stop;
}
