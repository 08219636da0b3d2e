import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RateLimiter } from '#http';
import { newId } from '#kernel';

export interface RunningLimiter {
  readonly limiter: RateLimiter;
  stop(): Promise<void>;
}

/** What every adapter of the port promises. */
export function rateLimiterSuite(name: string, start: () => Promise<RunningLimiter>): void {
  describe(`rate limiter in ${name}`, () => {
    let running: RunningLimiter;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running.stop());

    it('lets exactly the limit through, however many come at once', async () => {
      const allowance = { key: newId(), limit: 10, windowMs: 60_000 };
      const taken = await Promise.all(Array.from({ length: 50 }, async () => running.limiter.take(allowance)));
      expect(taken.filter(({ remaining }) => remaining >= 0)).toHaveLength(10);
      for (const { resetMs } of taken) expect(resetMs > 0 && resetMs <= 60_000).toBe(true);
    });

    it('counts each key by itself', async () => {
      const allowance = { limit: 1, windowMs: 60_000 };
      expect((await running.limiter.take({ key: newId(), ...allowance })).remaining).toBe(0);
      expect((await running.limiter.take({ key: newId(), ...allowance })).remaining).toBe(0);
    });

    it('begins anew when the window is over, which requests in between do not lengthen', async () => {
      const allowance = { key: newId(), limit: 1, windowMs: 400 };
      await running.limiter.take(allowance);
      await wait(200);
      expect((await running.limiter.take(allowance)).remaining).toBe(-1);
      await wait(250);
      expect((await running.limiter.take(allowance)).remaining).toBe(0);
    });

    it('gives back what was taken, and nothing where there was nothing', async () => {
      const allowance = { key: newId(), limit: 2, windowMs: 60_000 };
      await running.limiter.giveBack(allowance.key);
      await running.limiter.take(allowance);
      await running.limiter.giveBack(allowance.key);
      await running.limiter.giveBack(allowance.key);
      expect((await running.limiter.take(allowance)).remaining).toBe(1);
    });

    it('remembers for as long as it was told', async () => {
      const key = newId();
      expect(await running.limiter.isRemembered(key)).toBe(false);
      await running.limiter.remember(key, 200);
      expect(await running.limiter.isRemembered(key)).toBe(true);
      await wait(250);
      expect(await running.limiter.isRemembered(key)).toBe(false);
    });
  });
}
