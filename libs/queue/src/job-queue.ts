export interface JobOptions {
  /** The same id is enqueued once while the job is kept. */
  readonly jobId?: string;
  /** While a job of the topic with this key waits or runs, another one is not enqueued; afterwards it is. */
  readonly key?: string;
  readonly delayMs?: number;
  /** From 1. Of the jobs that wait, those with a smaller number come first. */
  readonly priority?: number;
  /** Runs in all, the first one included; default 1. */
  readonly attempts?: number;
  readonly backoff?: Backoff;
}

export interface Backoff {
  readonly type: 'exponential' | 'fixed';
  readonly delayMs: number;
}

export interface JobContext {
  readonly id: string;
  /** The key of the schedule that made the job, else its topic. */
  readonly name: string;
  /** 1 for the first run. */
  readonly attempt: number;
  readonly lastAttempt: boolean;
  /** Aborts when the process ends: the handler stops at the next safe point. */
  readonly signal: AbortSignal;
  /** Leaves the job to another consumer, for a handler that cannot do it. */
  readonly handOver: () => Promise<never>;
  /** Stored with the job for those who ask for its state. */
  readonly progress: (value: number | object) => Promise<void>;
}

export type JobHandler<Payload extends object> = (payload: Payload, context: JobContext) => Promise<void>;

export interface JobState {
  readonly state: 'waiting' | 'active' | 'completed' | 'failed';
  /** As last reported by the handler; 0 before. */
  readonly progress: number | object;
  readonly error: string | null;
}

/** A schedule whose next job is overdue by so much has broken off. */
const OVERDUE_MS = 60_000;
/** More than the clocks of processes differ that work together. */
const FAR_MS = 600_000;

/** Whether the next job of a schedule is so late that it has broken off. */
export const isOverdue = (next: number): boolean => next < Date.now() - OVERDUE_MS;

/** Whether it was made while the clock of a machine was ahead: it would wait until the clocks are there. */
export const isFarAhead = (next: number, everyMs: number): boolean => next > Date.now() + everyMs + FAR_MS;

/** The queue holds no truth of its own, the database does: a lost or repeated job must do no harm. Runs a job at least once. */
export abstract class JobQueue {
  /** Where jobs are stored. */
  abstract get engine(): 'database' | 'redis';
  /** @returns the id of the job that does it: a new one, or the one that was enqueued before under the same id or key */
  abstract enqueue<Payload extends object>(topic: string, payload: Payload, options?: JobOptions): Promise<string>;
  /** One round trip for many jobs. */
  abstract enqueueAll<Payload extends object>(
    topic: string,
    jobs: readonly { readonly payload: Payload; readonly options?: JobOptions }[],
  ): Promise<void>;
  abstract consume<Payload extends object>(
    topic: string,
    handler: JobHandler<Payload>,
    options?: { readonly concurrency?: number },
  ): Promise<void>;
  /** Null when no such job is kept. */
  abstract stateOf(topic: string, jobId: string): Promise<JobState | null>;
  /**
   * Makes a job of the topic every `everyMs`; one consumer gets it. Calling it again changes the interval; 0 ms removes the schedule.
   * Jobs that completed are not kept.
   */
  abstract schedule(topic: string, key: string, everyMs: number, options?: Pick<JobOptions, 'attempts' | 'backoff'>): Promise<void>;
  /** Keys of the topic's schedules, with the time of the next job. */
  abstract schedules(topic: string): Promise<ReadonlyMap<string, Date>>;
  /** Those that this process has enqueued or consumed. */
  abstract get topics(): readonly string[];
  /** Jobs waiting, delayed, active and failed. */
  abstract counts(topic: string): Promise<Readonly<Record<string, number>>>;
  /** Stops taking jobs, lets running ones finish. */
  abstract close(): Promise<void>;
  /** Rejects when the queue's engine is away. */
  abstract check(): Promise<void>;
}
