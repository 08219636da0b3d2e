import { describe, expect, it } from '@jest/globals';
import { type Sponsorship, allowance, midnightBefore, refusedBy } from './sponsorship.js';

const at = new Date('2026-11-30T18:00:00Z');
const given: Sponsorship = { ceiling: 1_000n, limit: null, relaysPerHour: 3 };
const idle = { relays: 0, reverted: 0 };

describe('what the sponsor pays', () => {
  it('is the ceiling of the platform, unless the tenant lowers it', () => {
    expect([null, 0n, 999n, 1_001n].map((limit) => allowance({ ...given, limit }))).toEqual([1_000n, 0n, 999n, 1_000n]);
  });

  it('pauses a member whose calls failed on chain, counts what is on its way, and starts again at midnight', () => {
    expect(refusedBy(given, { today: 0n }, idle, { wei: 1_000n, at })).toBeNull();
    expect(refusedBy(given, { today: 1n }, idle, { wei: 1_000n, at })).toEqual({ of: 'tenant', retryAfterSeconds: 21_600 });
    expect(refusedBy(given, { today: 0n }, { relays: 3, reverted: 0 }, { wei: 1n, at })).toMatchObject({ of: 'member' });
    expect(refusedBy(given, { today: 0n }, { relays: 3, reverted: 3 }, { wei: 1n, at })).toBe('paused');
    expect(midnightBefore(at)).toEqual(new Date('2026-11-30T00:00:00Z'));
  });
});
