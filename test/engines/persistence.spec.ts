import { type StartedTestServer, startTestServer, testServer } from '#persistence/testing';
import { notRunHere } from '../harness/not-run-here.js';
import { exchangesSuite } from './persistence-exchanges.suite.js';
import { migrationsSuite } from './persistence-migrations.suite.js';
import { findPostgresPrograms } from './persistence-server.js';
import { unitOfWorkSuite } from './persistence.suite.js';

const onTheServerOfTheRun = async (): Promise<StartedTestServer> => ({ ...testServer(), stop: async () => undefined });

function suites(name: string, start: () => Promise<StartedTestServer>): void {
  unitOfWorkSuite(name, start);
  exchangesSuite(name, start);
  migrationsSuite(name, start);
}

if (process.env.TEST_DATABASE_URL) suites('the PostgreSQL at TEST_DATABASE_URL', onTheServerOfTheRun);
suites('the embedded PostgreSQL', process.env.TEST_DATABASE_URL ? () => startTestServer() : onTheServerOfTheRun);

const binDir = findPostgresPrograms();
if (binDir) suites(`a PostgreSQL of the distribution (${binDir})`, () => startTestServer({ binDir }));
else notRunHere('persistence on a PostgreSQL of the distribution: install one, or set TEST_POSTGRES_BIN or TEST_DATABASE_URL');
