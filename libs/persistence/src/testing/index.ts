export * from './clone-test-database.js';
export { TEST_SERVER_VARIABLE, type TestServer, startTestServer, testServer } from './test-server.js';
