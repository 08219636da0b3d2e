import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { EngineUnavailable } from '#kernel';
import type { JobQueue } from './job-queue.js';
import { JobRunner } from './job-runner.js';
import { PeriodicJob } from './jobs.js';

class Hourly extends PeriodicJob {
  readonly everyMs = 3_600_000;

  constructor(readonly name: string) {
    super();
  }

  async run(): Promise<void> {}
}

/** Checks its schedules all the time. */
class QuickRunner extends JobRunner {
  protected override readonly checkMs = 5;
  protected override readonly retryMs = 5;
}

/** Schedules as the queue's engine keeps them. */
class Engine {
  away = false;
  asked = 0;
  readonly kept = new Map<string, Date>();

  readonly queue = {
    consume: async () => undefined,
    schedules: async () => {
      this.asked += 1;
      if (this.away) throw new EngineUnavailable('queue');
      return new Map(this.kept);
    },
    schedule: async (_: string, key: string, everyMs: number) => {
      if (everyMs === 0) this.kept.delete(key);
      else this.kept.set(key, new Date(Date.now() + everyMs));
    },
  } as unknown as JobQueue;

  runner(...jobs: PeriodicJob[]): JobRunner {
    const providers = { getProviders: () => jobs.map((instance) => ({ instance })) } as unknown as DiscoveryService;
    return new QuickRunner(this.queue, providers, { ran: () => undefined });
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('the schedules of periodic jobs', () => {
  let engine: Engine;
  beforeEach(() => {
    engine = new Engine();
    Logger.overrideLogger(false);
  });
  afterEach(() => Logger.overrideLogger(true));

  it('come back when the queue has lost them, when one broke off, or when one was made by a clock that was ahead', async () => {
    const runner = engine.runner(new Hourly('a'), new Hourly('b'));
    await runner.onApplicationBootstrap();
    await until(() => engine.kept.size === 2);
    engine.kept.delete('a');
    engine.kept.set('b', new Date(Date.now() - 3_600_000));
    await until(() => engine.kept.has('a') && engine.kept.get('b')!.getTime() > Date.now());
    engine.kept.set('b', new Date(Date.now() + 400 * 86_400_000));
    await until(() => engine.kept.get('b')!.getTime() <= Date.now() + 3_600_000);
    await runner.beforeApplicationShutdown();
    expect([...engine.kept.keys()].toSorted()).toEqual(['a', 'b']);
  });

  it('are made when an engine that was away at the start is back', async () => {
    const said: unknown[] = [];
    const say = (line: unknown): void => void said.push(line);
    Logger.overrideLogger({ log: say, warn: say, error: say });
    engine.away = true;
    const runner = engine.runner(new Hourly('a'));
    await runner.onApplicationBootstrap();
    await until(() => engine.asked > 2);
    expect(engine.kept.size).toBe(0);
    engine.away = false;
    await until(() => engine.kept.size > 0);
    await runner.beforeApplicationShutdown();
    expect([...engine.kept.keys()]).toEqual(['a']);
    // Once, however often it was tried.
    expect(said).toEqual([new EngineUnavailable('queue').report, 'The queue answers again.']);
  });

  it('are not mixed up: a name that two jobs have is an error', async () => {
    await expect(engine.runner(new Hourly('a'), new Hourly('a')).onApplicationBootstrap()).rejects.toThrow('two periodic jobs are named a');
  });
});
