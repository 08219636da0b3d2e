import { describe, expect, it } from '@jest/globals';
import { attemptsAllowed, retryAfterMs, waitAfter } from './schedule.js';

const schedule = { delaysMs: [30_000, 60_000, 120_000], jitter: 0.1 };
const now = new Date('2026-11-28T00:00:00Z');

describe('the retry schedule', () => {
  it('waits 30, 60 and 120 seconds, then never again', () => {
    expect([1, 2, 3, 4].map((attempt) => waitAfter(schedule, attempt, null, 0))).toEqual([30_000, 60_000, 120_000, null]);
    expect(attemptsAllowed(schedule)).toBe(4);
  });

  it('lengthens by chance, at most a tenth, never shortens', () => {
    expect(waitAfter(schedule, 1, null, 0.999999)).toBeLessThanOrEqual(33_000);
    expect(waitAfter(schedule, 1, null, 0.5)).toBe(31_500);
  });

  it.each([
    [1, 3_600_000, 30_000], // the first wait stays
    [2, 90_000, 90_000],
    [2, 3_600_000, 120_000],
    [3, 3_600_000, 240_000],
    [2, 1_000, 60_000], // never earlier than the schedule
  ])('after attempt %i a receiver that asks for %i ms gets %i', (attempt, asked, wait) => {
    expect(waitAfter(schedule, attempt, asked, 0)).toBe(wait);
  });

  it.each([
    ['120', 120_000],
    ['Sat, 28 Nov 2026 00:01:00 GMT', 60_000],
    ['Fri, 27 Nov 2026 00:01:00 GMT', 0],
    ['soon', null],
    [undefined, null],
  ])('reads Retry-After: %s', (header, wait) => {
    expect(retryAfterMs(header, now)).toBe(wait);
  });
});
