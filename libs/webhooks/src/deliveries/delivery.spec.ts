import { describe, expect, it } from '@jest/globals';
import { attemptResult, attemptsAllowed, DELIVERY_TRANSITIONS, type LeasedDelivery, RESENDABLE, settle, waitAfter } from './delivery.js';
import { retryAfterMs } from '../outbound/outcome.js';

const schedule = { delaysMs: [30_000, 60_000, 120_000], jitter: 0.1 };
const at = new Date('2026-11-28T00:00:00Z');
const leased = (changes: Partial<LeasedDelivery> = {}): LeasedDelivery => ({
  tenantId: 't',
  id: 'd',
  subscriptionId: 's',
  event: 'nft.created',
  body: '{}',
  attempt: 1,
  resends: 0,
  manual: false,
  deliveredBefore: false,
  startedAt: at,
  ...changes,
});
const answered = (statusCode: number) => ({ kind: 'answered', statusCode, responseBody: 'x', retryAfterMs: null }) as const;

describe('a delivery after an attempt', () => {
  it.each([200, 201, 204, 299])('given %i, is delivered', (status) => {
    expect(settle(leased(), answered(status), schedule, at, 0)).toMatchObject({ status: 'delivered', error: null, statusCode: status });
  });

  it.each([100, 199, 300, 301, 302, 400, 404, 410, 429, 500, 503])('given %i, is tried again', (status) => {
    expect(settle(leased(), answered(status), schedule, at, 0)).toMatchObject({
      status: 'retrying',
      nextAttemptAt: new Date('2026-11-28T00:00:30Z'),
      statusCode: status,
      error: expect.stringContaining(String(status)),
    });
  });

  it('fails with the fourth attempt, whatever happened to it', () => {
    for (const outcome of [answered(500), { kind: 'interrupted' } as const])
      expect(settle(leased({ attempt: 4 }), outcome, schedule, at, 0)).toMatchObject({ status: 'failed', nextAttemptAt: null });
  });

  it('interrupted by a crash, is tried again at once and counts', () => {
    expect(settle(leased({ attempt: 2 }), { kind: 'interrupted' }, schedule, at, 0)).toMatchObject({
      status: 'retrying',
      nextAttemptAt: at,
    });
  });

  it('a resend that fails gives back the automatic retries that are left', () => {
    expect(settle(leased({ attempt: 2, resends: 1, manual: true }), answered(500), schedule, at, 0)).toMatchObject({
      status: 'retrying',
      nextAttemptAt: new Date('2026-11-28T00:01:00Z'),
    });
    expect(settle(leased({ attempt: 4, resends: 1, manual: true }), answered(500), schedule, at, 0).status).toBe('failed');
  });

  it('once delivered stays delivered, though a resend fails', () => {
    expect(settle(leased({ manual: true, resends: 1, deliveredBefore: true }), answered(500), schedule, at, 0).status).toBe('delivered');
  });

  it('moves only as the table says', () => {
    expect(RESENDABLE).toEqual(['retrying', 'delivered', 'failed', 'discarded']);
    expect(DELIVERY_TRANSITIONS.failed).not.toContain('sending');
  });
});

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
    expect(retryAfterMs(header, at)).toBe(wait);
  });
});

describe('the outcome of an attempt in metrics', () => {
  it.each([
    [200, 'success'],
    [299, 'success'],
    [199, 'http_other'],
    [302, 'http_3xx'],
    [404, 'http_4xx'],
    [503, 'http_5xx'],
    [999, 'http_other'],
  ])('an answer of %i is %s', (status, result) => {
    expect(attemptResult(answered(status))).toBe(result);
  });

  it('no answer is counted by its reason, and a worker that died by a word of its own', () => {
    expect(attemptResult({ kind: 'unanswered', silence: 'timeout', statusCode: 200, responseBody: null, error: '' })).toBe('timeout');
    expect(attemptResult({ kind: 'interrupted' })).toBe('interrupted');
  });
});
