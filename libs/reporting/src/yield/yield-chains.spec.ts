import { describe, expect, it } from '@jest/globals';
import { MAX_CHAINS, type Link, type ProcessOutput, finishedPerRaw, yieldChains } from './yield-chains.rules.js';

const process = (processType: string, inputKg: number, mainOutputKg: number, coProductKg = 0, finished = false): ProcessOutput => ({
  processType,
  yield: mainOutputKg / inputKg,
  mainOutputKg,
  coProductKg,
  finished,
});
const link = (from: string | null, to: string, kg: number, rawKg = from === null ? kg : 0): Link => ({ from, to, kg, rawKg });

const RICE = [process('DRY', 12_000, 10_775), process('MILL', 10_775, 7004, 3556), process('PACK', 7004, 7000, 0, true)];
const RICE_LINKS = [link(null, 'DRY', 12_000), link('DRY', 'MILL', 10_775), link('MILL', 'PACK', 7004)];

describe('yields along a route', () => {
  it('are multiplied; throughKg is the smallest amount on the route', () => {
    const [chain, ...others] = yieldChains(RICE, RICE_LINKS);
    expect(others).toEqual([]);
    expect(chain).toMatchObject({ from: 'DRY', to: 'PACK', route: ['DRY', 'MILL', 'PACK'], throughKg: 7004 });
    // Every kilogram of the main road went on, so the product is 7000 / 12000.
    expect(chain!.rolledYield).toBe(0.583333);
  });

  it('go each its own way where a road forks, and round no loop', () => {
    const made = [process('A', 10, 9), process('B', 4, 2), process('C', 5, 5), process('D', 7, 7)];
    const links = [link('A', 'B', 4), link('A', 'C', 5), link('B', 'D', 2), link('C', 'D', 5), link('D', 'B', 1), link('C', 'C', 3)];
    expect(yieldChains(made, links).map(({ route, rolledYield, throughKg }) => [route.join(''), rolledYield, throughKg])).toEqual([
      ['ABD', 0.45, 2],
      ['ACDB', 0.45, 1],
    ]);
  });

  it('are unknown where one of them is', () => {
    const [chain] = yieldChains([process('A', 10, 9), { ...process('B', 1, 1), yield: null }], [link('A', 'B', 9)]);
    expect(chain!.rolledYield).toBeNull();
  });

  it('end somewhere in a net of many processes', () => {
    const names = Array.from({ length: 60 }, (_, i) => `P${String(i).padStart(2, '0')}`);
    const links = names.flatMap((from, i) => names.slice(i + 1).map((to) => link(from, to, 1)));
    expect(
      yieldChains(
        names.map((name) => process(name, 1, 1)),
        links,
      ),
    ).toHaveLength(MAX_CHAINS);
  });
});

describe('finished goods out of raw materials', () => {
  it('take what they are made of, by mass: co-products take theirs', () => {
    // Milling hands 12000 kg of paddy to 10560 kg of products: 7004 kg milled carry 7959.09 kg, and become 7000 kg in bags.
    expect(finishedPerRaw(RICE, RICE_LINKS)).toBe(0.879497);
  });

  it('go round with rework until it settles', () => {
    // A ton of raw material and 100 kg of its own product make 1000 kg: 900 kg go out for 900 kg... of 1000.
    const made = [process('MIX', 1100, 1000, 0, true)];
    expect(finishedPerRaw(made, [link(null, 'MIX', 1000), link('MIX', 'MIX', 100)])).toBe(0.9);
  });

  it('are unknown where something was drawn that nobody of the period made, and where nothing is finished', () => {
    expect(finishedPerRaw(RICE.slice(1), [link(null, 'MILL', 10_775, 0), link('MILL', 'PACK', 7004)])).toBeNull();
    expect(finishedPerRaw(RICE.slice(0, 2), RICE_LINKS.slice(0, 2))).toBeNull();
    expect(finishedPerRaw([], [])).toBeNull();
  });
});
