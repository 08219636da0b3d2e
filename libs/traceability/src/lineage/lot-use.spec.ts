import { describe, expect, it } from '@jest/globals';
import { useOf } from './lineage-graph.js';

const lot = { quantity: 100_000_000n, remaining: 30_000_000n, unitKg: 0.5 };
const masses = { inputKg: 100, mainKg: 60, coProductKg: 20, declaredLossKg: 15 };

describe('the use of a lot', () => {
  it('is parted by the masses of the events that drew from it', () => {
    const use = useOf(lot, [{ quantity: 40_000_000n, masses }]);
    expect(use.usedKg).toBeCloseTo(16, 9);
    expect(use.lossKg).toBeCloseTo(3, 9);
    expect(use.gapKg).toBeCloseTo(1, 9);
    expect(use.partRetiredKg).toBeCloseTo(15, 9);
  });

  it('is all that was taken where an event weighed nothing that is known', () => {
    for (const nothing of [undefined, { ...masses, inputKg: 0 }, { ...masses, inputKg: null }])
      expect(useOf(lot, [{ quantity: 70_000_000n, masses: nothing }])).toEqual({ usedKg: 35, lossKg: 0, gapKg: 0, partRetiredKg: 0 });
  });

  it('counts a known loss where an output is unknown', () => {
    expect(useOf(lot, [{ quantity: 20_000_000n, masses: { ...masses, mainKg: null } }])).toMatchObject({
      usedKg: 10,
      lossKg: 1.5,
      gapKg: 0,
    });
  });

  it('is nothing for a lot without a mass, and never less than nothing', () => {
    expect(useOf({ ...lot, unitKg: null }, [{ quantity: 1n, masses }])).toEqual({ usedKg: 0, lossKg: 0, gapKg: 0, partRetiredKg: 0 });
    expect(useOf(lot, [{ quantity: null, masses }])).toMatchObject({ usedKg: 0, partRetiredKg: 35 });
    expect(useOf({ ...lot, remaining: 100_000_000n }, [{ quantity: 1n, masses }]).partRetiredKg).toBe(0);
  });
});
