import { describe, expect, it } from '@jest/globals';
import { type ClaimedDelivery, DELIVERY_TRANSITIONS, RESENDABLE, settle } from './delivery.js';

const schedule = { delaysMs: [30_000, 60_000, 120_000], jitter: 0.1 };
const at = new Date('2026-11-28T00:00:00Z');
const claimed = (changes: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
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
    expect(settle(claimed(), answered(status), schedule, at, 0)).toMatchObject({ status: 'delivered', error: null, statusCode: status });
  });

  it.each([100, 199, 300, 301, 302, 400, 404, 410, 429, 500, 503])('given %i, is tried again', (status) => {
    expect(settle(claimed(), answered(status), schedule, at, 0)).toMatchObject({
      status: 'retrying',
      nextAttemptAt: new Date('2026-11-28T00:00:30Z'),
      statusCode: status,
      error: expect.stringContaining(String(status)),
    });
  });

  it('fails with the fourth attempt, whatever happened to it', () => {
    for (const outcome of [answered(500), { kind: 'interrupted' } as const])
      expect(settle(claimed({ attempt: 4 }), outcome, schedule, at, 0)).toMatchObject({ status: 'failed', nextAttemptAt: null });
  });

  it('interrupted by a crash, is tried again at once and counts', () => {
    expect(settle(claimed({ attempt: 2 }), { kind: 'interrupted' }, schedule, at, 0)).toMatchObject({
      status: 'retrying',
      nextAttemptAt: at,
    });
  });

  it('a resend that fails gives back the automatic retries that are left', () => {
    expect(settle(claimed({ attempt: 2, resends: 1, manual: true }), answered(500), schedule, at, 0)).toMatchObject({
      status: 'retrying',
      nextAttemptAt: new Date('2026-11-28T00:01:00Z'),
    });
    expect(settle(claimed({ attempt: 4, resends: 1, manual: true }), answered(500), schedule, at, 0).status).toBe('failed');
  });

  it('once delivered stays delivered, though a resend fails', () => {
    expect(settle(claimed({ manual: true, resends: 1, deliveredBefore: true }), answered(500), schedule, at, 0).status).toBe('delivered');
  });

  it('moves only as the table says', () => {
    expect(RESENDABLE).toEqual(['retrying', 'delivered', 'failed', 'discarded']);
    expect(DELIVERY_TRANSITIONS.failed).not.toContain('sending');
  });
});
