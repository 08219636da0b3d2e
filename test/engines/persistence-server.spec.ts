import { notRunHere } from '../harness/not-run-here.js';
import { findPostgresPrograms } from './persistence-server.js';
import { embeddedServerSuite } from './persistence-server.suite.js';

embeddedServerSuite('the packaged PostgreSQL');

const binDir = findPostgresPrograms();
if (binDir) embeddedServerSuite(`a PostgreSQL of the distribution (${binDir})`, binDir);
else notRunHere('servers of a PostgreSQL of the distribution: install one, or set TEST_POSTGRES_BIN');
