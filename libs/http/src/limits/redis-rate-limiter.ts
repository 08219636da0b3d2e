import { setTimeout as wait } from 'node:timers/promises';
import { Redis, ReplyError } from 'ioredis';
import type { OnApplicationShutdown } from '@nestjs/common';
import { EngineUnavailable } from '#kernel';
import { RateLimiter, type Allowance, type Patience, type Taken } from './rate-limiter.js';

/** Count and expiry in one step: a process that dies between the two would leave a window that never ends. */
const TAKE = `local n = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) left = tonumber(ARGV[1]) end
return {n, left}`;
const GIVE_BACK = `local n = tonumber(redis.call('GET', KEYS[1]) or '0') if n > 0 then redis.call('DECR', KEYS[1]) end`;
const PREFIX = 'trace:limit:';
const PATIENCE_MS: Readonly<Record<Patience, number>> = { short: 250, long: 3_000 };
/** A server that says nothing for so long is given up, and with it what waits for its answers: it could be any number of requests. */
const SILENCE_MS = 5_000;
const TRY_AGAIN_MS = 25;
const ON_ITS_WAY: readonly string[] = ['connecting', 'connect'];

/** One count for all nodes. */
export class RedisRateLimiter extends RateLimiter implements OnApplicationShutdown {
  private readonly redis: Redis;
  private awaySince: number | null = performance.now();

  constructor(
    url: string,
    private readonly patienceMs: Readonly<Record<Patience, number>> = PATIENCE_MS,
  ) {
    super();
    this.redis = new Redis(url, {
      socketTimeout: SILENCE_MS,
      connectTimeout: 2_000,
      // Nothing piles up here while the server is away: a command is sent now or not at all.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (tries) => Math.min(tries * 50, 1_000),
    });
    // Told per command; without a listener ioredis writes to the console.
    this.redis.on('error', () => undefined);
    this.redis.on('ready', () => (this.awaySince = null));
    this.redis.on('close', () => (this.awaySince ??= performance.now()));
  }

  override async take({ key, limit, windowMs }: Allowance, patience: Patience = 'short'): Promise<Taken> {
    const [count, resetMs] = await this.ask(patience, (redis) => redis.eval(TAKE, 1, PREFIX + key, windowMs) as Promise<[number, number]>);
    return { remaining: limit - count, resetMs };
  }

  override async giveBack(key: string): Promise<void> {
    await this.ask('short', (redis) => redis.eval(GIVE_BACK, 1, PREFIX + key));
  }

  override async remember(key: string, ms: number): Promise<void> {
    await this.ask('short', (redis) => redis.set(PREFIX + key, '1', 'PX', ms));
  }

  override async isRemembered(key: string, patience: Patience = 'short'): Promise<boolean> {
    return (await this.ask(patience, (redis) => redis.exists(PREFIX + key))) === 1;
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  private async ask<T>(patience: Patience, command: (redis: Redis) => Promise<T>): Promise<T> {
    const until = performance.now() + this.patienceMs[patience];
    for (;;) {
      try {
        return await inTime(command(this.redis), until - performance.now());
      } catch (error) {
        if (error instanceof ReplyError || !this.mayComeBack(patience, until)) throw new EngineUnavailable('queue', error);
        await wait(TRY_AGAIN_MS);
      }
    }
  }

  /** One that has been away for longer than anybody waits is not waited for: an outage must not hold every login for seconds. */
  private mayComeBack(patience: Patience, until: number): boolean {
    const now = performance.now();
    if (now + TRY_AGAIN_MS >= until) return false;
    if (patience === 'short') return ON_ITS_WAY.includes(this.redis.status);
    return this.awaySince === null || now - this.awaySince < this.patienceMs.long;
  }
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no count within ${Math.round(ms)} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
