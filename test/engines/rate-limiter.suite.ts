import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RateLimiter } from '#http';
import { newId } from '#kernel';
import { eventually } from '../harness/eventually.js';

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
      const began = performance.now();
      await running.limiter.take(allowance);
      // A request every few milliseconds: if each lengthened the window, it would never be over.
      await eventually('the next window', async () => (await running.limiter.take(allowance)).remaining === 0);
      expect(performance.now() - began).toBeGreaterThanOrEqual(390);
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
      const [long, short] = [newId(), newId()];
      expect(await running.limiter.isRemembered(long)).toBe(false);
      await running.limiter.remember(long, 3_600_000);
      await running.limiter.remember(short, 200);
      await eventually('the short one to be forgotten', async () => !(await running.limiter.isRemembered(short)));
      expect(await running.limiter.isRemembered(long)).toBe(true);
    });
  });
}
