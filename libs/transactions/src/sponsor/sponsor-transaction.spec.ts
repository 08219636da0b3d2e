import { describe, expect, it } from '@jest/globals';
import { gapsBefore, isTooLate, mostFor, nextNonce, replacing, within } from './sponsor-transaction.js';

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
    expect(replacing({ maxFee: 100n, tip: 10n }, { maxFee: 50n, tip: 1n }, null)).toEqual({ maxFee: 116n, tip: 12n });
    expect(replacing({ maxFee: 100n, tip: 10n }, { maxFee: 500n, tip: 90n }, null)).toEqual({ maxFee: 500n, tip: 90n });
  });

  it('is replaced for no more than was reserved, and not at all where that is too little for a node', () => {
    const before = { maxFee: 100n, tip: 10n };
    const now = { maxFee: 500n, tip: 200n };
    expect(replacing(before, now, mostFor(30_299n, 100n))).toEqual({ maxFee: 302n, tip: 200n });
    expect(replacing(before, now, 150n)).toEqual({ maxFee: 150n, tip: 150n });
    expect([replacing(before, now, 111n), replacing(before, now, 110n)]).toEqual([{ maxFee: 111n, tip: 111n }, null]);
  });

  it('is sent for what is asked, for no more than was reserved, or not at all', () => {
    const fees = { base: 40n, maxFee: 90n, tip: 10n };
    expect([within(fees, 100n), within(fees, 50n), within(fees, 49n)]).toEqual([
      { maxFee: 90n, tip: 10n },
      { maxFee: 50n, tip: 10n },
      null,
    ]);
  });

  it('is given up a little after its deadline', () => {
    const deadline = new Date('2026-11-30T18:00:00Z');
    expect([0, 14, 16].map((seconds) => isTooLate(deadline, new Date(deadline.getTime() + seconds * 1_000)))).toEqual([false, false, true]);
  });
});
