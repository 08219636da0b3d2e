import { describe, expect, it } from '@jest/globals';
import { FootprintScenario } from '../testing/footprint-scenario.js';
import { readScenario, templateMap } from '../testing/scenario.js';
import { type MappedFlow, claimShareOf } from './footprint.js';

let events = 0;
/** Makes lots of 10 kg each, 10 units to the lot; `kg: null` = a unit without a mass. */
const making = (
  makes: readonly number[],
  {
    from = [],
    map = 'wool',
    kg = 10,
  }: { from?: readonly (readonly [lot: number, units: number | null])[]; map?: string | null; kg?: number | null } = {},
): MappedFlow => ({
  id: `event-${events++}`,
  map,
  inputs: from.map(([lot, units]) => ({ tokenId: BigInt(lot), drawn: units === null ? null : units * 1e6 })),
  outputs: makes.map((lot) => ({ tokenId: BigInt(lot), quantity: 10e6, massKg: kg, factor: 1 })),
  packs: null,
  breaks: null,
  cradle: false,
  retires: false,
});
const shareOf = (of: readonly MappedFlow[], ...roots: number[]): number | null => claimShareOf(new Set(roots.map(BigInt)), of);

describe('the claim share of a lot', () => {
  it.each(['rice', 'wool'])('is 1 for every lot of the %s scenario, which mixes nothing in', (key) => {
    const file = new URL(`../../../../apps/cli/src/demo/scenarios/${key}.scenario.json`, import.meta.url);
    const scenario = new FootprintScenario(templateMap(key), readScenario(file));
    const made = new Set(scenario.events.flatMap(({ packs, outputs }) => (packs === null && outputs[0] ? [outputs[0].tokenId] : [])));
    expect(made.size).toBeGreaterThan(4);
    for (const lot of made) expect(claimShareOf(new Set([lot]), scenario.events)).toBe(1);
  });

  it('is the mass share of what came in under the same map', () => {
    // 6 kg of known origin and 2 kg of another map's: 0.75.
    const blend = [
      making([1]),
      making([2], { map: 'bought' }),
      making([3], {
        from: [
          [1, 6],
          [2, 2],
        ],
      }),
    ];
    expect(shareOf(blend, 3)).toBe(0.75);
    // Half of that blend with as much of known origin: (0.75 · 4 + 1 · 4) / 8.
    expect(
      shareOf(
        [
          ...blend,
          making([4], {
            from: [
              [3, 4],
              [1, 4],
            ],
          }),
        ],
        4,
      ),
    ).toBe(0.875);
  });

  it('is 0 of goods whose making is not known, and of what another map made of known ones', () => {
    expect(shareOf([making([2], { from: [[1, 5]] })], 2)).toBe(0);
    expect(shareOf([making([1], { map: null }), making([2], { from: [[1, 5]] })], 2)).toBe(0);
    expect(shareOf([making([1]), making([2], { from: [[1, 5]], map: 'bought' }), making([3], { from: [[2, 5]] })], 3)).toBe(0);
  });

  it('does not count what was only observed', () => {
    expect(
      shareOf(
        [
          making([1]),
          making([2], { map: 'bought' }),
          making([3], {
            from: [
              [1, 5],
              [2, 0],
            ],
          }),
        ],
        3,
      ),
    ).toBe(1);
  });

  it('needs no masses where all came alike, and is unknown where they would decide', () => {
    const unweighed = [making([1], { kg: null }), making([2], { kg: null })];
    expect(
      shareOf(
        [
          ...unweighed,
          making([3], {
            from: [
              [1, null],
              [2, 3],
            ],
          }),
        ],
        3,
      ),
    ).toBe(1);
    const mixed = [
      making([1], { kg: null }),
      making([2], { map: 'bought' }),
      making([3], {
        from: [
          [1, 5],
          [2, 5],
        ],
      }),
    ];
    expect(shareOf(mixed, 3)).toBeNull();
    // What is unknown stays unknown further on.
    expect(shareOf([...mixed, making([4], { from: [[3, 5]] })], 4)).toBeNull();
  });

  it('weighs several lots of one map, and says nothing of several maps or of a lot whose words are unknown', () => {
    const two = [making([1]), making([2], { map: 'bought' }), making([3], { from: [[2, 5]] })];
    expect(shareOf(two, 1, 3)).toBe(0.5);
    expect(shareOf(two, 1, 2)).toBeNull();
    expect(shareOf([making([1], { map: null })], 1)).toBeNull();
    expect(shareOf([], 1)).toBeNull();
  });

  it('is not changed by packing', () => {
    const packed: MappedFlow = { ...making([9], { from: [[3, 0]] }), packs: { container: 9n, members: [] } };
    expect(
      shareOf(
        [
          making([1]),
          making([2], { map: 'bought' }),
          making([3], {
            from: [
              [1, 1],
              [2, 3],
            ],
          }),
          packed,
        ],
        3,
      ),
    ).toBe(0.25);
  });
});
