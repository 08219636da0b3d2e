// Jest's `testSequencer`: the longest spec files first, so that a run does not end with one long file and idle workers. The seconds of
// the long ones are committed (seconds.json), because a fresh clone has measured nothing; `npm test -- --record` writes them again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';

const require = createRequire(import.meta.url);
const { default: TestSequencer } = createRequire(require.resolve('jest-config'))('@jest/test-sequencer');
const SECONDS = JSON.parse(readFileSync(new URL('seconds.json', import.meta.url), 'utf8'));

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    for (const test of tests) test.duration = 1000 * (SECONDS[specOf(test)] ?? 0) || this.time(test) || 0;
    return tests.toSorted((a, b) => b.duration - a.duration || (a.path < b.path ? -1 : 1));
  }
}

const specOf = ({ path, context }) => relative(`${context.config.rootDir}/dist`, path).replace(/\.js$/, '.ts');
