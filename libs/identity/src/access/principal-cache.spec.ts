import { describe, expect, it } from '@jest/globals';
import { Clock } from '#kernel';
import { type Principal, subjectOf } from './principal.js';
import { PrincipalCache } from './revocations.queries.js';

const bearer = (sessionId: string): Principal => ({
  kind: 'user',
  use: 'partial',
  userId: 'u',
  sessionId,
  isPlatformAdmin: false,
  actor: null,
});
const soon = (): number => Date.now() + 60_000;
const confirmed = (): PrincipalCache => {
  const cache = new PrincipalCache(new Clock());
  cache.confirmedAt(performance.now());
  return cache;
};

describe('the principal cache', () => {
  it('evicts the principals of a subject and no others', () => {
    const cache = confirmed();
    for (const session of ['a', 'b']) cache.put(session, bearer(session), soon(), performance.now());
    cache.evict([subjectOf.session('a')]);
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, bearer('b')]);
    cache.evict([subjectOf.user('u')]);
    expect(cache.get('b')).toBeUndefined();
  });

  it('refuses a principal that was read before a revocation', () => {
    const cache = confirmed();
    const loadedSince = performance.now();
    cache.evict([subjectOf.session('a')]);
    cache.put('a', bearer('a'), soon(), loadedSince);
    expect(cache.get('a')).toBeUndefined();
    cache.clear();
    cache.put('b', bearer('b'), soon(), loadedSince);
    expect(cache.get('b')).toBeUndefined();
  });

  it('is not trusted when revocations were not read for a second, nor beyond the life of the credential', () => {
    const cache = new PrincipalCache(new Clock());
    cache.put('a', bearer('a'), soon(), performance.now());
    cache.confirmedAt(performance.now() - 1_100);
    expect(cache.get('a')).toBeUndefined();
    cache.confirmedAt(performance.now());
    expect(cache.get('a')).toEqual(bearer('a'));
    cache.put('a', bearer('a'), Date.now() - 1, performance.now());
    expect(cache.get('a')).toBeUndefined();
  });

  it('is bounded: the oldest goes first', () => {
    const cache = confirmed();
    for (let i = 0; i <= 20_000; i++) cache.put(`h${i}`, bearer(`s${i}`), soon(), performance.now());
    cache.confirmedAt(performance.now());
    expect([cache.get('h0'), cache.get('h1')]).toEqual([undefined, bearer('s1')]);
  });
});
