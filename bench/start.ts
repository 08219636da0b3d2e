import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../test/harness/free-port.js';
import { type Measurement, type Scenario, median } from './report.js';

const SECOND_STARTS = 3;

/** A fresh copy of the sources with the packages installed: what a user has after `npm ci`. */
function freshClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'trace-bench-start-'));
  for (const path of [
    'apps',
    'libs',
    'contracts',
    'test',
    'bench',
    'tools',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    '.npmrc',
  ])
    if (existsSync(path)) cpSync(path, join(clone, path), { recursive: true });
  // Linked, not copied: a start never installs through a link.
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  return clone;
}

interface Started {
  readonly child: ChildProcess;
  readonly seconds: number;
}

/** Until the service is ready and the demo is seeded: then the start screen is shown. */
async function start(clone: string, port: number): Promise<Started> {
  const from = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: clone,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), LOG_LEVEL: 'warn' },
  });
  const ready = async (): Promise<boolean> =>
    existsSync(join(clone, '.data/demo.json')) && (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null))?.ok === true;
  while (!(await ready())) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    await pause(50);
  }
  return { child, seconds: (performance.now() - from) / 1000 };
}

async function stop({ child }: Started, clone: string): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(clone, '.data/service.lock'), 'utf8')) as { pid: number };
  const closed = once(child, 'close');
  process.kill(pid, 'SIGINT');
  await closed;
}

/** Resident memory of the node process that serves, in MiB. */
function residentMemory(clone: string): number {
  const { pid } = JSON.parse(readFileSync(join(clone, '.data/service.lock'), 'utf8')) as { pid: number };
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

export const scenario: Scenario = {
  name: 'start',
  about:
    '`npm start` in a fresh copy with the packages installed: from the command to a ready service with the demo seeded (build, database, chain and seed included), then again on the data that is there.',
  async run(say): Promise<readonly Measurement[]> {
    const clone = freshClone();
    try {
      const port = await freePort();
      const cold = await start(clone, port);
      say(`cold start ${cold.seconds.toFixed(1)} s`);
      await stop(cold, clone);
      const seconds: number[] = [];
      let memory = 0;
      for (let n = 0; n < SECOND_STARTS; n++) {
        const again = await start(clone, port);
        seconds.push(again.seconds);
        say(`second start ${again.seconds.toFixed(1)} s`);
        // Idle: after the first minute's work of start-up has been collected or kept.
        if (n === SECOND_STARTS - 1) await pause(15_000);
        memory = residentMemory(clone);
        await stop(again, clone);
      }
      return [
        { what: 'cold start', value: cold.seconds, unit: 's', limit: 'under 20' },
        { what: 'second start (median)', value: median(seconds), unit: 's', limit: 'under 6' },
        { what: 'resident memory of the idle node process', value: memory, unit: 'MiB', limit: 'under 300' },
      ];
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  },
};
