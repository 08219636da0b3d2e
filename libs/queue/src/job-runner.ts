import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { EngineUnavailable } from '#kernel';
import { type JobContext, type JobOptions, JobQueue, isFarAhead, isOverdue } from './job-queue.js';
import { JobListener, PeriodicJob, QueuedJob } from './jobs.js';

/** One queue for all periodic jobs: a queue of its own costs each process several connections. */
export const PERIODIC_TOPIC = 'periodic';

/** Finds the jobs among the providers of this process, schedules the periodic ones and runs both kinds. */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly checkMs: number = 60_000;
  /** While the queue's engine is away. */
  protected readonly retryMs: number = 1_000;
  private readonly ending = new AbortController();
  private readonly running = new Set<string>();
  private scheduling: Promise<void> = Promise.resolve();

  constructor(
    private readonly queue: JobQueue,
    private readonly providers: DiscoveryService,
    private readonly listener: JobListener,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const job of this.found<QueuedJob<object>>(QueuedJob))
      await this.queue.consume(job.topic.name, (payload, context) => this.measured(job, job.topic.name, () => job.run(payload, context)), {
        concurrency: job.concurrency,
      });
    const jobs = new Map<string, PeriodicJob>();
    for (const job of this.found<PeriodicJob>(PeriodicJob)) {
      if (jobs.has(job.name)) throw new Error(`two periodic jobs are named ${job.name}`);
      jobs.set(job.name, job);
    }
    if (jobs.size === 0) return;
    const schedules = schedulesOf([...jobs.values()]);
    // Room for each: a long run of one job does not hold up the others.
    await this.queue.consume(PERIODIC_TOPIC, (_, context) => this.tick(schedules.get(context.name), context), { concurrency: jobs.size });
    this.scheduling = this.keepScheduled(schedules);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.scheduling;
  }

  private found<Job>(type: abstract new () => Job): Job[] {
    const instances = this.providers.getProviders().map(({ instance }): unknown => instance);
    return [...new Set(instances)].filter((instance): instance is Job => instance instanceof type);
  }

  /** Jobs that are off here, or that this version does not have, are run by another process. */
  private async tick(schedule: JobSchedule | undefined, { signal, handOver }: JobContext): Promise<void> {
    if (!schedule) return handOver();
    const runs = await Promise.allSettled(schedule.jobs.map((job) => this.once(job, signal)));
    const failed = runs.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    if (failed.length > 0) throw failed[0]!.reason;
  }

  private async once(job: PeriodicJob, signal: AbortSignal): Promise<void> {
    if (this.running.has(job.name)) return;
    this.running.add(job.name);
    try {
      await this.measured(job, job.name, () => job.run(signal));
    } finally {
      this.running.delete(job.name);
    }
  }

  /** Logs a failure and passes it on: the queue tries again. */
  private async measured(job: object, name: string, work: () => Promise<unknown>): Promise<void> {
    const began = performance.now();
    try {
      await work();
      this.listener.ran(name, 'completed', performance.now() - began);
    } catch (error) {
      this.listener.ran(name, 'failed', performance.now() - began);
      report(new Logger(job.constructor.name), error);
      throw error;
    }
  }

  /** A queue that lost its data, a schedule that broke off or one of a wrong clock must not stop a job: schedules are checked once a minute. */
  private async keepScheduled(wanted: Schedules): Promise<void> {
    const log = new Logger('Queue');
    const { signal } = this.ending;
    let current: ReadonlySet<string> | null = null;
    let away = false;
    while (!signal.aborted) {
      let waitMs = this.checkMs;
      try {
        current = await this.schedule(wanted, current);
        if (away) log.log('The queue answers again.');
        away = false;
      } catch (error) {
        // Tried again each second: one line while it is away, not one each time.
        if (!away) report(log, error);
        away = error instanceof EngineUnavailable;
        waitMs = this.retryMs;
      }
      await pause(waitMs, signal);
    }
  }

  /** @param before null the first time: then intervals may have changed, and jobs may have been removed since the last version */
  private async schedule(wanted: Schedules, before: ReadonlySet<string> | null): Promise<ReadonlySet<string>> {
    const schedules = await this.queue.schedules(PERIODIC_TOPIC);
    if (before === null) for (const key of schedules.keys()) if (!wanted.has(key)) await this.queue.schedule(PERIODIC_TOPIC, key, 0);
    for (const [key, { everyMs, retries }] of wanted) {
      const at = schedules.get(key)?.getTime() ?? 0;
      if (before === null || isOverdue(at) || isFarAhead(at, everyMs)) await this.queue.schedule(PERIODIC_TOPIC, key, everyMs, retries);
    }
    return new Set(wanted.keys());
  }
}

/** Jobs that one tick runs. */
interface JobSchedule {
  readonly everyMs: number;
  readonly jobs: readonly PeriodicJob[];
  readonly retries: Required<Pick<JobOptions, 'attempts' | 'backoff'>>;
}

type Schedules = ReadonlyMap<string, JobSchedule>;

/**
 * By key. Frequent jobs that are not run again after a failure share the ticks of their interval: a tick costs the queue's engine more
 * than most jobs that find nothing to do. The key names the jobs, so that a process with others does not take their ticks.
 */
function schedulesOf(all: readonly PeriodicJob[]): Schedules {
  const jobs = all.filter(({ everyMs }) => everyMs > 0);
  const groups = new Map<string, PeriodicJob[]>();
  for (const job of jobs.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const shared = retriesOf(job).attempts === 1 ? `${job.everyMs}` : job.name;
    groups.set(shared, [...(groups.get(shared) ?? []), job]);
  }
  return new Map(
    [...groups.values()].map((together) => {
      const [first] = together as [PeriodicJob];
      const key = together.map(({ name }) => name).join(' + ');
      return [key, { everyMs: first.everyMs, jobs: together, retries: retriesOf(first) }];
    }),
  );
}

/** Ends early when the process ends. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

const retriesOf = ({ everyMs, attempts, backoff }: PeriodicJob): Required<Pick<JobOptions, 'attempts' | 'backoff'>> => ({
  attempts: attempts ?? (everyMs < 60_000 ? 1 : 5),
  backoff: backoff ?? { type: 'exponential', delayMs: 5_000 },
});

function report(log: Logger, error: unknown): void {
  if (error instanceof EngineUnavailable) log.warn(error.report);
  else if (error instanceof AggregateError) for (const one of error.errors) log.error(one);
  else log.error(error);
}
