import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  enqueueJob,
  type JobContext,
  JobListener,
  JobQueue,
  PERIODIC_TOPIC,
  PeriodicJob,
  QueuedJob,
  queuedJobTopic,
  type QueueEngine,
  QueueModule,
} from '#queue';
import { eventuallyHolds } from '../harness/eventually.js';

class Runs extends JobListener {
  readonly all: { readonly job: string; readonly outcome: string }[] = [];

  ran(job: string, outcome: string): void {
    this.all.push({ job, outcome });
  }

  of(job: string): string[] {
    return this.all.filter((run) => run.job === job).map(({ outcome }) => outcome);
  }
}

const importTopic = queuedJobTopic<{ rows: number }>('test.import', { attempts: 2, backoff: { type: 'fixed', delayMs: 50 } });

/** What the runner of jobs keeps on every engine behind `JobQueue`. */
export function jobRunnerSuite(engine: () => QueueEngine): void {
  describe('jobs among the providers of a process', () => {
    const started: INestApplicationContext[] = [];
    const start = async (...jobs: Type[]): Promise<{ app: INestApplicationContext; runs: Runs }> => {
      const runs = new Runs();
      @Module({ imports: [QueueModule.forRoot(engine(), { onError: () => undefined }, runs)], providers: jobs })
      class Process {}
      const app = await NestFactory.createApplicationContext(Process, { logger: false });
      started.push(app);
      return { app, runs };
    };
    const stop = async (app: INestApplicationContext): Promise<void> => {
      started.splice(started.indexOf(app), 1);
      await app.close();
    };
    afterAll(() => Promise.all(started.map((app) => app.close())));

    it('run at their interval, or never with an interval of 0', async () => {
      class Often extends PeriodicJob {
        readonly name = 'test.often';
        readonly everyMs = 50;
        async run(): Promise<void> {}
      }
      class Never extends PeriodicJob {
        readonly name = 'test.never';
        readonly everyMs = 0;
        async run(): Promise<void> {}
      }
      const { app, runs } = await start(Often, Never);
      await eventuallyHolds(() => expect(runs.of('test.often').length).toBeGreaterThanOrEqual(4));
      expect(runs.of('test.never')).toEqual([]);
      await stop(app);
    });

    it('run in the processes that have them on', async () => {
      class On extends PeriodicJob {
        readonly name = 'test.here';
        readonly everyMs: number = 50;
        async run(): Promise<void> {}
      }
      class Off extends On {
        override readonly everyMs = 0;
      }
      class Other extends PeriodicJob {
        readonly name = 'test.other';
        readonly everyMs = 50;
        async run(): Promise<void> {}
      }
      // It takes part in the queue, for another job.
      const off = await start(Off, Other);
      const on = await start(On, Other);
      await eventuallyHolds(() => expect(on.runs.of('test.here').length).toBeGreaterThanOrEqual(5));
      await eventuallyHolds(() => expect(off.runs.of('test.other').length).toBeGreaterThanOrEqual(1));
      expect(off.runs.of('test.here')).toEqual([]);
      await stop(off.app);
      await stop(on.app);
    });

    it('lose their schedule when the next version has them no more', async () => {
      class Hourly extends PeriodicJob {
        readonly name: string = 'test.kept';
        readonly everyMs = 3_600_000;
        async run(): Promise<void> {}
      }
      class Dropped extends Hourly {
        override readonly name: string = 'test.dropped';
      }
      const both = await start(Hourly, Dropped);
      const names = async (): Promise<string[]> => [...(await both.app.get(JobQueue).schedules(PERIODIC_TOPIC)).keys()].toSorted();
      await eventuallyHolds(async () => expect(await names()).toEqual(['test.dropped', 'test.kept']));
      const next = await start(Hourly);
      await eventuallyHolds(async () => expect(await names()).toEqual(['test.kept']));
      // The first run does not wait for an hour, and comes once for all processes and versions.
      await eventuallyHolds(() => expect([...both.runs.of('test.kept'), ...next.runs.of('test.kept')]).toEqual(['completed']));
      await stop(both.app);
      await stop(next.app);
    });

    it('share the ticks of a short interval, and none of them holds up or fails another one', async () => {
      class Works extends PeriodicJob {
        readonly name: string = 'test.works';
        readonly everyMs = 50;
        async run(_signal: AbortSignal): Promise<void> {}
      }
      class Fails extends Works {
        override readonly name = 'test.fails';
        override async run(): Promise<void> {
          throw new Error('always');
        }
      }
      class Lasts extends Works {
        override readonly name = 'test.lasts';
        override run(signal: AbortSignal): Promise<void> {
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        }
      }
      const { app, runs } = await start(Works, Fails, Lasts);
      await eventuallyHolds(() => expect(runs.of('test.works').length).toBeGreaterThanOrEqual(4));
      await eventuallyHolds(() => expect(runs.of('test.fails').length).toBeGreaterThanOrEqual(4));
      expect([...(await app.get(JobQueue).schedules(PERIODIC_TOPIC)).keys()]).toEqual(['test.fails + test.lasts + test.works']);
      expect(runs.of('test.lasts')).toEqual([]);
      await stop(app);
      expect(runs.of('test.lasts')).toEqual(['completed']);
    });

    it('run again after a failure, sooner than their interval', async () => {
      let runs = 0;
      class Flaky extends PeriodicJob {
        readonly name = 'test.flaky';
        readonly everyMs = 3_600_000;
        override readonly backoff = { type: 'fixed', delayMs: 50 } as const;
        async run(): Promise<void> {
          if (++runs < 3) throw new Error('not yet');
        }
      }
      const process = await start(Flaky);
      await eventuallyHolds(() => expect(process.runs.of('test.flaky')).toEqual(['failed', 'failed', 'completed']));
      await stop(process.app);
    });

    it('do not overlap in one process, and are waited for when it stops', async () => {
      let running = 0;
      let most = 0;
      let aborted = 0;
      class Slow extends PeriodicJob {
        readonly name = 'test.slow';
        readonly everyMs = 30;
        async run(signal: AbortSignal): Promise<void> {
          most = Math.max(most, ++running);
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          await new Promise((resolve) => setTimeout(resolve, 100));
          aborted += 1;
          running -= 1;
        }
      }
      const { app } = await start(Slow);
      await eventuallyHolds(() => expect(running).toBe(1));
      await new Promise((resolve) => setTimeout(resolve, 200));
      await stop(app);
      expect({ most, aborted, running }).toEqual({ most: 1, aborted: 1, running: 0 });
    });

    it('do what was asked for, with progress, and again after a failure', async () => {
      const attempts: number[] = [];
      class Import extends QueuedJob<{ rows: number }> {
        readonly topic = importTopic;
        override async run({ rows }: { rows: number }, { attempt, progress }: JobContext): Promise<void> {
          attempts.push(attempt);
          if (attempt === 1) throw new Error('half way');
          await progress(rows);
        }
      }
      const { app, runs } = await start(Import);
      const queue = app.get(JobQueue);
      const id = await enqueueJob(queue, importTopic, { rows: 3 }, 'file-1');
      await eventuallyHolds(async () =>
        expect(await queue.stateOf(importTopic.name, id)).toMatchObject({ state: 'completed', progress: 3 }),
      );
      expect(attempts).toEqual([1, 2]);
      expect(runs.of('test.import')).toEqual(['failed', 'completed']);
      await stop(app);
    });

    it('are added once as long as one with their key waits or runs, by whatever process, and again afterwards', async () => {
      const topic = queuedJobTopic<{ rows: number }>('test.keyed', { attempts: 1 });
      const begun: number[] = [];
      let finish = (): void => undefined;
      class Keyed extends QueuedJob<{ rows: number }> {
        readonly topic = topic;
        override async run({ rows }: { rows: number }): Promise<void> {
          begun.push(rows);
          await new Promise<void>((resolve) => (finish = resolve));
          if (rows === 1) throw new Error('the file is damaged');
        }
      }
      const [here, there] = [(await start()).app, (await start()).app];
      const [one, other] = [here.get(JobQueue), there.get(JobQueue)];
      const enqueue = (queue: JobQueue, rows: number): Promise<string> => enqueueJob(queue, topic, { rows }, 'a file: ü/1');
      const first = await enqueue(one, 1);
      expect(await enqueue(other, 2)).toBe(first);
      const worker = await start(Keyed);
      await eventuallyHolds(() => expect(begun).toEqual([1]));
      expect(await enqueue(other, 3)).toBe(first);
      finish();
      await eventuallyHolds(async () =>
        expect(await one.stateOf(topic.name, first)).toMatchObject({ state: 'failed', error: 'the file is damaged' }),
      );
      for (const rows of [4, 5]) {
        const next = await enqueue(other, rows);
        expect(next).not.toBe(first);
        await eventuallyHolds(() => expect(begun.at(-1)).toBe(rows));
        finish();
        await eventuallyHolds(async () => expect(await one.stateOf(topic.name, next)).toMatchObject({ state: 'completed' }));
      }
      expect(begun).toEqual([1, 4, 5]);
      expect(await one.counts(topic.name)).toMatchObject({ failed: 1, waiting: 0, active: 0 });
      for (const app of [here, there, worker.app]) await stop(app);
    });
  });
}
