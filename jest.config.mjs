// Runs the compiled output: what is tested is what ships; no transform, no alias mapping.
const project = (displayName, folders, extra = {}) => ({
  displayName,
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: folders.map((folder) => `<rootDir>/dist/${folder}/**/*.spec.js`),
  testEnvironment: 'node',
  transform: {},
  ...extra,
});
const withDatabase = { globalSetup: '<rootDir>/test/harness/global-setup.mjs', globalTeardown: '<rootDir>/test/harness/global-teardown.mjs' };

export default {
  projects: [
    project('unit', ['libs', 'apps', 'contracts']),
    project('architecture', ['test/architecture']),
    project('engines', ['test/engines', 'test/chaos'], withDatabase),
    project('journeys', ['test/journeys', 'test/portal'], withDatabase),
  ],
  // Real servers on a busy machine: a limit against hanging, not a measure of speed.
  testTimeout: 300_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: '700MB',
};
