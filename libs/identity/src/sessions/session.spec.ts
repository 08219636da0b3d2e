import { describe, expect, it } from '@jest/globals';
import { Session } from './session.js';

const DAY = 86_400;
const limits = { idleSeconds: 30 * DAY, maxSeconds: 90 * DAY };
const start = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number): Date => new Date(start.getTime() + seconds * 1000);
const opened = (rotations: readonly number[] = []): Session => {
  const session = Session.open({ id: 's', userId: 'u', activeTenant: null, loginFingerprint: 'f', wallet: null }, start);
  for (const at of rotations) session.rotate(after(at));
  return session;
};

describe('a refresh token', () => {
  it.each<[string, readonly number[], number, number, string]>([
    ['the newest', [], 0, 5, 'rotate'],
    ['the newest after rotations', [10, 20], 2, 30, 'rotate'],
    ['the one before, ten seconds after the rotation', [100], 0, 110, 'same'],
    ['the one before, later', [100], 0, 110.001, 'reused'],
    ['an older one, however soon', [100, 101], 0, 102, 'reused'],
    ['one that was not given out yet', [], 1, 5, 'reused'],
    ['the newest after thirty days', [], 0, 30 * DAY, 'rotate'],
    ['the newest after thirty days and a second', [], 0, 30 * DAY + 1, 'over'],
    ['the newest after ninety days of use', [25 * DAY, 50 * DAY, 75 * DAY], 3, 90 * DAY + 1, 'over'],
  ])('%s', (_what, rotations, counter, at, outcome) => {
    expect(opened(rotations).present(counter, after(at), limits)).toBe(outcome);
  });

  it('of a revoked session opens nothing', () => {
    const session = opened();
    session.revokedAt = start;
    expect(session.present(0, after(1), limits)).toBe('over');
  });
});
