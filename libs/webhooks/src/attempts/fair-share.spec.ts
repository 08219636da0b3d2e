import { describe, expect, it } from '@jest/globals';
import { fairShares } from './fair-share.js';

const of = (tenantId: string, ...rooms: number[]): { tenantId: string; room: number }[] => rooms.map((room) => ({ tenantId, room }));
const held = (taken: Record<string, number> = {}): ReadonlyMap<string, number> => new Map(Object.entries(taken));
const sum = (shares: readonly number[]): number => shares.reduce((a, b) => a + b, 0);

describe('the free slots of a worker', () => {
  it('go to one tenant by half at most, whatever waits for it', () => {
    expect(sum(fairShares(of('rice', 1_000), 128, held()))).toBe(64);
    expect(fairShares(of('rice', ...Array.from({ length: 200 }, () => 1)), 128, held()).filter((share) => share === 1)).toHaveLength(64);
    expect([1, 2, 3, 4].map((slots) => sum(fairShares(of('rice', 9), slots, held())))).toEqual([1, 1, 2, 2]);
  });

  it('go to many tenants evenly, and some are left for the next', () => {
    expect(fairShares([...of('rice', 99), ...of('wool', 99)], 99, held())).toEqual([33, 33]);
    expect(fairShares([...of('rice', 99), ...of('wool', 99), ...of('tea', 2)], 99, held())).toEqual([33, 32, 2]);
    expect(fairShares(Array.from({ length: 50 }, (_, i) => of(`t${i}`, 4)).flat(), 128, held()).filter((share) => share > 0)).toHaveLength(
      50,
    );
  });

  it('go first to those that hold the fewest, and not to those that hold as many as are free', () => {
    expect(fairShares([...of('rice', 9), ...of('wool', 9)], 10, held({ rice: 4 }))).toEqual([1, 5]);
    expect(fairShares([...of('rice', 9), ...of('wool', 9)], 4, held({ rice: 60 }))).toEqual([0, 2]);
    expect(fairShares(of('rice', 9), 64, held({ rice: 64 }))).toEqual([0]);
  });

  it('go round the subscriptions of a tenant, as far as each has room', () => {
    expect(fairShares(of('rice', 1, 9, 4), 16, held())).toEqual([1, 4, 3]);
    expect(fairShares([...of('rice', 0, 2), ...of('wool', 0)], 16, held())).toEqual([0, 2, 0]);
  });

  it('are none where nothing waits or nothing is free', () => {
    expect(fairShares([], 10, held())).toEqual([]);
    expect(fairShares(of('rice', 3), 0, held())).toEqual([0]);
  });
});
