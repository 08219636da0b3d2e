import { describe, expect, it } from '@jest/globals';
import { trendRows, trendTotals } from './trends.rules.js';

const EVENTS = { events: '3', lots: '2', recordedKg: 0.1, unweighedEvents: '1', inputKg: null, mainOutputKg: null };

describe('trends', () => {
  it('joins what happened in a period, the newest first', () => {
    const rows = trendRows([
      { start: '2026-08-01', ...EVENTS },
      { start: '2026-09-01', ...EVENTS, inputKg: 100, mainOutputKg: 60 },
      { start: '2026-09-01', transfers: '4', rejectedTransfers: '1' },
      { start: '2026-10-01', recalls: '1', recalledLots: '7' },
    ]);
    expect(
      rows.map(({ start, events, transfers, recalledLots, yield: yields }) => [start, events, transfers, recalledLots, yields]),
    ).toEqual([
      ['2026-10-01', 0, 0, 7, null],
      ['2026-09-01', 3, 4, 0, 0.6],
      ['2026-08-01', 3, 0, 0, null],
    ]);
  });

  it('adds up without the dust of binary fractions, and divides sums', () => {
    const rows = trendRows([
      { start: '2026-08-01', ...EVENTS, inputKg: 900, mainOutputKg: 90 },
      { start: '2026-09-01', ...EVENTS, recordedKg: 0.2, inputKg: 100, mainOutputKg: 60 },
    ]);
    expect(trendTotals(rows)).toMatchObject({ events: 6, recordedKg: 0.3, unweighedEvents: 2, yield: 0.15 });
  });

  it('has no yield where nothing happened', () => {
    expect(trendRows([])).toEqual([]);
    expect(trendTotals([])).toMatchObject({ events: 0, yield: null });
  });
});
