import { setTimeout as wait } from 'node:timers/promises';
import { createPostgresBackend, createRedisBackend, type DefaultJobOptions, type QueueOptions, runMigrations } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type PostgresEndpoint, withClient } from '#persistence';

/** Where jobs lie: in the schema `bullmq` of a PostgreSQL database, or in Redis (7 or later, `maxmemory-policy noeviction`). */
export type QueueEngine = { readonly kind: 'database'; readonly at: PostgresEndpoint } | { readonly kind: 'redis'; readonly url: string };

/** Seconds for which finished jobs are remembered, and with them their ids. By age: on PostgreSQL a count costs a scan per completion. */
export interface JobsKept {
  readonly completed: number;
  readonly failed: number;
}

const KEPT: JobsKept = { completed: 3_600, failed: 86_400 };
const keeping = ({ completed, failed }: JobsKept): DefaultJobOptions => ({
  removeOnComplete: { age: completed },
  removeOnFail: { age: failed },
});
const LISTENING = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 5_000 };
const LOCK_WAIT_MS = 3_000;
const CLOSE_MS = 3_000;
/** Work that takes longer gives its lock back: others wait for it. */
const WORK_MS = 10_000;
/** Between two tries to reach Redis. */
const LAST_RETRY_MS = 2_000;

/**
 * How queues and workers reach their engine: each opens connections of its own, apart from the pool of the domain's transactions,
 * so that a full pool of one topic starves neither another topic nor a transaction.
 */
export abstract class QueueConnections {
  abstract readonly engine: QueueEngine['kind'];
  /** BullMQ's factory for the engine. */
  abstract readonly backend: typeof createPostgresBackend | typeof createRedisBackend;
  /** Connection and job defaults of every queue and worker. */
  abstract readonly options: QueueOptions;
  /** Rejects when the engine does not answer, and a Redis also when it takes no writes. */
  abstract check(): Promise<void>;
  /** One at a time in all processes, where the engine itself does not see to it. */
  abstract oneByOne<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Connections that are lost are not made again, and what waits for them fails. Resolves when they have ended. */
  abstract giveUp(): Promise<void>;
  abstract close(): Promise<void>;
}

/** A PostgreSQL is brought to the library's schema first; a Redis that is away is connected to when it comes. */
export async function openQueueConnections(
  engine: QueueEngine,
  onError: (error: Error) => void,
  kept: JobsKept = KEPT,
): Promise<QueueConnections> {
  if (engine.kind === 'redis') return new RedisConnections(engine.url, onError, kept);
  await migrateQueue(engine.at);
  return new PostgresConnections(engine.at, onError, kept);
}

class RedisConnections extends QueueConnections {
  override readonly engine = 'redis';
  override readonly backend = createRedisBackend;
  override readonly options: QueueOptions;
  private readonly redis: Redis;
  private hasGivenUp = false;

  constructor(url: string, onError: (error: Error) => void, kept: JobsKept) {
    super();
    const settings = {
      // BullMQ's workers wait without a limit; enqueueing has its own time limit.
      maxRetriesPerRequest: null,
      connectTimeout: 5_000,
      retryStrategy: (tries: number): number | null => (this.hasGivenUp ? null : Math.min(tries * 100, LAST_RETRY_MS)),
    };
    this.options = { connection: { url, ...settings }, defaultJobOptions: keeping(kept) };
    this.redis = new Redis(url, settings);
    this.redis.on('error', onError);
  }

  override async check(): Promise<void> {
    // A Redis that is a replica, out of memory or cannot save answers, and takes no writes.
    await this.redis.set('traceability:check', '', 'PX', 10_000);
  }

  /** A script of Redis runs alone. */
  override oneByOne<T>(_: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** A client of ioredis that disconnects between two tries never reports its end, so each one ends by itself. */
  override async giveUp(): Promise<void> {
    this.hasGivenUp = true;
    await wait(LAST_RETRY_MS + 250);
  }

  override close(): Promise<void> {
    // `quit` would wait for a Redis that is away.
    this.redis.disconnect();
    return Promise.resolve();
  }
}

const ignore = (): void => undefined;

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

class PostgresConnections extends QueueConnections {
  override readonly engine = 'database';
  override readonly backend = createPostgresBackend;
  override readonly options: QueueOptions;
  private readonly pool: Pool;
  private readonly closing = new AbortController();

  constructor(at: PostgresEndpoint, onError: (error: Error) => void, kept: JobsKept) {
    super();
    const settings = { ...at, ...LISTENING, application_name: 'trace-queue' };
    this.options = { connection: { ...settings, max: 3 }, defaultJobOptions: keeping(kept) };
    // One for questions, one that holds a lock.
    this.pool = new Pool({ ...settings, max: 2 });
    this.pool.on('error', onError);
  }

  override async check(): Promise<void> {
    await this.pool.query('select 1');
  }

  override async oneByOne<T>(name: string, work: () => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    // A server that stops between two statements would end the process. The next statement rejects in any case.
    client.on('error', ignore);
    let broken = true;
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_WAIT_MS}`);
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`trace-queue ${name}`]);
      const result = await Promise.race([work(), rejectedBy(AbortSignal.any([this.closing.signal, AbortSignal.timeout(WORK_MS)]))]);
      await client.query('commit');
      broken = false;
      return result;
    } finally {
      if (!broken) client.off('error', ignore);
      // A connection with an open transaction is not used again: closing it gives the lock back.
      client.release(broken);
    }
  }

  /** Nothing waits for a connection of PostgreSQL that is lost. */
  override async giveUp(): Promise<void> {}

  override async close(): Promise<void> {
    // The library never answers what it was asked before its queue was closed.
    this.closing.abort();
    const ended = new AbortController();
    // A connection to a server that does not answer ends when the operating system gives it up.
    const late = wait(CLOSE_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([this.pool.end(), late]);
    ended.abort();
  }
}

/**
 * Brings the schema `bullmq` up to the library's version; several processes may call it at once.
 * A login that may not create schemas passes when an administrator has made it before.
 */
export async function migrateQueue(at: PostgresEndpoint): Promise<void> {
  try {
    await withClient(at, (client) => runMigrations(client));
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
  }
}
