export * from './clone-test-database.js';
export { type StartedTestServer, TEST_SERVER_VARIABLE, type TestServer, startTestServer, testServer } from './test-server.js';
export { anyMessage } from './any-message.js';
export { databaseProviders } from './database-providers.js';
export { type StandbyServer, startStandby } from './standby-server.js';
