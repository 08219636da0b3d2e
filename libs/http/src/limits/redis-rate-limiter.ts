import { setTimeout as wait } from 'node:timers/promises';
import { Redis, ReplyError } from 'ioredis';
import type { OnApplicationShutdown } from '@nestjs/common';
import { EngineUnavailable } from '#kernel';
import { type Patience, type RateLimit, type RateLimitState, RateLimiter } from './rate-limiter.js';

/** Count and expiry in one script: a process that dies between the two would leave a window that never ends. */
const CONSUME = `local n = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) left = tonumber(ARGV[1]) end
return {n, left}`;
const REFUND = `local n = tonumber(redis.call('GET', KEYS[1]) or '0') if n > 0 then redis.call('DECR', KEYS[1]) end`;
const PREFIX = 'trace:limit:';
const PATIENCE_MS: Readonly<Record<Patience, number>> = { short: 250, long: 3_000 };
/** A connection without any answer for this time is closed, and the commands that wait on it fail. */
const SOCKET_TIMEOUT_MS = 5_000;
const RETRY_MS = 25;
const CONNECTING: readonly string[] = ['connecting', 'connect'];

/** One counter for all nodes. */
export class RedisRateLimiter extends RateLimiter implements OnApplicationShutdown {
  private readonly redis: Redis;
  private disconnectedAt: number | null = performance.now();

  constructor(
    url: string,
    private readonly patienceMs: Readonly<Record<Patience, number>> = PATIENCE_MS,
  ) {
    super();
    this.redis = new Redis(url, {
      socketTimeout: SOCKET_TIMEOUT_MS,
      connectTimeout: 2_000,
      // No queue while the server is unavailable: a command is sent now or fails.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (tries) => Math.min(tries * 50, 1_000),
    });
    // Each command reports its own error; without a listener ioredis writes to the console.
    this.redis.on('error', () => undefined);
    this.redis.on('ready', () => (this.disconnectedAt = null));
    this.redis.on('close', () => (this.disconnectedAt ??= performance.now()));
  }

  override async consume({ key, limit, windowMs }: RateLimit, patience: Patience = 'short'): Promise<RateLimitState> {
    const [count, resetMs] = await this.send(
      patience,
      (redis) => redis.eval(CONSUME, 1, PREFIX + key, windowMs) as Promise<[number, number]>,
    );
    return { remaining: limit - count, resetMs };
  }

  override async refund(key: string): Promise<void> {
    await this.send('short', (redis) => redis.eval(REFUND, 1, PREFIX + key));
  }

  override async setFlag(key: string, ms: number): Promise<void> {
    await this.send('short', (redis) => redis.set(PREFIX + key, '1', 'PX', ms));
  }

  override async hasFlag(key: string, patience: Patience = 'short'): Promise<boolean> {
    return (await this.send(patience, (redis) => redis.exists(PREFIX + key))) === 1;
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  private async send<T>(patience: Patience, command: (redis: Redis) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.patienceMs[patience];
    for (;;) {
      try {
        return await withTimeout(command(this.redis), deadline - performance.now());
      } catch (error) {
        if (error instanceof ReplyError || !this.shouldRetry(patience, deadline)) throw new EngineUnavailable('queue', error);
        await wait(RETRY_MS);
      }
    }
  }

  /** Not for a server that has been unavailable for longer than the patience: an outage must not delay every login by seconds. */
  private shouldRetry(patience: Patience, deadline: number): boolean {
    const now = performance.now();
    if (now + RETRY_MS >= deadline) return false;
    if (patience === 'short') return CONNECTING.includes(this.redis.status);
    return this.disconnectedAt === null || now - this.disconnectedAt < this.patienceMs.long;
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${Math.round(ms)} ms`)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
