import { describe, expect, it } from '@jest/globals';
import { type Scored, WEIGHTS, supplierScore } from './supplier-score.rules.js';

const all = (value: number | null, n: number) =>
  Object.fromEntries(Object.keys(WEIGHTS).map((name) => [name, { value, n }])) as Record<Scored, { value: number | null; n: number }>;

describe('the score of a supplier', () => {
  it('weighs what there is enough of, by 1 in all', () => {
    expect(Object.values(WEIGHTS).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(supplierScore({ ...all(1, 5), recallRate: { value: 0, n: 5 } }, 1)).toEqual({ score: 100, grade: 'A', gradeReason: null });
    // (.25 × .8 + .20 × .5 + .15 × 1) / .60
    const metrics = { kdeCompleteness: { value: 0.8, n: 5 }, recordingOnTime: { value: 0.5, n: 9 }, acceptanceRate: { value: 1, n: 5 } };
    expect(supplierScore({ ...all(1, 4), ...metrics }, 1)).toEqual({ score: 75, grade: 'B', gradeReason: null });
  });

  it('needs half of the weight: less is the score of one metric', () => {
    const recalls = { recallRate: { value: 0, n: 5 }, recordingOnTime: { value: 0, n: 4 } };
    const none = { score: null, grade: null, gradeReason: 'too_few_observations' };
    expect(supplierScore({ ...all(1, 4), ...recalls }, 1)).toEqual(none);
    // .25 + .20 is less than half, .25 + .20 + .05 is half of it.
    const most = { ...all(1, 4), kdeCompleteness: { value: 1, n: 5 }, recordingOnTime: { value: 0, n: 5 } };
    expect(supplierScore(most, 1)).toEqual(none);
    expect(supplierScore({ ...most, documentCoverage: { value: 1, n: 5 } }, 1)).toEqual({ score: 60, grade: 'C', gradeReason: null });
    expect(supplierScore(all(null, 100), 1)).toEqual(none);
  });

  it('is none for an organisation that supplied nothing', () => {
    expect(supplierScore(all(1, 100), 0)).toEqual({ score: null, grade: null, gradeReason: 'nothing_supplied' });
  });

  it('lets one recalled lot in twenty take the whole part of recalls', () => {
    const good = all(1, 10);
    expect(supplierScore({ ...good, recallRate: { value: 0.02, n: 100 } }, 1).score).toBe(98);
    expect(supplierScore({ ...good, recallRate: { value: 0.05, n: 100 } }, 1).score).toBe(95);
    expect(supplierScore({ ...good, recallRate: { value: 0.5, n: 100 } }, 1).score).toBe(95);
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
    expect(supplierScore({ ...all(value, 5), recallRate: { value: (1 - value) / 20, n: 5 } }, 1).grade).toBe(grade);
  });
});
