// What `@jest/globals` is to the spec files when runner.mjs runs them.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const ofCircus = createRequire(require.resolve('jest-circus'));
const { ModuleMocker } = ofCircus('jest-mock' /* of jest-runtime, as the next one */);
const { ModernFakeTimers } = ofCircus('@jest/fake-timers');

export const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = require('jest-circus');
export const expect = ofCircus('@jest/expect').jestExpect;

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({
  global: globalThis,
  config: {
    fakeTimers: { advanceTimers: false, doNotFake: [], legacyFakeTimers: false, now: 0, timerLimit: 100_000 },
    rootDir: process.cwd(),
  },
});

/** The part of Jest's object that the specs use. */
export const jest = {
  fn: (implementation) => mocker.fn(implementation),
  spyOn: (object, key, access) => mocker.spyOn(object, key, access),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (config) => timers.useFakeTimers(config),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
  setTimeout: (milliseconds) => void (globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = milliseconds),
};
