import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { atPointer } from '#kernel';
import { FootprintScenario } from '../testing/footprint-scenario.js';
import { readScenario, templateMap } from '../testing/scenario.js';
import { type Basis, type Footprint, type ImpactSource, footprintOf } from './footprint.js';
import { type Declaration, INDICATORS, declarationOf } from './footprint-declared.js';
import { type FlowNode, accountOf, flowOf, inOrder, reachOf } from './footprint-flow.js';
import type { Process } from '../process-maps/process-map.js';

const golden = (key: string, kind: 'golden' | 'expected') =>
  JSON.parse(readFileSync(new URL(`../../../../test/harness/expected/${key}.${kind}.json`, import.meta.url), 'utf8')) as Golden;

interface Golden {
  readonly footprints: Record<string, Record<string, Record<string, unknown> & { missing: string[] }>>;
  readonly lots: Record<string, { onHand?: Record<string, number>; perKg?: Record<string, number> }>;
  readonly declared: Record<string, number>;
}

const played = (key: string): FootprintScenario =>
  new FootprintScenario(
    templateMap(key),
    readScenario(new URL(`../../../../apps/cli/src/demo/scenarios/${key}.scenario.json`, import.meta.url)),
  );

function footprintIn(scenario: FootprintScenario, tlc: string): Footprint {
  const { massKg, quantity } = scenario.lotOf(tlc);
  const pieces = quantity === null ? null : quantity / 1e6;
  return footprintOf(
    new Set([scenario.tokenOf(tlc)]),
    { massKg, remainingKg: massKg, quantity: pieces, remaining: pieces, uom: null },
    scenario.events,
  );
}

describe.each(['rice', 'wool'])('the footprints of the %s scenario', (key) => {
  const scenario = played(key);

  it('of finished lots are the golden ones to the last digit', () => {
    const { footprints } = golden(key, 'golden');
    expect(Object.keys(footprints).length).toBeGreaterThan(0);
    for (const [tlc, indicators] of Object.entries(footprints)) {
      const found = footprintIn(scenario, tlc);
      for (const [indicator, wanted] of Object.entries(indicators)) {
        const { missing, ...figures } = found.indicators[indicator as 'carbon'];
        expect({ ...figures, missing: missing.map(({ processType }) => processType) }).toMatchObject(wanted);
      }
    }
  });

  it('of every lot that is left are the golden ones, and together they are what was declared', () => {
    const { lots, declared } = golden(key, 'expected');
    for (const [tlc, { onHand, perKg }] of Object.entries(lots).filter(([, lot]) => lot.onHand !== undefined)) {
      const { indicators } = footprintIn(scenario, tlc);
      for (const indicator of INDICATORS) {
        // The ledger knows no null: where nobody declared anything it says 0.
        expect([tlc, indicators[indicator].onHand ?? 0]).toEqual([tlc, onHand![indicator]]);
        expect([tlc, indicators[indicator].perKg ?? 0]).toEqual([tlc, perKg![indicator]]);
      }
    }
    for (const indicator of INDICATORS) {
      const { held, unallocated } = accountOf(flowOf(scenario.events), (event) => impact(event, indicator));
      expect(sum([...held.values(), ...unallocated])).toBeCloseTo(declared[indicator]!, 6);
    }
  });
});

