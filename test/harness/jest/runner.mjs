// Jest's `testRunner` of this repository: it runs a spec file as Node would run it, with Node's own modules and their cache, instead
// of in a VM of its own. A worker then loads the service once, and not once for each of 190 spec files; that was half of the time.
// What files could do to each other is put back after each: the environment, timers, mocks, listeners of errors.
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const { addEventHandler, getState, resetState, run } = require('jest-circus');
const { jestExpect } = createRequire(require.resolve('jest-circus'))('@jest/expect');
const { formatResultsErrors } = createRequire(require.resolve('jest-circus'))('jest-message-util');
const jestTestTimeout = Symbol.for('TEST_TIMEOUT_SYMBOL');
const GLOBALS = new URL('globals.mjs', import.meta.url).href;

const resolve = (specifier, context, next) =>
  specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context);
if (module.registerHooks) module.registerHooks({ resolve });
else module.register(new URL('resolve-globals.mjs', import.meta.url), { data: GLOBALS });
process.setSourceMapsEnabled(true);
module.enableCompileCache?.(join(process.cwd(), 'node_modules/.cache/compiled'));

let runs = 0;
let last = 'the first file';
addEventHandler(aboutExpectations);
// Without a listener an error between two files would end the worker, and Jest would run the file again without saying why.
for (const name of ['uncaughtException', 'unhandledRejection'])
  process.on(name, (error) => {
    if (process.listenerCount(name) === 1) process.stderr.write(`after ${last}: ${error?.stack ?? String(error)}\n`);
  });
process.on('exit', (code) => code !== 0 && process.stderr.write(`a worker ends with ${code}, its last file was ${last}\n`));

export default async function runFile(globalConfig, config, _environment, _runtime, path) {
  last = path;
  const { restore, pending } = isolated();
  resetState();
  const state = getState();
  state.testTimeout = globalConfig.testTimeout ?? config.testTimeout ?? state.testTimeout;
  state.testNamePattern = globalConfig.testNamePattern ? new RegExp(globalConfig.testNamePattern, 'i') : null;
  jestExpect.setState({ expand: globalConfig.expand, testPath: path });
  try {
    // Again in one process only while watching; then the file is another one.
    await import(`${pathToFileURL(path).href}${runs++ > 0 && globalConfig.watch ? `?${runs}` : ''}`);
    const { testResults, unhandledErrors } = await run();
    return resultOf(testResults.map(assertionOf), [...unhandledErrors, ...pending()], { globalConfig, config, path });
  } finally {
    restore();
  }
}

function assertionOf({ duration, errors, errorsDetailed, invocations, location, numPassingAsserts, status, testPath }) {
  const [, ...titles] = testPath;
  const failed = errors.length > 0;
  return {
    ancestorTitles: titles.slice(0, -1),
    duration,
    failureDetails: errorsDetailed,
    failureMessages: errors,
    fullName: titles.join(' '),
    invocations,
    location,
    numPassingAsserts,
    status: failed ? 'failed' : status === 'skip' ? 'pending' : status === 'todo' ? 'todo' : 'passed',
    title: titles.at(-1),
  };
}

function resultOf(testResults, unhandled, { globalConfig, config, path }) {
  const count = (status) => testResults.filter((test) => test.status === status).length;
  const failureMessage = formatResultsErrors(testResults, config, globalConfig, path);
  return {
    leaks: false,
    openHandles: [],
    perfStats: {},
    skipped: false,
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    testFilePath: path,
    testResults,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    failureMessage: unhandled.length > 0 ? [failureMessage ?? '', ...unhandled].join('\n') : failureMessage,
    ...(unhandled.length > 0 && { testExecError: { message: '', stack: unhandled.join('\n') } }),
  };
}

/** `expect.assertions(n)` and `expect.hasAssertions()`, and the name of the test for messages. */
function aboutExpectations(event) {
  if (event.name === 'test_start') {
    const titles = [];
    for (let block = event.test; block.parent; block = block.parent) titles.unshift(block.name);
    jestExpect.setState({
      assertionCalls: 0,
      currentTestName: titles.join(' '),
      expectedAssertionsNumber: null,
      isExpectingAssertions: false,
    });
  } else if (event.name === 'test_fn_success' || event.name === 'test_fn_failure')
    for (const { error } of jestExpect.extractExpectedAssertionsErrors()) event.test.errors.push(error);
}

/** Notes what one file may change, and whose fault an error is that nobody handled. */
function isolated() {
  const env = { ...process.env };
  const directory = process.cwd();
  const { exitCode } = process;
  const exit = process.exit.bind(process);
  const rejected = new Map();
  const thrown = (error) => {
    const test = getState().currentlyRunningTest;
    if (test) test.errors.push(error);
    else getState().unhandledErrors.push(error);
  };
  const rejection = (error, promise) => void rejected.set(promise, { error, test: getState().currentlyRunningTest });
  const handled = (promise) => void rejected.delete(promise);
  const settle = (event) => {
    if (event.name !== 'test_fn_success' && event.name !== 'test_fn_failure') return;
    for (const [promise, { error, test }] of rejected)
      if (test === event.test) {
        rejected.delete(promise);
        test.errors.push(error);
      }
  };
  const listeners = { uncaughtException: thrown, unhandledRejection: rejection, rejectionHandled: handled };
  for (const [name, listener] of Object.entries(listeners)) process.on(name, listener);
  addEventHandler(settle);
  // It would end the worker, and Jest would run the file again without saying why.
  process.exit = (code) => thrown(new Error(`process.exit(${code}) was called in the worker`));
  return {
    pending: () => [...rejected.values()].map(({ error }) => error?.stack ?? String(error)),
    restore: () => {
      for (const [name, listener] of Object.entries(listeners)) process.off(name, listener);
      globalThis[Symbol.for('EVENT_HANDLERS')].splice(globalThis[Symbol.for('EVENT_HANDLERS')].indexOf(settle), 1);
      for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
      for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
      process.exit = exit;
      process.chdir(directory);
      process.exitCode = exitCode;
      delete globalThis[jestTestTimeout];
    },
  };
}
