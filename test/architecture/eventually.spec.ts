import { describe, expect, it } from '@jest/globals';
import { eventually, eventuallyHolds } from '../harness/eventually.js';

const never = (): Promise<never> => new Promise(() => undefined);
const short = { withinMs: 30, everyMs: 5, probeMs: 30 };

describe('waiting in tests', () => {
  it('returns the first true value', async () => {
    let calls = 0;
    expect(await eventually('the third call', () => ++calls === 3 && calls, { everyMs: 5 })).toBe(3);
  });

  it('names what was waited for, also when the check never returns', async () => {
    await expect(eventually('a lot', () => false, short)).rejects.toThrow('still waiting after 30 ms: a lot');
    await expect(eventually('a lot', never, short)).rejects.toThrow('a lot (the last check never returned)');
  });

  it('lets a check that began in time finish', async () => {
    const slow = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 60, 'found'));
    expect(await eventually('a slow check', slow, { ...short, probeMs: 10_000 })).toBe('found');
  });

  it('passes on the failure of a check', async () => {
    await expect(eventually('a lot', () => Promise.reject(new Error('refused')), short)).rejects.toThrow('refused');
  });

  it('keeps the last failure of an assertion', async () => {
    await expect(eventuallyHolds(() => expect(1).toBe(2), 30)).rejects.toThrow('toBe');
    let calls = 0;
    const stuck = (): Promise<never> => (++calls < 2 ? Promise.reject(new Error('not yet')) : never());
    await expect(eventuallyHolds(stuck, 1_000, 30)).rejects.toMatchObject({ cause: new Error('not yet') });
  });
});
