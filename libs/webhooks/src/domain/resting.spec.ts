import { describe, expect, it } from '@jest/globals';
import { REST_MS, Resting } from './resting.js';

describe('a subscription that fails', () => {
  it('is tried again and again at first', () => {
    const resting = new Resting();
    for (let at = 0; at < 9_999; at += 500) resting.ended('dead', false, at);
    expect(resting.at(9_999)).toEqual([]);
  });

  it('rests after each failure when it has done nothing else for ten seconds', () => {
    const resting = new Resting();
    resting.ended('dead', false, 0);
    resting.ended('dead', false, 10_000);
    expect(resting.at(10_000)).toEqual(['dead']);
    expect(resting.at(10_000 + REST_MS)).toEqual([]);
    resting.ended('dead', false, 10_200);
    expect(resting.at(10_200)).toEqual(['dead']);
  });

  it('works on as before after one success, and rests for itself alone', () => {
    const resting = new Resting();
    resting.ended('dead', false, 0);
    resting.ended('flaky', false, 0);
    resting.ended('flaky', true, 5_000);
    resting.ended('flaky', false, 10_000);
    resting.ended('dead', false, 10_000);
    expect(resting.at(10_001)).toEqual(['dead']);
    resting.ended('dead', true, 10_050);
    expect(resting.at(10_051)).toEqual([]);
  });
});
