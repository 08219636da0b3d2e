import { setTimeout as wait } from 'node:timers/promises';
import { EngineUnavailable } from '#kernel';
import { inSpan } from '#tracing';
import { DelayedError, type Job, Queue, type QueueOptions, Worker } from 'bullmq';
import { type JobContext, type JobHandler, type JobOptions, JobQueue, type JobState } from '../job-queue.js';
import type { QueueConnections } from './connections.js';
import { bullMqOptions, decodeId, encodeId } from './job-options.js';
import { changeSchedule } from './schedules.js';

export interface BullMqOptions {
  /** A worker that shows no life for so long has lost its job to another one; default 15 s. */
  readonly lockMs?: number;
  /** How often lost jobs are looked for. Alike in all processes, else a dead one's longer interval holds the others back; default 10 s. */
  readonly stalledMs?: number;
  /** What enqueueing and asking may take before the engine counts as away; default 3 s. */
  readonly patienceMs?: number;
  /** How long `close` waits for running jobs; default 20 s. */
  readonly closeMs?: number;
  readonly onError?: (error: Error) => void;
}

const DEFAULTS = { lockMs: 15_000, stalledMs: 10_000, patienceMs: 3_000, closeMs: 20_000, onError: (): void => undefined };
/** A job whose workers die under it so often is itself the cause; until then it is given out again: at least once. */
const MAX_STALLS = 20;
/** Until a job that one consumer left to another is given out again. */
const HAND_OVER_MS = 250;

/** The port on BullMQ 6, which runs the same queues on Redis and on PostgreSQL. Survives a restart of its engine. */
export class BullMqJobQueue extends JobQueue {
  private readonly queues = new Map<string, Queue>();
  private readonly workers: Worker[] = [];
  private readonly used = new Set<string>();
  private readonly options: Required<BullMqOptions>;
  private readonly closing = new AbortController();
  private closed: Promise<void> | null = null;

  /** @param queueOptions connection and job defaults of every topic */
  constructor(
    private readonly connections: QueueConnections,
    options: BullMqOptions = {},
    private readonly queueOptions: QueueOptions = connections.options,
  ) {
    super();
    this.options = { ...DEFAULTS, ...options };
  }

  override async enqueue<Payload extends object>(topic: string, payload: Payload, options: JobOptions = {}): Promise<string> {
    const job: Job = await this.ask(topic, (queue) => queue.add(topic, payload, bullMqOptions(options)));
    return decodeId(job.id!);
  }

  override async enqueueAll<Payload extends object>(
    topic: string,
    jobs: readonly { readonly payload: Payload; readonly options?: JobOptions }[],
  ): Promise<void> {
    if (jobs.length === 0) return;
    const bulk = jobs.map(({ payload, options = {} }) => ({ name: topic, data: payload, opts: bullMqOptions(options) }));
    await this.ask(topic, (queue) => queue.addBulk(bulk));
  }

  override async stateOf(topic: string, jobId: string): Promise<JobState | null> {
    const job: Job | undefined = await this.ask(topic, (queue) => queue.getJob(encodeId(jobId)));
    if (!job) return null;
    const state = await this.ask(topic, () => job.getState());
    const progress = typeof job.progress === 'number' || typeof job.progress === 'object' ? job.progress : 0;
    return { state: STATES[state] ?? 'waiting', progress, error: job.failedReason ?? null };
  }

  override async schedule(topic: string, key: string, everyMs: number, options: JobOptions = {}): Promise<void> {
    const id = encodeId(key);
    const change = (queue: Queue): Promise<unknown> =>
      everyMs <= 0 ? queue.removeJobScheduler(id) : changeSchedule(queue, id, { name: key, everyMs, options });
    await this.ask(topic, (queue) => this.connections.oneByOne(`${topic}:${id}`, () => change(queue)));
  }

  override async schedules(topic: string): Promise<ReadonlyMap<string, Date>> {
    const found = await this.ask(topic, (queue) => queue.getJobSchedulers());
    return new Map(found.map(({ key, next }) => [decodeId(key), new Date(next ?? 0)]));
  }

  override get engine(): 'database' | 'redis' {
    return this.connections.engine;
  }

  override get topics(): readonly string[] {
    return [...this.used];
  }

  override async counts(topic: string): Promise<Readonly<Record<string, number>>> {
    return this.ask(topic, (queue) => queue.getJobCounts('waiting', 'delayed', 'active', 'failed'));
  }

  override async consume<Payload extends object>(
    topic: string,
    handler: JobHandler<Payload>,
    { concurrency = 8 }: { readonly concurrency?: number } = {},
  ): Promise<void> {
    this.used.add(topic);
    const run = (job: Job): Promise<void> => {
      const context = this.contextOf(job);
      const work = () => handler(job.data as Payload, context);
      // Nobody asked for a tick of a schedule: a span for each would be noise.
      if (job.repeatJobKey) return work();
      const facts = { 'messaging.system': 'bullmq', 'messaging.destination.name': topic, 'traceability.job.attempt': context.attempt };
      return inSpan(`job ${topic}`, { kind: 'consumer', parent: job.opts.telemetry?.metadata ?? null, facts }, work);
    };
    try {
      await this.startWorker(topic, run, concurrency);
    } catch (error) {
      this.options.onError(error as Error);
      // As with queues, a worker whose first connection failed never works: a fresh one is made until the engine is back.
      void this.keepStarting(topic, run, concurrency);
    }
  }

