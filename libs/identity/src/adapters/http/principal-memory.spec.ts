import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../domain/access.js';
import { subjectOf } from '../../domain/revocation.js';
import { PrincipalMemory } from './principal-memory.js';

const bearer = (sessionId: string): Principal => ({
  kind: 'user',
  use: 'partial',
  userId: 'u',
  sessionId,
  isPlatformAdmin: false,
  actor: null,
});
const soon = (): number => Date.now() + 60_000;
const confirmed = (): PrincipalMemory => {
  const memory = new PrincipalMemory();
  memory.confirmedAt(performance.now());
  return memory;
};

describe('the memory of principals', () => {
  it('forgets what hangs on a subject, and that alone', () => {
    const memory = confirmed();
    for (const session of ['a', 'b']) memory.put(session, bearer(session), soon(), performance.now());
    memory.forget([subjectOf.session('a')]);
    expect([memory.get('a'), memory.get('b')]).toEqual([undefined, bearer('b')]);
    memory.forget([subjectOf.user('u')]);
    expect(memory.get('b')).toBeUndefined();
  });

  it('does not take in what was read before a revocation that was heard since', () => {
    const memory = confirmed();
    const loadedSince = performance.now();
    memory.forget([subjectOf.session('a')]);
    memory.put('a', bearer('a'), soon(), loadedSince);
    expect(memory.get('a')).toBeUndefined();
    memory.clear();
    memory.put('b', bearer('b'), soon(), loadedSince);
    expect(memory.get('b')).toBeUndefined();
  });

  it('is not trusted when revocations were not read for a second, nor beyond the life of the credential', () => {
    const memory = new PrincipalMemory();
    memory.put('a', bearer('a'), soon(), performance.now());
    memory.confirmedAt(performance.now() - 1_100);
    expect(memory.get('a')).toBeUndefined();
    memory.confirmedAt(performance.now());
    expect(memory.get('a')).toEqual(bearer('a'));
    memory.put('a', bearer('a'), Date.now() - 1, performance.now());
    expect(memory.get('a')).toBeUndefined();
  });

  it('is bounded: the oldest goes first', () => {
    const memory = confirmed();
    for (let i = 0; i <= 20_000; i++) memory.put(`h${i}`, bearer(`s${i}`), soon(), performance.now());
    memory.confirmedAt(performance.now());
    expect([memory.get('h0'), memory.get('h1')]).toEqual([undefined, bearer('s1')]);
  });
});
