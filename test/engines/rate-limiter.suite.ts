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
      const taken = await Promise.all(Array.from({ length: 50 }, async () => running.limiter.consume(allowance)));
      expect(taken.filter(({ remaining }) => remaining >= 0)).toHaveLength(10);
      for (const { resetMs } of taken) expect(resetMs > 0 && resetMs <= 60_000).toBe(true);
    });

    it('counts each key by itself', async () => {
      const allowance = { limit: 1, windowMs: 60_000 };
      expect((await running.limiter.consume({ key: newId(), ...allowance })).remaining).toBe(0);
      expect((await running.limiter.consume({ key: newId(), ...allowance })).remaining).toBe(0);
    });

    it('starts a new window when the old one is over; requests do not extend it', async () => {
      const allowance = { key: newId(), limit: 1, windowMs: 400 };
      const began = performance.now();
      await running.limiter.consume(allowance);
      // A request every few milliseconds: if each extended the window, it would never be over.
      await eventually('the next window', async () => (await running.limiter.consume(allowance)).remaining === 0);
      expect(performance.now() - began).toBeGreaterThanOrEqual(390);
    });

    it('refunds what was consumed, and nothing more', async () => {
      const allowance = { key: newId(), limit: 2, windowMs: 60_000 };
      await running.limiter.refund(allowance.key);
      await running.limiter.consume(allowance);
      await running.limiter.refund(allowance.key);
      await running.limiter.refund(allowance.key);
      expect((await running.limiter.consume(allowance)).remaining).toBe(1);
    });

    it('keeps a flag for the given time', async () => {
      const [long, short] = [newId(), newId()];
      expect(await running.limiter.hasFlag(long)).toBe(false);
      await running.limiter.setFlag(long, 3_600_000);
      await running.limiter.setFlag(short, 200);
      await eventually('the short flag to expire', async () => !(await running.limiter.hasFlag(short)));
      expect(await running.limiter.hasFlag(long)).toBe(true);
    });
  });
}
