import { describe, expect, it } from '@jest/globals';
import { gapsBefore, isTooLate, nextNonce, replacing } from './sponsor-transaction.js';

const open = (...nonces: number[]) => nonces.map((nonce) => ({ nonce }));

describe('nonces of the sponsor', () => {
  it('continue after those that are known, and after those that the chain has', () => {
    expect([nextNonce(7, []), nextNonce(7, open(5, 6)), nextNonce(7, open(7, 9))]).toEqual([7, 7, 10]);
  });

  it('are filled where one is missing, so that those after it are not stuck', () => {
    expect(gapsBefore(7, [])).toEqual([]);
    expect(gapsBefore(7, open(7, 8))).toEqual([]);
    expect(gapsBefore(7, open(9, 11))).toEqual([7, 8, 10]);
    expect(gapsBefore(7, open(5))).toEqual([]);
  });
});

describe('a transaction that no block takes', () => {
  it('is replaced for at least a tenth more, and for what is asked now', () => {
    expect(replacing({ maxFee: 100n, tip: 10n }, { maxFee: 50n, tip: 1n })).toEqual({ maxFee: 116n, tip: 12n });
    expect(replacing({ maxFee: 100n, tip: 10n }, { maxFee: 500n, tip: 90n })).toEqual({ maxFee: 500n, tip: 90n });
  });

  it('is given up a little after its deadline', () => {
    const deadline = new Date('2026-11-30T18:00:00Z');
    expect([0, 14, 16].map((seconds) => isTooLate(deadline, new Date(deadline.getTime() + seconds * 1_000)))).toEqual([false, false, true]);
  });
});
