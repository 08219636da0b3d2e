export interface JobOptions {
  /** The same id is enqueued once while the job is kept. */
  readonly jobId?: string;
  readonly delayMs?: number;
  /** Runs in all, the first one included; default 1. */
  readonly attempts?: number;
  readonly backoff?: { readonly type: 'exponential' | 'fixed'; readonly delayMs: number };
}

export interface JobContext {
  readonly id: string;
  /** 1 for the first run. */
  readonly attempt: number;
  readonly lastAttempt: boolean;
}

export type JobHandler<Payload extends object> = (payload: Payload, context: JobContext) => Promise<void>;

/** Wake-ups for work whose truth stands in the database: a lost or doubled job must do no harm. At least once. */
export abstract class JobQueue {
  abstract enqueue<Payload extends object>(topic: string, payload: Payload, options?: JobOptions): Promise<void>;
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
  /** Runs the topic's handler every `everyMs`, on one of the consumers; calling it again changes the interval. */
  abstract every(topic: string, key: string, everyMs: number): Promise<void>;
  /** Those that this process has enqueued or consumed. */
  abstract get topics(): readonly string[];
  /** Jobs waiting, delayed, active and failed. */
  abstract counts(topic: string): Promise<Readonly<Record<string, number>>>;
  /** Stops taking jobs, lets running ones finish. */
  abstract close(): Promise<void>;
  /** Rejects when the queue's engine is away. */
  abstract check(): Promise<void>;
}
