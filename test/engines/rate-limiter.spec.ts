import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { configFrom } from '#config';
import { MemoryRateLimiter, RateLimits, RedisRateLimiter } from '#http';
import { notRunHere } from './not-run-here.js';
import { findRedis, startRedis } from './queue-redis.js';
import { rateLimiterSuite } from './rate-limiter.suite.js';

rateLimiterSuite('memory', async () => ({ limiter: new MemoryRateLimiter(), stop: async () => undefined }));

const redis = findRedis();
if (redis)
  rateLimiterSuite(`Redis (${redis.from})`, async () => {
    const { engine, stop } = await startRedis(redis);
    const limiter = new RedisRateLimiter((engine as { url: string }).url);
    return {
      limiter,
      stop: async () => {
        limiter.onApplicationShutdown();
        await stop();
      },
    };
  });
else notRunHere('rate limiter on Redis: install redis-server, or set TEST_REDIS_BIN or TEST_REDIS_URL');

describe('limits while Redis is away', () => {
  // Nothing listens on port 1.
  let limiter: RedisRateLimiter;
  let limits: RateLimits;
  const reply = { header: () => reply } as unknown as FastifyReply;
  beforeAll(() => {
    limiter = new RedisRateLimiter('redis://127.0.0.1:1');
    limits = new RateLimits(limiter, configFrom({}).limits);
  });
  afterAll(() => limiter.onApplicationShutdown());

  it('let requests with a credential and public pages through', async () => {
    await limits.principal({ tier: 'standard' }, () => 'somebody', reply);
    await limits.address('192.0.2.1', 'page', reply);
  });

  it('close the login with 503, at once and not when the connection gives up', async () => {
    const began = performance.now();
    await expect(Promise.resolve(limits.address('192.0.2.1', 'login', reply))).rejects.toMatchObject({ status: 503 });
    let tried = false;
    const attempt = async (): Promise<void> => {
      tried = true;
    };
    await expect(limits.login('account', '192.0.2.1', attempt)).rejects.toMatchObject({ status: 503 });
    expect(tried).toBe(false);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
