import { createPostgresBackend, type QueueOptions, runMigrations } from 'bullmq';
import { Redis } from 'ioredis';
import { Client, Pool } from 'pg';
import type { PostgresEndpoint } from '#persistence';

/** Where jobs lie: in the schema `bullmq` of a PostgreSQL database, or in Redis (7 or later, `maxmemory-policy noeviction`). */
export type QueueEngine = { readonly kind: 'database'; readonly at: PostgresEndpoint } | { readonly kind: 'redis'; readonly url: string };

/** Time within which finished jobs are remembered, and with them their ids. By age: on PostgreSQL a count costs a scan per completion. */
const KEEP = { removeOnComplete: { age: 3_600 }, removeOnFail: { age: 86_400 } };
const LISTENING = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 5_000 };

/**
 * How queues and workers reach their engine: each opens connections of its own, apart from the pool of the domain's transactions,
 * so that a full pool of one topic starves neither another topic nor a transaction.
 */
export abstract class QueueConnections {
  abstract readonly engine: QueueEngine['kind'];
  /** BullMQ's class of the engine; undefined is Redis. */
  abstract readonly backend: typeof createPostgresBackend | undefined;
  /** Connection and job defaults of every queue and worker. */
  abstract readonly options: QueueOptions;
  /** Rejects when the engine does not answer. */
  abstract check(): Promise<void>;
  abstract close(): Promise<void>;
}

/** A PostgreSQL is brought to the library's schema first; a Redis that is away is connected to when it comes. */
export async function openQueueConnections(engine: QueueEngine, onError: (error: Error) => void): Promise<QueueConnections> {
  if (engine.kind === 'redis') return new RedisConnections(engine.url, onError);
  await migrateQueue(engine.at);
  return new PostgresConnections(engine.at, onError);
}

class RedisConnections extends QueueConnections {
  override readonly engine = 'redis';
  override readonly backend = undefined;
  override readonly options: QueueOptions;
  private readonly redis: Redis;

  constructor(url: string, onError: (error: Error) => void) {
    super();
    const settings = {
      // BullMQ's workers wait for ever; whoever enqueues has a time limit of its own.
      maxRetriesPerRequest: null,
      connectTimeout: 5_000,
      retryStrategy: (tries: number): number => Math.min(tries * 100, 2_000),
    };
    this.options = { connection: { url, ...settings }, defaultJobOptions: KEEP };
    this.redis = new Redis(url, settings);
    this.redis.on('error', onError);
  }

  override async check(): Promise<void> {
    await this.redis.ping();
  }

  override close(): Promise<void> {
    // `quit` would wait for a Redis that is away.
    this.redis.disconnect();
    return Promise.resolve();
  }
}

class PostgresConnections extends QueueConnections {
  override readonly engine = 'database';
  override readonly backend = createPostgresBackend;
  override readonly options: QueueOptions;
  private readonly pool: Pool;

  constructor(at: PostgresEndpoint, onError: (error: Error) => void) {
    super();
    const settings = { ...at, ...LISTENING, application_name: 'trace-queue' };
    this.options = { connection: { ...settings, max: 3 }, defaultJobOptions: KEEP };
    this.pool = new Pool({ ...settings, max: 1 });
    this.pool.on('error', onError);
  }

  override async check(): Promise<void> {
    await this.pool.query('select 1');
  }

  override async close(): Promise<void> {
    await this.pool.end();
  }
}

/**
 * Brings the schema `bullmq` up to the library's version; several processes may call it at once.
 * A login that may not create schemas passes when an administrator has made it before.
 */
export async function migrateQueue(at: PostgresEndpoint): Promise<void> {
  const client = new Client({ ...at, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await runMigrations(client);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
