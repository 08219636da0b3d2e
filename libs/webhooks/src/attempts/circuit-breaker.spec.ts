import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, OPEN_MS } from './lease-deliveries.js';

describe('a subscription that fails', () => {
  it('is tried without a pause at first', () => {
    const breaker = new CircuitBreaker();
    for (let at = 0; at < 9_999; at += 500) breaker.record('dead', false, at);
    expect(breaker.open(9_999)).toEqual([]);
  });

  it('is skipped for a moment after each failure when it has only failed for ten seconds', () => {
    const breaker = new CircuitBreaker();
    breaker.record('dead', false, 0);
    breaker.record('dead', false, 10_000);
    expect(breaker.open(10_000)).toEqual(['dead']);
    expect(breaker.open(10_000 + OPEN_MS)).toEqual([]);
    breaker.record('dead', false, 10_200);
    expect(breaker.open(10_200)).toEqual(['dead']);
  });

  it('is tried as before after one success; its circuit is its own', () => {
    const breaker = new CircuitBreaker();
    breaker.record('dead', false, 0);
    breaker.record('flaky', false, 0);
    breaker.record('flaky', true, 5_000);
    breaker.record('flaky', false, 10_000);
    breaker.record('dead', false, 10_000);
    expect(breaker.open(10_001)).toEqual(['dead']);
    breaker.record('dead', true, 10_050);
    expect(breaker.open(10_051)).toEqual([]);
  });
});
