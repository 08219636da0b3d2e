import type { Backoff, JobContext, JobQueue } from './job-queue.js';

/**
 * Work that is done again and again. List the class among the providers of a worker module: `JobRunner` finds it. All processes share one
 * schedule: one of them runs each tick, and none starts a job while its previous run lasts in the same process. Several processes may
 * still run the same job at once, so `run` takes only what no other process has. Jobs of one interval below a minute share its ticks.
 */
export abstract class PeriodicJob {
  /** Unique in the service: `<context>.<verb-noun>`. */
  abstract readonly name: string;
  /** 0: this process does not run it. */
  abstract readonly everyMs: number;

  /** Runs of one tick in all; default 5, and 1 below a minute: there the next tick comes soon enough. */
  readonly attempts?: number;
  /** Between two of these runs; by default 5 s, doubled each time. */
  readonly backoff?: Backoff;

  /** @param signal aborts when the process ends: what is left is done by the next tick */
  abstract run(signal: AbortSignal): Promise<unknown>;
}

/** Work that somebody asks for and that takes longer than a request may. The name of its queue, and what it needs. */
export interface QueuedJobTopic<Payload extends object> {
  readonly name: string;
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Never set: it ties the payload's type to the topic. */
  readonly payload?: Payload;
}

export const queuedJobTopic = <Payload extends object>(
  name: string,
  { attempts = 5, backoff = { type: 'exponential', delayMs: 1_000 } }: { readonly attempts?: number; readonly backoff?: Backoff } = {},
): QueuedJobTopic<Payload> => ({ name, attempts, backoff });

/**
 * @param key what the work is about: as long as a job with it waits or runs, in whatever process, nothing is added
 * @param priority from 1: of the jobs that wait, those with a smaller number come first
 * @returns the id of the job that does it, for `JobQueue.stateOf`
 * @throws EngineUnavailable('queue')
 */
export const enqueueJob = <Payload extends object>(
  queue: JobQueue,
  { name, attempts, backoff }: QueuedJobTopic<Payload>,
  payload: Payload,
  key: string,
  priority?: number,
): Promise<string> => queue.enqueue(name, payload, { key, attempts, backoff, ...(priority && { priority }) });

/** The worker's side of a `QueuedJobTopic`. A job whose process dies runs again in another one, so `run` must be repeatable. */
export abstract class QueuedJob<Payload extends object> {
  abstract readonly topic: QueuedJobTopic<Payload>;
  /** Jobs of the topic that one process runs at a time. */
  readonly concurrency: number = 1;

  abstract run(payload: Payload, context: JobContext): Promise<unknown>;
}

/** Told of each run of a job in this process. */
export abstract class JobListener {
  /** @param job the name of a periodic job or of a queued job's topic */
  abstract ran(job: string, outcome: 'completed' | 'failed', durationMs: number): void;
}
