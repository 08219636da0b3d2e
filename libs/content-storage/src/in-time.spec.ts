import { describe, expect, it } from '@jest/globals';
import { inTime, TOO_LATE } from './content-store.js';

const never = new Promise<string>(() => undefined);

describe('an answer in time', () => {
  it('is the answer, or null where the store failed', async () => {
    expect(await inTime(Promise.resolve('there'), 60_000)).toBe('there');
    expect(await inTime(Promise.reject(new Error('away')), 60_000)).toBeNull();
  });

  it('ends when nothing comes', async () => {
    expect(await inTime(never, 100)).toBe(TOO_LATE);
  });

  it('is seen by a process that got no time meanwhile', async () => {
    const answer = new Promise<string>((resolve) => {
      setTimeout(resolve, 1, 'there');
    });
    const asked = inTime(answer, 100);
    for (const until = performance.now() + 300; performance.now() < until;);
    expect(await asked).toBe('there');
  });
});
