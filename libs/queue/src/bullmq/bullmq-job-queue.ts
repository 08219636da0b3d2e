import { setTimeout as wait } from 'node:timers/promises';
import { EngineUnavailable } from '#kernel';
import { inSpan, recordedSpan } from '#tracing';
import { type Job, type JobsOptions, Queue, type QueueOptions, Worker } from 'bullmq';
import { type JobHandler, type JobOptions, JobQueue } from '../job-queue.js';
import type { QueueConnections } from './connections.js';

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

  override enqueue<Payload extends object>(topic: string, payload: Payload, options: JobOptions = {}): Promise<void> {
    return this.ask(topic, (queue) => queue.add(topic, payload, bullMqOptions(options))).then(() => undefined);
  }

  override async enqueueAll<Payload extends object>(
    topic: string,
    jobs: readonly { readonly payload: Payload; readonly options?: JobOptions }[],
  ): Promise<void> {
    if (jobs.length === 0) return;
    const bulk = jobs.map(({ payload, options = {} }) => ({ name: topic, data: payload, opts: bullMqOptions(options) }));
    await this.ask(topic, (queue) => queue.addBulk(bulk));
  }

  override async every(topic: string, key: string, everyMs: number): Promise<void> {
    await this.ask(topic, (queue) => queue.upsertJobScheduler(encodeId(key), { every: everyMs }, { name: topic, data: {} }));
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
      const attempt = job.attemptsMade + 1;
      const work = () => handler(job.data as Payload, { id: decodeId(job.id!), attempt, lastAttempt: attempt >= (job.opts.attempts ?? 1) });
      const facts = { 'messaging.system': 'bullmq', 'messaging.destination.name': topic, 'traceability.job.attempt': attempt };
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
    await Promise.all(this.workers.map((worker) => this.closeOne(worker, closeMs)));
    await Promise.all([...this.queues.values()].map((queue) => this.closeOne(queue, patienceMs)));
    await this.connections.close();
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
      this.workers.push(worker);
    } catch (error) {
      await worker.close(true).catch(() => undefined);
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

  /** An engine that is away cannot be said good-bye to: after a while the connection is cut. */
  private async closeOne(one: Worker | Queue, withinMs: number): Promise<void> {
    const closed = new AbortController();
    const cut = wait(withinMs, undefined, { signal: closed.signal }).then(
      () => void one.disconnect().catch(this.options.onError),
      () => undefined,
    );
    await Promise.race([one.close().catch(this.options.onError), cut]);
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

  /** On PostgreSQL BullMQ remembers a first connection that failed for ever: the next call makes a new one. Redis connects again itself. */
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

function bullMqOptions({ jobId, delayMs, attempts, backoff }: JobOptions): JobsOptions {
  const traceparent = recordedSpan()?.traceparent;
  return {
    ...(jobId !== undefined && { jobId: encodeId(jobId) }),
    ...(delayMs && { delay: delayMs }),
    attempts: attempts ?? 1,
    ...(backoff && { backoff: { type: backoff.type, delay: backoff.delayMs } }),
    ...(traceparent && { telemetry: { metadata: traceparent, omitContext: true } }),
  };
}

/** BullMQ refuses ids with a colon and ids that look like integers; ours may be any text. */
const encodeId = (id: string): string => (/^\d+$/.test(id) ? `%${id}` : encodeURIComponent(id));
const decodeId = (id: string): string => {
  if (/^%\d+$/.test(id)) return id.slice(1);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};

function checkedTopic(topic: string): string {
  if (topic === '' || topic.includes(':')) throw new TypeError(`"${topic}" cannot name a queue: the name may not be empty or hold a colon`);
  return topic;
}