describe('a footprint', () => {
  it('is unknown, not zero, where nobody declared anything', () => {
    const { indicators } = footprintOf(new Set([1n]), KILO, [event({ outputs: [lot(1)], expected: [...INDICATORS] })]);
    expect(indicators.water).toMatchObject({
      total: null,
      onHand: null,
      perKg: null,
      lowerBound: false,
      coverage: { declared: 0, expected: 1, events: 0, mass: 0 },
      primaryDataShare: null,
      byProcess: {},
      missing: [{ eventId: expect.any(String), processType: 'MAKE' }],
    });
  });

  it('keeps a zero that was declared', () => {
    const { indicators } = footprintOf(new Set([1n]), KILO, [event({ outputs: [lot(1)], declaration: carbon(0), expected: ['carbon'] })]);
    expect(indicators.carbon).toMatchObject({ total: 0, perKg: 0, lowerBound: false, primaryDataShare: null, byProcess: { MAKE: 0 } });
  });

  it('leaves out what is upstream of a cradle-to-gate boundary, and says so', () => {
    const first = event({ outputs: [lot(1)], declaration: carbon(100) });
    const second = event({ inputs: [{ tokenId: 1n, drawn: 500_000 }], outputs: [lot(2)], declaration: carbon(7), cradle: true });
    const { indicators, excludedUpstream } = footprintOf(new Set([2n]), KILO, [first, second]);
    expect(indicators.carbon).toMatchObject({ total: 7, byProcess: { MAKE: 7 } });
    expect(excludedUpstream).toEqual([{ eventId: second.id, processType: 'MAKE', carbon: 50 }]);
  });

  it('lists a burden that no output can bear', () => {
    const waste = event({ outputs: [{ ...lot(1), factor: 0 }], declaration: carbon(5) });
    const { unallocated, indicators } = footprintOf(new Set([1n]), KILO, [waste]);
    expect(unallocated).toEqual([{ eventId: waste.id, processType: 'MAKE', carbon: 5 }]);
    expect(indicators.carbon.total).toBeNull();
  });

  it('tells what is left from what was produced', () => {
    const make = event({ outputs: [lot(1)], declaration: carbon(10) });
    const sell = event({ inputs: [{ tokenId: 1n, drawn: 250_000 }], retires: true });
    const { indicators } = footprintOf(new Set([1n]), KILO, [make, sell]);
    expect(indicators.carbon).toMatchObject({ total: 10, onHand: 7.5 });
  });

  it('splits an event on a container over what is inside by mass, lots outside the tree included', () => {
    const make = event({ outputs: [lot(1)] });
    const pack = event({
      inputs: [{ tokenId: 1n, drawn: 0 }],
      outputs: [{ ...lot(9), massKg: null, quantity: null }],
      packs: {
        container: 9n,
        members: [
          { tokenId: 1n, massKg: null },
          { tokenId: 5n, massKg: 3 },
        ],
      },
    });
    const ship = event({ inputs: [{ tokenId: 9n, drawn: 0 }], declaration: carbon(8) });
    const unpack = event({ inputs: [{ tokenId: 9n, drawn: 0 }], breaks: 9n });
    const late = event({ inputs: [{ tokenId: 9n, drawn: 0 }], declaration: carbon(8) });
    expect(footprintOf(new Set([1n]), KILO, [make, pack, ship]).indicators.carbon.total).toBe(2);
    const after = footprintOf(new Set([1n]), KILO, [make, pack, ship, unpack, late]);
    expect(after.indicators.carbon.total).toBe(2);
  });
});

