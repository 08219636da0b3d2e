import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { eventuallyHolds } from '../harness/eventually.js';

/** A run as `npm test` is one, with a child that would outlive it. */
const RUN = `
  import { spawn } from 'node:child_process';
  import { watchThisRun } from ${JSON.stringify(pathToFileURL(resolve('tools/watchdog.mjs')).href)};
  watchThisRun();
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  child.unref();
  console.log(JSON.stringify([child.pid, process.env.TMPDIR]));
  process.stdin.on('data', () => process.exit(0)).resume();
`;

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a test run', () => {
  it.each(['SIGKILL', 'SIGTERM', null] as const)('that ends by %s leaves no process and no folder behind', async (signal) => {
    const env = { ...process.env, TRACE_TEST_RUN: '', npm_lifecycle_event: '' };
    const run = spawn(process.execPath, ['--input-type=module', '-e', RUN], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(run.stdout, 'data')) as [Buffer];
    const [pid, folder] = JSON.parse(line.toString()) as [number, string];
    expect([runs(pid), existsSync(folder)]).toEqual([true, true]);
    if (signal === null) run.stdin.write('end');
    else run.kill(signal);
    await eventuallyHolds(() => expect([runs(pid), existsSync(folder)]).toEqual([false, false]));
  });
});
