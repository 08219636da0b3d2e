import { describe, expect, it } from '@jest/globals';
import { type Grant, classesOf, isAudited, isGrantToken, refusalOf } from './grant.js';

const NOW = new Date('2026-12-01T12:00:00Z');
const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
const grant = (other: Partial<Grant> = {}): Grant => ({
  ...{ id: 'g', passportId: 'p', kind: 'link', accessClass: 'legitimate_interest', grantee: 'Recycler', purpose: 'Recycling' },
  ...{ createdAt: NOW, createdBy: 'u', expiresAt: later(60), uses: 0, usedAt: null, withdrawnAt: null },
  ...other,
});
const codeOf = (other: Partial<Grant>, passportId = 'p', now = NOW): string | null =>
  refusalOf(grant(other), passportId, now)?.code ?? null;

describe('a grant', () => {
  it('opens its passport until it is used, expired or withdrawn', () => {
    expect(codeOf({})).toBeNull();
    expect(codeOf({}, 'q')).toBe('grant_for_another_passport');
    expect(codeOf({ uses: 1, usedAt: NOW })).toBe('grant_used');
    expect(codeOf({ kind: 'key', uses: 7, usedAt: NOW })).toBeNull();
    expect(codeOf({}, 'p', later(59.999))).toBeNull();
    expect(codeOf({}, 'p', later(60))).toBe('grant_expired');
    expect(codeOf({ kind: 'key', withdrawnAt: NOW })).toBe('grant_withdrawn');
  });

  it('says nothing of itself to who has it for another passport', () => {
    expect(codeOf({ withdrawnAt: NOW, uses: 1, usedAt: NOW, expiresAt: NOW }, 'q')).toBe('grant_for_another_passport');
  });

  it('opens no class beyond its own, and never what is restricted or personal', () => {
    expect([...classesOf('legitimate_interest')]).toEqual(['public', 'legitimate_interest']);
    expect([...classesOf('authority')]).toEqual(['public', 'legitimate_interest', 'authority']);
  });

  it('is in the audit log with each use of a link, and once an hour of a key', () => {
    expect(isAudited(grant(), NOW)).toBe(true);
    const key = grant({ kind: 'key', uses: 1, usedAt: NOW });
    expect([later(3_599), later(3_600)].map((now) => isAudited(key, now))).toEqual([false, true]);
  });

  it.each(['', 'dpg_', `dpg_${'a'.repeat(42)}`, `dpg_${'a'.repeat(44)}`, `dpg_${'+'.repeat(43)}`, `x${'a'.repeat(46)}`])(
    'is not looked for by %j',
    (text) => expect(isGrantToken(text)).toBe(false),
  );
});