describe('impacts on random graphs', () => {
  const graphs = fc.array(
    fc.record({
      inputs: fc.array(fc.record({ pick: fc.nat(), part: fc.double({ min: 0, max: 1.2, noNaN: true }) }), { maxLength: 4 }),
      outputs: fc.array(
        fc.record({
          quantity: fc.option(fc.integer({ min: 1, max: 1e9 })),
          massKg: fc.option(fc.integer({ min: 1, max: 1e6 })),
          factor: fc.constantFrom(0, 0.3, 1),
        }),
        { maxLength: 3 },
      ),
      declared: fc.integer({ min: 0, max: 1e6 }),
      cradle: fc.boolean(),
      retires: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  );

  type Drawn = typeof graphs extends fc.Arbitrary<infer Value> ? Value : never;

  function eventsOf(drawn: Drawn): { events: ImpactSource[]; lots: number } {
    let lots = 0;
    const quantities = new Map<bigint, number | null>();
    const events = drawn.map((one) => {
      const inputs = lots === 0 ? [] : one.inputs.map(({ pick, part }) => ({ tokenId: BigInt(1 + (pick % lots)), part }));
      const named = [...new Map(inputs.map((input) => [input.tokenId, input])).values()];
      const retires = one.retires && one.outputs.length === 0;
      const outputs = one.outputs.map((output) => {
        lots += 1;
        quantities.set(BigInt(lots), output.quantity);
        return { ...output, tokenId: BigInt(lots) };
      });
      return event({
        inputs: named.map(({ tokenId, part }) => {
          const quantity = quantities.get(tokenId) ?? null;
          return { tokenId, drawn: quantity === null ? null : Math.round(quantity * part) };
        }),
        outputs,
        declaration: carbon(one.declared),
        cradle: one.cradle && outputs.length > 0,
        retires,
      });
    });
    return { events, lots };
  }

  it('are conserved: lots, unallocated and left out together are what was declared', () => {
    fc.assert(
      fc.property(graphs, (drawn) => {
        const { events } = eventsOf(drawn);
        const account = accountOf(flowOf(events), (one) => impact(one, 'carbon'));
        const found = sum([...account.held.values(), ...account.unallocated, ...account.leftOut]);
        const declared = sum(events.map((one) => impact(one, 'carbon')));
        expect(Math.abs(found - declared)).toBeLessThanOrEqual(1e-9 * Math.max(1, declared));
      }),
      { numRuns: 300 },
    );
  });

  it('reach a lot backwards as they do forwards', () => {
    fc.assert(
      fc.property(graphs, fc.nat(), (drawn, pick) => {
        const { events, lots } = eventsOf(drawn);
        fc.pre(lots > 0);
        const asked = BigInt(1 + (pick % lots));
        const stages = flowOf(events);
        const { own } = reachOf(stages, new Set([asked]), false);
        const backwards = sum(events.map((one, i) => impact(one, 'carbon') * own[i]!));
        const forwards = accountOf(
          stages.map((stage) => (stage.event.retires ? { ...stage, event: { ...stage.event, retires: false } } : stage)),
          (one) => impact(one, 'carbon'),
        ).held.get(asked);
        expect(Math.abs(backwards - (forwards ?? 0))).toBeLessThanOrEqual(1e-6 * Math.max(1, backwards));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the order of events', () => {
  const placed = (id: string, time: string | null, block: number, reads: bigint[], makes: bigint[]) => ({
    id,
    eventTime: time === null ? null : new Date(time),
    landedAt: new Date('2026-06-01T00:00:00Z'),
    block,
    logIndex: 0,
    reads,
    makes,
    packs: false,
  });
  /** Only the chain knows it. */
  const split = (id: string, block: number, lot: bigint, part: bigint) => ({ ...placed(id, null, block, [lot], [part]), landedAt: null });
  const ids = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);

  it('is that of their own times, whenever they were recorded', () => {
    const late = placed('late', '2026-01-02T00:00:00Z', 9, [1n], []);
    expect(
      ids(inOrder([placed('b', '2026-01-03T00:00:00Z', 2, [1n], [2n]), late, placed('a', '2026-01-01T00:00:00Z', 1, [], [1n])])),
    ).toEqual(['a', 'late', 'b']);
  });

  it('never uses a lot before it is made', () => {
    const use = placed('use', '2025-01-01T00:00:00Z', 2, [1n], [2n]);
    expect(ids(inOrder([use, placed('make', '2026-01-01T00:00:00Z', 1, [], [1n]), placed('external', null, 3, [2n], [])]))).toEqual([
      'make',
      'use',
      'external',
    ]);
  });

  it('has a split right after what was recorded of its lot before, and what was recorded of the lot later after it', () => {
    const make = placed('make', '2026-01-01T00:00:00Z', 1, [], [1n]);
    const before = placed('before', '2026-01-05T00:00:00Z', 2, [1n], []);
    const after = placed('after', '2026-01-03T00:00:00Z', 4, [1n], []);
    const ofPart = placed('of part', '2026-01-02T00:00:00Z', 5, [2n], []);
    const elsewhere = placed('elsewhere', '2026-01-04T00:00:00Z', 6, [], [9n]);
    expect(ids(inOrder([elsewhere, ofPart, after, split('split', 3, 1n, 2n), before, make]))).toEqual([
      ...['make', 'elsewhere', 'before', 'split', 'after', 'of part'],
    ]);
  });

  it('has a split after what was recorded of the container that the lot was in', () => {
    const make = placed('make', '2026-01-01T00:00:00Z', 1, [], [1n]);
    const pack = { ...placed('pack', '2026-01-02T00:00:00Z', 2, [1n], [5n]), packs: true };
    const ship = placed('ship', '2026-01-04T00:00:00Z', 3, [5n], []);
    const unpack = placed('unpack', '2026-01-03T00:00:00Z', 4, [5n], []);
    expect(ids(inOrder([split('split', 5, 1n, 2n), unpack, ship, pack, make]))).toEqual(['make', 'pack', 'unpack', 'ship', 'split']);
  });
});

describe('a declaration', () => {
  const declared = (block: unknown, process: Partial<Process> | null = null) =>
    declarationOf(process as Process | null, (pointer) => atPointer({ footprint: block }, pointer));

  it.each([
    ['carbon', 'gCO2e', 2000, 2],
    ['carbon', 'tCO2e', 2, 2000],
    ['water', 'L', 5000, 5],
    ['water', 'ML', 2, 2000],
    ['energy', 'kWh', 10, 36],
    ['energy', 'MWh', 1, 3600],
    ['energy', 'GJ', 1, 1000],
    ['waste', 'g', 500, 0.5],
    ['waste', 't', 1, 1000],
  ] as const)('of %s in %s is converted', (indicator, unit, value, wanted) => {
    expect(declared({ [indicator]: { value, unit } }).impacts[indicator]?.value).toBeCloseTo(wanted, 12);
  });

  it.each([
    ['no unit', { value: 1 }],
    ['a foreign unit', { value: 1, unit: 'lb' }],
    ['a unit that is a word of JavaScript', { value: 1, unit: 'constructor' }],
    ['a text', { value: '1', unit: 'kgCO2e' }],
    ['a negative number', { value: -1, unit: 'kgCO2e' }],
    ['a list', [1]],
    ['nothing', null],
  ])('with %s counts as none', (_, carbonBlock) => {
    expect(declared({ carbon: carbonBlock }).impacts).toEqual({});
  });

  it('keeps biogenic uptake apart and knows primary data', () => {
    const block = {
      carbon: { value: 3, unit: 'tCO2e', fossil: 2, biogenicUptake: -1, source: 'supplier' },
      boundary: 'cradle_to_gate',
      gwp: 'AR6',
    };
    expect(declared(block)).toEqual({
      impacts: { carbon: { value: 3000, primary: true, parts: { fossil: 2000, biogenicUptake: -1000 } } },
      cradle: true,
      gwp: 'AR6',
      standard: null,
    });
  });
});

const KILO: Basis = { massKg: 1, remainingKg: 1, quantity: 1, remaining: 1, uom: 'KGM' };
const lot = (tokenId: number) => ({ tokenId: BigInt(tokenId), quantity: 1e6, massKg: 1, factor: 1 });
const carbon = (value: number): Declaration => ({
  impacts: { carbon: { value, primary: true, parts: {} } },
  cradle: false,
  gwp: null,
  standard: null,
});

let events = 0;
const event = (parts: Partial<ImpactSource>): ImpactSource => ({
  id: `event-${events++}`,
  processType: 'MAKE',
  map: 'rice',
  country: null,
  inputs: [],
  outputs: [],
  packs: null,
  breaks: null,
  cradle: false,
  retires: false,
  declaration: { impacts: {}, cradle: false, gwp: null, standard: null },
  expected: [],
  ...parts,
});

const impact = (one: FlowNode, indicator: (typeof INDICATORS)[number]): number =>
  (one as ImpactSource).declaration.impacts[indicator]?.value ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
