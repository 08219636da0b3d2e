import { describe, expect, it } from '@jest/globals';
import { type Scored, WEIGHTS, supplierScore } from './supplier-score.js';

const all = (value: number | null, n: number) =>
  Object.fromEntries(Object.keys(WEIGHTS).map((name) => [name, { value, n }])) as Record<Scored, { value: number | null; n: number }>;

describe('the score of a supplier', () => {
  it('weighs what there is enough of, by 1 in all', () => {
    expect(Object.values(WEIGHTS).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(supplierScore({ ...all(1, 5), recallRate: { value: 0, n: 5 } })).toEqual({ score: 100, grade: 'A' });
    // (.25 × .8 + .20 × .5) / .45
    expect(supplierScore({ ...all(1, 4), kdeCompleteness: { value: 0.8, n: 5 }, recordingOnTime: { value: 0.5, n: 9 } })).toEqual({
      score: 66.666667,
      grade: 'C',
    });
  });

  it('is none where nothing was observed often enough', () => {
    expect(supplierScore(all(1, 4))).toEqual({ score: null, grade: null });
    expect(supplierScore(all(null, 100))).toEqual({ score: null, grade: null });
  });

  it('lets one recalled lot in twenty take the whole part of recalls', () => {
    const good = all(1, 10);
    expect(supplierScore({ ...good, recallRate: { value: 0.02, n: 100 } }).score).toBe(98);
    expect(supplierScore({ ...good, recallRate: { value: 0.05, n: 100 } }).score).toBe(95);
    expect(supplierScore({ ...good, recallRate: { value: 0.5, n: 100 } }).score).toBe(95);
  });

  it.each([
    [0.9, 'A'],
    [0.899, 'B'],
    [0.75, 'B'],
    [0.749, 'C'],
    [0.6, 'C'],
    [0.599, 'D'],
    [0, 'D'],
  ])('of %d is %s', (value, grade) => {
    expect(supplierScore({ ...all(null, 0), kdeCompleteness: { value, n: 5 } }).grade).toBe(grade);
  });
});
