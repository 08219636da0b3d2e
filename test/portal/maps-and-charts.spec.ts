import { describe, expect, it } from '@jest/globals';
import type { EventView, OrganisationView } from '#client';
import { sankeyOf } from '../../apps/portal/src/charts/sankey-layout.js';
import { linesOf, middleOf } from '../../apps/portal/src/map/geojson.js';
import { wayOf, withHolders } from '../../apps/portal/src/map/lot-places.js';
import { clustered, moved, pointOf, seenAt, viewOf, zoomed } from '../../apps/portal/src/map/mercator.js';

const SIZE = { width: 800, height: 400 };

describe('the map', () => {
  it('has the equator in its middle and does not end at the poles', () => {
    expect(pointOf([0, 0])).toEqual({ x: 0.5, y: 0.5 });
    expect(pointOf([0, 90]).y).toBeGreaterThan(0);
    expect(pointOf([-180, 0]).x).toBe(0);
  });

  it('shows all points at first, and a single one with the country around it', () => {
    const points = [pointOf([105.7, 10]), pointOf([4.5, 51.9])];
    const view = viewOf(points, SIZE);
    for (const { x, y } of points.map((point) => seenAt(point, view, SIZE))) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(SIZE.width);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(SIZE.height);
    }
    // 100 px are more than two degrees.
    expect((100 / viewOf([points[0]!], SIZE).scale) * 360).toBeGreaterThan(2);
    expect(viewOf([], SIZE).scale).toBeGreaterThan(0);
  });

  it('keeps the point under the finger when it zooms, and stays on the earth', () => {
    const view = { x: 0.4, y: 0.4, scale: 1_000 };
    const at = { x: 120, y: -60 };
    const before = { x: view.x + at.x / view.scale, y: view.y + at.y / view.scale };
    const after = zoomed(view, 2, at);
    expect(after.x + at.x / after.scale).toBeCloseTo(before.x);
    expect(after.y + at.y / after.scale).toBeCloseTo(before.y);
    expect(moved(view, { x: 1e9, y: -1e9 })).toEqual({ x: 1, y: 0, scale: 1_000 });
  });

  it('joins marks that would hide each other', () => {
    const seen = [
      { x: 10, y: 10 },
      { x: 25, y: 10 },
      { x: 300, y: 10 },
    ];
    expect(clustered(seen, 22).map((group) => group.length)).toEqual([2, 1]);
  });

  it.each<[unknown, number]>([
    [{ type: 'Point', coordinates: [105, 10] }, 1],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
          [
            [0.2, 0.2],
            [0.4, 0.2],
            [0.4, 0.4],
            [0.2, 0.2],
          ],
        ],
      },
      2,
    ],
    [
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 0],
            ],
          ],
        ],
      },
      1,
    ],
    [{ type: 'Point', coordinates: [500, 10] }, 0],
    [{ coordinates: 'x' }, 0],
    ['Point', 0],
    [null, 0],
  ])('reads a geometry: %j', (geometry, lines) => {
    expect(linesOf(geometry)).toHaveLength(lines);
  });

  it('has the middle of what a geometry covers', () => {
    expect(
      middleOf({
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [2, 0],
            [2, 4],
            [0, 0],
          ],
        ],
      }),
    ).toEqual([1, 2]);
    expect(middleOf({ country: 'VN' })).toBeNull();
  });
});

const event = (change: Partial<EventView>): EventView =>
  ({
    eventTime: '2026-09-15T08:00:00Z',
    processType: 'HARVEST',
    processLabel: null,
    location: null,
    metadata: null,
    inputTokenIds: [],
    outputTokenIds: [1],
    ...change,
  }) as EventView;
const FARM = { gln: '9520000100018', name: 'Farm', country: 'VN' };
const MILL = { id: 'https://id.gs1.org/414/9520000100032', name: 'Mill', country: 'VN' };
const plotAt = (id: string, longitude: number) => ({ id, geometry: { type: 'Point', coordinates: [longitude, 10] } });
const MIDDLES = { VN: [106, 16], NL: [5, 52] } as const;
const company = {
  name: 'Mill',
  gln: null,
  sites: [{ gln: '9520000100032', location: { type: 'Point', coordinates: [106.4, 10.5] } }],
  publicProfile: {},
};
const organisations = [company] as unknown as readonly OrganisationView[];

