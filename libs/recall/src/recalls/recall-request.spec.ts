import { describe, expect, it } from '@jest/globals';
import { type DrillReport, drillCsv, judged } from '../drills/drill.js';
import { type ReachedForRecall, batches, lotsToRecall } from './recall.js';

const lot = (tokenId: number, facts: Partial<ReachedForRecall> = {}): ReachedForRecall => ({
  tokenId: BigInt(tokenId),
  relation: 'transformed',
  status: 'active',
  recalled: false,
  ...facts,
});

describe('the lots of a recall', () => {
  const reached = [
    lot(2),
    lot(3, { relation: 'container' }),
    lot(4, { status: 'retired' }),
    lot(5, { status: 'consumed' }),
    lot(6, { relation: 'contained', status: 'aggregated' }),
    lot(7, { recalled: true, status: 'recalled' }),
  ];

  it('are the lot alone, unless everything live that is affected is recalled with it', () => {
    for (const propagation of ['none', 'flag', 'hold'] as const) expect(lotsToRecall(lot(1), reached, propagation)).toEqual([1n]);
    expect(lotsToRecall(lot(1), reached, 'recall')).toEqual([1n, 2n, 6n]);
  });

  it('are only the rest when a part of it has landed', () => {
    expect(lotsToRecall(lot(1, { recalled: true }), reached, 'recall')).toEqual([2n, 6n]);
    expect(lotsToRecall(lot(1, { recalled: true }), reached, 'flag')).toEqual([]);
  });

  it('go into as many transactions as they need, in their order', () => {
    const all = Array.from({ length: 1001 }, (_, i) => BigInt(i));
    const parts = batches(all, 500);
    expect(parts.map((part) => part.length)).toEqual([500, 500, 1]);
    expect(parts.flat()).toEqual(all);
  });
});

describe('the score of a drill', () => {
  const found: Omit<DrillReport, 'parts'> = {
    traceBack: { lots: 3, depth: 2, truncated: false },
    traceForward: { lots: 2, depth: 2, truncated: false },
    massBalance: {
      producedKg: 100,
      usedKg: 60,
      onHandKg: 40,
      retiredKg: 0,
      lossKg: 0,
      unaccountedKg: 0,
      accountedPercent: 100,
      unmeasuredLots: 0,
    },
    kde: { events: 4, complete: 4, missing: [] },
    custodians: { total: 2, unreachable: [] },
    estimatedUnits: 40,
    elapsedMs: 12,
  };

  it('is full when everything is traced, balanced, complete and reachable in time', () => {
    expect(judged(found).score).toBe(100);
  });

  it.each<[string, Partial<typeof found>, number]>([
    ['a truncated walk', { traceForward: { lots: 20_000, depth: 9, truncated: true } }, 80],
    ['a custodian of two whom nobody knows', { custodians: { total: 2, unreachable: ['0x1'] } }, 92.5],
    ['a missing key data element in one event of four', { kde: { events: 4, complete: 3, missing: [] } }, 96.3],
    ['more than four hours', { elapsedMs: 5 * 3_600_000 }, 95],
    ['five percent that are missing', { massBalance: { ...found.massBalance, accountedPercent: 95 } }, 100],
    ['half that is missing', { massBalance: { ...found.massBalance, accountedPercent: 50 } }, 75],
    [
      'no mass and no custodian to judge by',
      { massBalance: { ...found.massBalance, accountedPercent: null }, custodians: { total: 0, unreachable: [] } },
      100,
    ],
  ])('falls, or does not, with %s', (_, parts, score) => {
    expect(judged({ ...found, ...parts }).score).toBe(score);
  });

  it('goes into a table in which a code is text, whatever it begins with', () => {
    const drill = {
      id: 'd',
      tokenId: 1n,
      tlc: '=HYPERLINK("x")',
      drawn: false,
      startedAt: new Date(0),
      startedBy: '@u',
      asks: false,
      score: 1,
    };
    const csv = drillCsv({ ...drill, report: { ...found, parts: judged(found).parts } });
    expect(csv).toContain(`drill,tlc,"'=HYPERLINK(""x"")",\r\n`);
    expect(csv).toContain(`drill,startedBy,'@u,\r\n`);
  });
});