  override async check(): Promise<void> {
    await this.inTime(this.connections.check());
  }

  override close(): Promise<void> {
    return (this.closed ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    this.closing.abort();
    const { closeMs, patienceMs } = this.options;
    // While its engine is away, the library never finishes to close, and the process does not end.
    await this.check().catch(() => this.connections.giveUp());
    await Promise.all(this.workers.map((worker) => this.closeOne(worker, closeMs)));
    await Promise.all([...this.queues.values()].map((queue) => this.closeOne(queue, patienceMs)));
    await this.connections.close();
  }

  private contextOf(job: Job): JobContext {
    const attempt = job.attemptsMade + 1;
    return {
      id: decodeId(job.id!),
      name: job.name,
      attempt,
      lastAttempt: attempt >= (job.opts.attempts ?? 1),
      signal: this.closing.signal,
      handOver: async () => {
        await job.moveToDelayed(Date.now() + HAND_OVER_MS, job.token);
        throw new DelayedError();
      },
      progress: (value) => job.updateProgress(value),
    };
  }

  private async startWorker(topic: string, run: (job: Job) => Promise<void>, concurrency: number): Promise<void> {
    await this.check();
    const { lockMs, stalledMs, onError } = this.options;
    const worker = new Worker(
      checkedTopic(topic),
      run,
      {
        connection: this.queueOptions.connection,
        concurrency,
        lockDuration: lockMs,
        stalledInterval: stalledMs,
        maxStalledCount: MAX_STALLS,
        // The library's 15 s would be added to every outage.
        runRetryDelay: 1_000,
      },
      this.connections.backend as never,
    );
    worker.on('error', onError);
    try {
      await this.inTime(worker.waitUntilReady());
      this.closing.signal.throwIfAborted();
      this.workers.push(worker);
    } catch (error) {
      await this.closeOne(worker, this.options.patienceMs, true);
      throw error;
    }
  }

  private async keepStarting(topic: string, run: (job: Job) => Promise<void>, concurrency: number): Promise<void> {
    while (!this.closing.signal.aborted) {
      await wait(1_000, undefined, { signal: this.closing.signal }).catch(() => undefined);
      if (this.closing.signal.aborted) return;
      try {
        return await this.startWorker(topic, run, concurrency);
      } catch (error) {
        this.options.onError(error as Error);
      }
    }
  }

  /** A queue on an engine that is away cannot be closed in order: after a while the connection is cut. */
  private async closeOne(one: Worker | Queue, withinMs: number, force = false): Promise<void> {
    const closed = new AbortController();
    const cut = wait(withinMs, undefined, { signal: closed.signal }).then(
      () => void one.disconnect().catch(this.options.onError),
      () => undefined,
    );
    const close = one instanceof Worker ? one.close(force) : one.close();
    await Promise.race([close.catch(this.options.onError), cut]);
    closed.abort();
  }

  /** @throws EngineUnavailable('queue') */
  private async ask<T>(topic: string, work: (queue: Queue) => Promise<T>): Promise<T> {
    const name = checkedTopic(topic);
    this.used.add(name);
    const queue = this.queues.get(name) ?? this.openQueue(name);
    try {
      return await this.inTime(work(queue));
    } catch (error) {
      this.forget(name, queue);
      throw error;
    }
  }

  /** On PostgreSQL BullMQ never retries a first connection that failed: the next call makes a new one. Redis reconnects by itself. */
  private forget(name: string, queue: Queue): void {
    if (this.connections.engine === 'redis') return;
    if (this.queues.get(name) === queue) this.queues.delete(name);
    void this.closeOne(queue, this.options.patienceMs);
  }

  private openQueue(name: string): Queue {
    const queue = new Queue(name, this.queueOptions, this.connections.backend as never);
    queue.on('error', this.options.onError);
    this.queues.set(name, queue);
    return queue;
  }

  private async inTime<T>(work: Promise<T>): Promise<T> {
    const patience = new AbortController();
    const { patienceMs } = this.options;
    const silence = wait(patienceMs, undefined, { signal: patience.signal }).then(() => {
      throw new Error(`no answer within ${patienceMs} ms`);
    });
    try {
      return await Promise.race([work, silence]);
    } catch (error) {
      throw new EngineUnavailable('queue', error);
    } finally {
      patience.abort();
      silence.catch(() => undefined);
    }
  }
}

const STATES: Readonly<Record<string, JobState['state']>> = { active: 'active', completed: 'completed', failed: 'failed' };

function checkedTopic(topic: string): string {
  if (topic === '' || topic.includes(':')) throw new TypeError(`"${topic}" cannot name a queue: the name may not be empty or hold a colon`);
  return topic;
}
