import { Redis } from 'ioredis';
import type { OnApplicationShutdown } from '@nestjs/common';
import { EngineUnavailable } from '#kernel';
import { RateLimiter, type Allowance, type Taken } from './rate-limiter.js';

/** Count and expiry in one step: a process that dies between the two would leave a window that never ends. */
const TAKE = `local n = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) left = tonumber(ARGV[1]) end
return {n, left}`;
const GIVE_BACK = `local n = tonumber(redis.call('GET', KEYS[1]) or '0') if n > 0 then redis.call('DECR', KEYS[1]) end`;
const PREFIX = 'trace:limit:';
/** A request never waits longer for its count. */
const TIMEOUT_MS = 250;

/** One count for all nodes. */
export class RedisRateLimiter extends RateLimiter implements OnApplicationShutdown {
  private readonly redis: Redis;

  constructor(url: string) {
    super();
    this.redis = new Redis(url, {
      commandTimeout: TIMEOUT_MS,
      connectTimeout: 2_000,
      maxRetriesPerRequest: 0,
      retryStrategy: (tries) => Math.min(tries * 50, 1_000),
    });
    // Told per command; without a listener ioredis writes to the console.
    this.redis.on('error', () => undefined);
  }

  override async take({ key, limit, windowMs }: Allowance): Promise<Taken> {
    const [count, resetMs] = await this.ask((redis) => redis.eval(TAKE, 1, PREFIX + key, windowMs) as Promise<[number, number]>);
    return { remaining: limit - count, resetMs };
  }

  override async giveBack(key: string): Promise<void> {
    await this.ask((redis) => redis.eval(GIVE_BACK, 1, PREFIX + key));
  }

  override async remember(key: string, ms: number): Promise<void> {
    await this.ask((redis) => redis.set(PREFIX + key, '1', 'PX', ms));
  }

  override async isRemembered(key: string): Promise<boolean> {
    return (await this.ask((redis) => redis.exists(PREFIX + key))) === 1;
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  private async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await command(this.redis);
    } catch (error) {
      throw new EngineUnavailable('queue', error);
    }
  }
}
