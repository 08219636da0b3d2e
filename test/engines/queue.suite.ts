import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EngineUnavailable } from '#kernel';
import { BullMqJobQueue, type BullMqOptions, openQueueConnections, type QueueEngine } from '#queue';
import { inSpan, openTracing } from '#tracing';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { SpanCollector } from '../harness/span-collector.js';
import { jobRunnerSuite } from './queue-jobs.suite.js';

export interface RunningQueueEngine {
  readonly engine: QueueEngine;
  /** Ends the server hard; absent where it is not ours. */
  readonly kill?: () => Promise<void>;
  readonly startAgain?: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Work {
  readonly n: number;
}

const LOCK_MS = 2_000;

/** What every engine behind `JobQueue` keeps. A server that is not ours is not killed. */
export function jobQueueSuite(name: string, start: () => Promise<RunningQueueEngine>, ours: boolean): void {
  describe(`job queue on ${name}`, () => {
    let server: RunningQueueEngine;
    let queue: BullMqJobQueue;
    const opened: BullMqJobQueue[] = [];
    const open = async (more: BullMqOptions = {}): Promise<BullMqJobQueue> => {
      const options = { ...more, lockMs: LOCK_MS, stalledMs: 500, patienceMs: 2_000, onError: (): void => undefined };
      const made = new BullMqJobQueue(await openQueueConnections(server.engine, options.onError), options);
      opened.push(made);
      return made;
    };
    beforeAll(async () => {
      server = await start();
    });
    // Each topic of a process takes connections of its own: those of all tests together are more than the engine has.
    beforeEach(async () => {
      queue = await open();
    });
    afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));
    afterAll(() => server.stop());

    it('hands a payload to a consumer, with the id it was given', async () => {
      const seen: unknown[] = [];
      await queue.consume<Work>('plain', async (payload, { id, attempt, lastAttempt }) => {
        seen.push({ ...payload, id, attempt, lastAttempt });
      });
      await queue.enqueue('plain', { n: 1 }, { jobId: 'webhooks:délivery/7' });
      await queue.enqueue('plain', { n: 2 }, { jobId: '42' });
      await eventuallyHolds(() =>
        expect(seen).toEqual([
          { n: 1, id: 'webhooks:délivery/7', attempt: 1, lastAttempt: true },
          { n: 2, id: '42', attempt: 1, lastAttempt: true },
        ]),
      );
    });

    it('makes the span of a job a child of the span of its producer', async () => {
      const collector = await SpanCollector.start();
      const settings = { endpoint: collector.url, headers: {}, serviceName: 'queue', ratio: 1, believesCallers: true };
      const tracing = await openTracing(settings, {}, () => undefined);
      try {
        const worked: unknown[] = [];
        await queue.consume<Work>('traced', async ({ n }) => void worked.push(n));
        await inSpan('producer', {}, () => queue.enqueue('traced', { n: 1 }));
        await inSpan('producer', {}, () => queue.enqueueAll('traced', [{ payload: { n: 2 } }]));
        await queue.enqueue('traced', { n: 3 });
        await eventuallyHolds(() => expect(new Set(worked)).toEqual(new Set([1, 2, 3])));
        await eventuallyHolds(() => expect(collector.named('job traced')).toHaveLength(3));
      } finally {
        await tracing.close();
        await collector.close();
      }
      const paths = collector.named('job traced').map((span) => collector.path(span).join(' > '));
      const inside = 'producer > job traced';
      expect(paths.toSorted()).toEqual(['job traced', inside, inside]);
    });

    it('takes many jobs in one go, each id once', async () => {
      const seen: number[] = [];
      const jobs = Array.from({ length: 50 }, (_, n) => ({ payload: { n }, options: { jobId: `bulk-${n}` } }));
      await queue.enqueueAll('bulk', jobs);
      await queue.enqueueAll('bulk', jobs.slice(10, 30));
      expect(await queue.counts('bulk')).toMatchObject({ waiting: 50, active: 0, delayed: 0 });
      await queue.consume<Work>('bulk', async ({ n }) => void seen.push(n));
      await eventuallyHolds(async () => {
        expect(seen).toHaveLength(50);
        expect(await queue.counts('bulk')).toMatchObject({ waiting: 0, active: 0 });
      });
      await queue.enqueue('bulk', { n: 0 }, { jobId: 'bulk-0' });
      await queue.enqueue('bulk', { n: 999 }, { jobId: 'bulk-last' });
      await eventuallyHolds(() => expect(seen.at(-1)).toBe(999));
      expect(seen.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 50 }, (_, n) => n), 999]);
    });

    it('waits for the given delay', async () => {
      const arrived: number[] = [];
      await queue.consume<Work>('late', async () => void arrived.push(Date.now()));
      const before = Date.now();
      await queue.enqueue('late', { n: 1 }, { delayMs: 400 });
      await queue.enqueue('later', { n: 1 }, { delayMs: 3_600_000 });
      expect(await queue.counts('later')).toMatchObject({ delayed: 1 });
      await eventuallyHolds(() => expect(arrived).toHaveLength(1));
      expect(arrived[0]! - before).toBeGreaterThanOrEqual(390);
    });

    it('tries again with growing pauses, says which attempt it is, and then stops', async () => {
      const attempts: { attempt: number; lastAttempt: boolean; at: number }[] = [];
      await queue.consume<Work>('flaky', async (_, { attempt, lastAttempt }) => {
        attempts.push({ attempt, lastAttempt, at: Date.now() });
        throw new Error('not yet');
      });
      await queue.enqueue('flaky', { n: 1 }, { attempts: 3, backoff: { type: 'exponential', delayMs: 150 } });
      await eventuallyHolds(async () => expect(await queue.counts('flaky')).toMatchObject({ failed: 1 }));
      expect(attempts.map(({ attempt, lastAttempt }) => [attempt, lastAttempt])).toEqual([
        [1, false],
        [2, false],
        [3, true],
      ]);
      expect(attempts[1]!.at - attempts[0]!.at).toBeGreaterThanOrEqual(140);
      expect(attempts[2]!.at - attempts[1]!.at).toBeGreaterThanOrEqual(290);
    });

    it('makes a job at an interval, goes on after a failure, and stops when told', async () => {
      let runs = 0;
      await queue.consume('interval', async (_, { name: key }) => {
        expect(key).toBe('lost:rows');
        runs += 1;
        if (runs === 1) throw new Error('the first one fails');
      });
      await queue.schedule('interval', 'lost:rows', 100);
      expect([...(await queue.schedules('interval')).keys()]).toEqual(['lost:rows']);
      await eventuallyHolds(() => expect(runs).toBeGreaterThanOrEqual(4));
      await queue.schedule('interval', 'lost:rows', 0);
      expect((await queue.schedules('interval')).size).toBe(0);
      const before = runs;
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(runs).toBeLessThanOrEqual(before + 1);
    });

    it('gives each tick of a schedule to one of several consumers', async () => {
      const ticks: string[] = [];
      const other = await open();
      for (const consumer of [queue, other]) await consumer.consume('shared', async (_, { id }) => void ticks.push(id));
      await Promise.all([queue, other].map((one) => one.schedule('shared', 'tick', 50)));
      await eventuallyHolds(() => expect(ticks.length).toBeGreaterThanOrEqual(8));
      await queue.schedule('shared', 'tick', 0);
      expect(new Set(ticks).size).toBe(ticks.length);
    });

    it('makes a schedule again that was made while the clock was ahead', async () => {
      const now = Date.now.bind(Date);
      const next = async (): Promise<number> => ((await queue.schedules('shared')).get('ahead')?.getTime() ?? 0) - now();
      jest.spyOn(Date, 'now').mockImplementation(() => now() + 400 * 86_400_000);
      try {
        await queue.schedule('shared', 'ahead', 60_000);
        expect(await next()).toBeGreaterThan(399 * 86_400_000);
      } finally {
        jest.restoreAllMocks();
      }
      await queue.schedule('shared', 'ahead', 60_000);
      expect(await next()).toBeLessThanOrEqual(60_000);
      await queue.schedule('shared', 'ahead', 0);
    });

    it('gives the first tick once, though several processes make the schedule at the same time', async () => {
      const ticks: string[] = [];
      const processes = [queue, ...(await Promise.all([open(), open(), open()]))];
      for (const one of processes) await one.consume('first', async (_, { id }) => void ticks.push(id));
      const keys = Array.from({ length: 20 }, (_, n) => `first ${n}`);
      for (const key of keys) await Promise.all(processes.map((one) => one.schedule('first', key, 3_600_000)));
      await eventuallyHolds(async () => expect(await queue.counts('first')).toMatchObject({ waiting: 0, active: 0, delayed: keys.length }));
      expect(new Set(ticks).size).toBe(keys.length);
      expect(ticks).toHaveLength(keys.length);
      await Promise.all(keys.map((key) => queue.schedule('first', key, 0)));
    });

    it('tells the state and the progress of a job', async () => {
      expect(await queue.stateOf('long', 'one')).toBeNull();
      let finish = (): void => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      await queue.enqueue('long', {}, { jobId: 'one' });
      expect(await queue.stateOf('long', 'one')).toEqual({ state: 'waiting', progress: 0, error: null });
      await queue.consume('long', async (_, { progress }) => {
        await progress({ rows: 7 });
        await finished;
        throw new Error('at row 8');
      });
      await eventuallyHolds(async () =>
        expect(await queue.stateOf('long', 'one')).toEqual({ state: 'active', progress: { rows: 7 }, error: null }),
      );
      finish();
      await eventuallyHolds(async () =>
        expect(await queue.stateOf('long', 'one')).toEqual({ state: 'failed', progress: { rows: 7 }, error: 'at row 8' }),
      );
    });

    it('runs no more jobs at a time than it was allowed', async () => {
      let running = 0;
      let most = 0;
      let done = 0;
      await queue.enqueueAll(
        'narrow',
        Array.from({ length: 9 }, (_, n) => ({ payload: { n } })),
      );
      await queue.consume<Work>(
        'narrow',
        async () => {
          most = Math.max(most, ++running);
          // Until three are under way, however slowly they are fetched; and a moment longer, for a fourth.
          await eventually('three at a time', () => most >= 3);
          await new Promise((resolve) => setTimeout(resolve, 20));
          running -= 1;
          done += 1;
        },
        { concurrency: 3 },
      );
      await eventuallyHolds(() => expect(done).toBe(9));
      expect(most).toBe(3);
    });

    it('gives out first what has the smaller priority, and among equals what came first', async () => {
      const seen: number[] = [];
      await queue.enqueueAll(
        'prior',
        [3, 2, 1, 2].map((priority, n) => ({ payload: { n }, options: { priority } })),
      );
      await queue.consume<Work>('prior', async ({ n }) => void seen.push(n), { concurrency: 1 });
      await eventuallyHolds(() => expect(seen).toEqual([2, 1, 3, 0]));
    });

    it('lets a running job finish before it closes', async () => {
      const leaving = await open();
      let started = false;
      let finished = false;
      await leaving.consume('slow', async () => {
        started = true;
        await new Promise((resolve) => setTimeout(resolve, 300));
        finished = true;
      });
      await queue.enqueue('slow', { n: 1 });
      await eventuallyHolds(() => expect(started).toBe(true));
      await leaving.close();
      expect(finished).toBe(true);
      expect(await queue.counts('slow')).toMatchObject({ active: 0, waiting: 0, failed: 0 });
    });

    it('gives the job of a killed worker to another one', async () => {
      await queue.enqueue('deadly', { n: 7 }, { jobId: 'deadly-7' });
      const victim = await startWorkerProcess(server.engine, 'deadly');
      victim.kill('SIGKILL');
      await once(victim, 'close');
      expect(await queue.counts('deadly')).toMatchObject({ active: 1 });
      const seen: Work[] = [];
      await queue.consume<Work>('deadly', async (payload) => void seen.push(payload));
      await eventuallyHolds(() => expect(seen).toEqual([{ n: 7 }]));
    });

    it('refuses a topic that no queue can be called', async () => {
      await expect(queue.enqueue('a:b', { n: 1 })).rejects.toThrow(TypeError);
    });

    jobRunnerSuite(() => server.engine);

    const restart = (title: string, test: (kill: () => Promise<void>, again: () => Promise<void>) => Promise<void>): void => {
      (ours ? it : it.skip)(title, () => test(server.kill!, server.startAgain!), 60_000);
    };

    restart('says that the engine is away while it is, keeps its jobs and goes on when it returns', async (kill, startAgain) => {
      const seen: number[] = [];
      await queue.consume<Work>('durable', async ({ n }) => void seen.push(n));
      await queue.enqueue('durable', { n: 1 });
      await queue.enqueue('durable', { n: 2 }, { delayMs: 1_500 });
      await eventuallyHolds(() => expect(seen).toEqual([1]));
      await queue.check();
      await kill();
      await expect(queue.enqueue('durable', { n: 3 }, { jobId: 'during' })).rejects.toBeInstanceOf(EngineUnavailable);
      await expect(queue.enqueue('never-seen-before', { n: 3 })).rejects.toBeInstanceOf(EngineUnavailable);
      await expect(queue.check()).rejects.toMatchObject({ engine: 'queue', status: 503 });
      await startAgain();
      await eventuallyHolds(() => queue.check());
      await eventuallyHolds(() => queue.enqueue('durable', { n: 3 }, { jobId: 'during' }));
      await eventuallyHolds(() => queue.enqueue('never-seen-before', { n: 4 }));
      await eventuallyHolds(() => expect(new Set(seen)).toEqual(new Set([1, 2, 3])));
    });

    restart('closes in time while the engine is away, with a job that cannot report its end', async (kill, startAgain) => {
      const leaving = await open({ closeMs: 1_500 });
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      let started = false;
      await leaving.consume('stranded', async () => {
        started = true;
        await ended;
      });
      await leaving.consume('idle', async () => undefined);
      await leaving.schedule('idle', 'tick', 3_600_000);
      await leaving.enqueue('stranded', { n: 1 });
      await eventuallyHolds(() => expect(started).toBe(true));
      await kill();
      end();
      await leaving.consume('never', async () => undefined);
      await expect(leaving.enqueue('stranded', { n: 2 })).rejects.toBeInstanceOf(EngineUnavailable);
      const before = performance.now();
      await leaving.close();
      // Workers, then queues, then connections: each with a limit of its own.
      expect(performance.now() - before).toBeLessThan(60_000);
      await startAgain();
    });

    restart('starts to consume when an engine that was away comes back', async (kill, startAgain) => {
      const late = await open();
      const seen: number[] = [];
      await kill();
      await late.consume<Work>('patient', async ({ n }) => void seen.push(n));
      await startAgain();
      await eventuallyHolds(() => late.enqueue('patient', { n: 1 }, { jobId: 'one' }));
      await eventuallyHolds(() => expect(seen).toEqual([1]));
    });
  });
}

/** A process that takes one job, says so and never finishes it. */
async function startWorkerProcess(engine: QueueEngine, topic: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('./queue-worker.js', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify({ engine, topic, lockMs: LOCK_MS })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  if (!said.toString().includes('taken')) throw new Error(`the worker said ${said.toString()}`);
  return child;
}