describe('the way of a lot', () => {
  const way = (events: readonly EventView[]) => wayOf(events, { organisations, middles: MIDDLES });

  it('goes from the plot to where its lot was used, in the order of time', () => {
    const milling = event({
      eventTime: '2026-09-20T08:00:00Z',
      processType: 'MILL',
      location: MILL,
      inputTokenIds: [1],
      outputTokenIds: [2],
    });
    const { places, moves } = way([milling, event({ location: FARM, metadata: { plot: plotAt('A1', 105.7) } })]);
    expect(places.map(({ name, exact, at, plots }) => [name, exact, at, plots])).toEqual([
      ['Farm', true, [105.7, 10], ['A1']],
      // The position of the site with its GLN.
      ['Mill', true, [106.4, 10.5], []],
    ]);
    expect(moves).toEqual([{ from: '9520000100018', to: '9520000100032', firstAt: '2026-09-20T08:00:00.000Z', lots: 1 }]);
  });

  it('has each plot of an event, the country where no more is known, and what has no position', () => {
    const plots = event({ metadata: { plots: [plotAt('A1', 105), plotAt('A2', 106)] } });
    const elsewhere = event({ eventTime: '2026-09-16T00:00:00Z', location: { name: 'Port', country: 'NL' } });
    const nowhere = event({ eventTime: '2026-09-17T00:00:00Z', location: { name: 'Ship' } });
    expect(way([plots, elsewhere, nowhere]).places.map(({ name, at, exact }) => [name, at, exact])).toEqual([
      ['A1', [105, 10], true],
      ['A2', [106, 10], true],
      ['Port', [5, 52], false],
      ['Ship', null, false],
    ]);
    expect(way([event({ location: { country: 'NL' } })]).places.map(({ name }) => name)).toEqual(['Netherlands']);
  });

  it('shows holders at their place, and one more where the events do not name it', () => {
    const { places } = way([event({ location: MILL })]);
    const shop = { name: 'Shop', organisation: null, amount: '3 pieces' };
    const shown = withHolders(places, [{ name: 'Mill', organisation: organisations[0]!, amount: '7 kg' }, shop], MIDDLES);
    expect(shown.map(({ name, holds, at }) => [name, holds, at])).toEqual([
      ['Mill', '7 kg', [106.4, 10.5]],
      ['Shop', '3 pieces', null],
    ]);
  });
});

describe('the ribbons of a mass flow', () => {
  it('leave from the left, and are as wide as what flows', () => {
    const { nodes, flows, columns } = sankeyOf(
      [
        { from: 'dry', to: 'mill', value: 10 },
        { from: 'harvest', to: 'dry', value: 12 },
        { from: 'dry', to: 'loss', value: 2 },
      ],
      300,
    );
    expect(columns).toBe(3);
    expect(Object.fromEntries(nodes.map(({ key, column, value }) => [key, [column, value]]))).toEqual({
      harvest: [0, 12],
      dry: [1, 12],
      mill: [2, 10],
      loss: [2, 2],
    });
    const width = new Map(flows.map((flow) => [flow.to, flow.width]));
    expect(width.get('mill')! / width.get('dry')!).toBeCloseTo(10 / 12);
    for (const { y, height } of nodes) expect([y >= 0, y + height <= 300]).toEqual([true, true]);
  });

  it('leave out what goes around, the smaller of two', () => {
    const back = [
      { from: 'a', to: 'b', value: 5 },
      { from: 'b', to: 'a', value: 1 },
      { from: 'b', to: 'b', value: 9 },
    ];
    expect(sankeyOf(back, 100).flows.map(({ from, to }) => `${from}>${to}`)).toEqual(['a>b']);
    expect(sankeyOf([], 100)).toMatchObject({ nodes: [], flows: [] });
  });
});
