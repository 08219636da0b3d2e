// Runs the compiled output: what is tested is what ships; no transform, no alias mapping, no VM (test/harness/jest/runner.mjs).
const project = (displayName, folders, extra = {}) => ({
  displayName,
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: folders.map((folder) => `<rootDir>/dist/${folder}/**/*.spec.js`),
  testRunner: '<rootDir>/test/harness/jest/runner.mjs',
  transform: {},
  ...extra,
});
const withDatabase = {
  globalSetup: '<rootDir>/test/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/global-teardown.mjs',
};

export default {
  // Not in the temporary folder, which a run takes with it.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  projects: [
    project('unit', ['libs', 'apps', 'contracts']),
    project('architecture', ['test/architecture']),
    project('engines', ['test/engines', 'test/chaos'], withDatabase),
    project('journeys', ['test/journeys', 'test/portal'], withDatabase),
  ],
  testSequencer: '<rootDir>/test/harness/jest/longest-first.mjs',
  // Real servers on a busy machine: a limit against hanging, not a measure of speed.
  testTimeout: 300_000,
  // Two more than a small machine has processors: most suites wait for blocks and timers a third of their time.
  maxWorkers: 4,
  workerIdleMemoryLimit: '1200MB',
};
