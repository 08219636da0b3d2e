import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { Redis } from 'ioredis';
import { configFrom } from '#config';
import { MemoryRateLimiter, RateLimits, RedisRateLimiter } from '#http';
import { notRunHere } from '../harness/not-run-here.js';
import { findRedis, startRedis } from './queue-redis.js';
import type { RunningQueueEngine } from './queue.suite.js';
import { rateLimiterSuite } from './rate-limiter.suite.js';

rateLimiterSuite('memory', async () => ({ limiter: new MemoryRateLimiter(), stop: async () => undefined }));

const redis = findRedis();
if (redis)
  rateLimiterSuite(`Redis (${redis.from})`, async () => {
    const { engine, stop } = await startRedis(redis);
    const limiter = new RedisRateLimiter((engine as { url: string }).url, { short: 10_000, long: 10_000 });
    await limiter.hasFlag('connected');
    return {
      limiter,
      stop: async () => {
        limiter.onApplicationShutdown();
        await stop();
      },
    };
  });
else notRunHere('rate limiter on Redis: install redis-server, or set TEST_REDIS_BIN or TEST_REDIS_URL');

const reply = { header: () => reply } as unknown as FastifyReply;
const ADDRESS = '192.0.2.1';

describe('limits while Redis is away', () => {
  // Nothing listens on port 1.
  let limiter: RedisRateLimiter;
  let limits: RateLimits;
  beforeAll(() => {
    limiter = new RedisRateLimiter('redis://127.0.0.1:1', { short: 250, long: 500 });
    limits = new RateLimits(limiter, configFrom({}).limits);
  });
  afterAll(() => limiter.onApplicationShutdown());

  it('let requests with a credential and public pages through', async () => {
    await limits.principal({ tier: 'standard' }, () => 'somebody', reply);
    await limits.address(ADDRESS, 'page', reply);
  });

  it('close the login with 503, and try no password', async () => {
    await expect(Promise.resolve(limits.address(ADDRESS, 'login', reply))).rejects.toMatchObject({ status: 503 });
    let tried = false;
    const attempt = async (): Promise<void> => {
      tried = true;
    };
    await expect(limits.login('account', ADDRESS, attempt)).rejects.toMatchObject({ status: 503 });
    expect(tried).toBe(false);
  });
});

(redis && 'program' in redis ? describe : describe.skip)('limits while Redis is slow or restarts (needs redis-server)', () => {
  let server: RunningQueueEngine;
  let url: string;
  const open: RedisRateLimiter[] = [];
  beforeAll(async () => {
    server = await startRedis(redis!);
    url = (server.engine as { url: string }).url;
  });
  afterEach(() => {
    for (const limiter of open.splice(0)) limiter.onApplicationShutdown();
  });
  afterAll(() => server.stop());

  /** @param longMs more than anybody waits, so that a busy machine changes nothing */
  const limitsOf = async (longMs = 30_000): Promise<RateLimits> => {
    const limiter = new RedisRateLimiter(url, { short: 250, long: longMs });
    open.push(limiter);
    await limiter.hasFlag('connected', 'long');
    return new RateLimits(limiter, configFrom({}).limits);
  };
  const logIn = (limits: RateLimits, account: string): Promise<string> => limits.login(account, ADDRESS, async () => 'logged in');
  /** Answers nothing for so long, and then everything. */
  const stall = async (ms: number): Promise<void> => {
    const admin = new Redis(url);
    await admin.call('CLIENT', 'PAUSE', String(ms), 'ALL');
    admin.disconnect();
  };

  it('a login waits for its count, longer than any other request does', async () => {
    const limits = await limitsOf();
    await stall(800);
    const [, , outcome] = await Promise.all([
      limits.address(ADDRESS, 'login', reply),
      limits.principal({ tier: 'standard' }, () => 'somebody', reply),
      logIn(limits, 'slow'),
    ]);
    expect(outcome).toBe('logged in');
  });

  it('a login is refused when its count takes too long', async () => {
    const limits = await limitsOf(400);
    await stall(1_500);
    await expect(logIn(limits, 'slower')).rejects.toMatchObject({ status: 503 });
  });

  it('a login waits for a Redis that restarts', async () => {
    const limits = await limitsOf();
    await server.kill!();
    const outcome = logIn(limits, 'restart');
    await server.startAgain!();
    expect(await outcome).toBe('logged in');
    await limits.address(ADDRESS, 'login', reply);
  });

  it('a login whose password was right is made, though Redis goes away just then', async () => {
    const limits = await limitsOf();
    const outcome = limits.login('just then', ADDRESS, async () => {
      await server.kill!();
      return 'logged in';
    });
    expect(await outcome).toBe('logged in');
    await server.startAgain!();
    await expect(logIn(limits, 'afterwards')).resolves.toBe('logged in');
  });

  it('of a login that fails it is said why, though Redis goes away just then', async () => {
    const limits = await limitsOf();
    const broken = limits.login('broken', ADDRESS, async () => {
      await server.kill!();
      throw new Error('the database is away');
    });
    await expect(broken).rejects.toThrow('the database is away');
    await server.startAgain!();
  });
});
