import { describe, expect, it } from '@jest/globals';
import { allOutlines, boxOf, clipped, countryOutlines, landOutlines, middleOfCountry, pointsIn } from './world-map.js';
import { isInCountry } from './country-borders.js';

describe('the map of the world', () => {
  it('has land, and countries by their code', () => {
    expect(landOutlines().length).toBeGreaterThan(100);
    expect(allOutlines().length).toBeGreaterThan(200);
    const vietnam = boxOf(countryOutlines('VN').flat());
    expect([vietnam.west, vietnam.south, vietnam.east, vietnam.north].map(Math.round)).toEqual([102, 9, 109, 23]);
    for (const code of ['XX', 'vn', 'VNM', '', 'Viet Nam']) expect([countryOutlines(code), middleOfCountry(code)]).toEqual([[], null]);
  });

  it.each(['VN', 'US', 'FR', 'RU', 'FJ', 'SG', 'MT', 'AU'])('has a middle of %s', (code) => {
    const [longitude, latitude] = middleOfCountry(code)!;
    // The middle of a box may be in a neighbour, but not on another continent.
    const near = [0, -3, 3, -8, 8].flatMap((x) =>
      [0, -3, 3, -8, 8].map((y) => isInCountry(code, [((longitude + x + 540) % 360) - 180, latitude + y])),
    );
    expect(near).toContain(true);
  });

  it('has no outline that jumps over the 180th meridian', () => {
    const leaps = landOutlines().flatMap((ring) =>
      ring.slice(1).filter(([longitude, latitude], i) => latitude > -85 && Math.abs(longitude - ring[i]![0]) >= 180),
    );
    expect(leaps).toEqual([]);
  });

  it('is clipped to a part of it', () => {
    const square = [
      [0, 0],
      [10, 0],
      [10, 10],
      [0, 10],
    ] as const;
    expect(boxOf(clipped(square, { west: 5, south: -5, east: 20, north: 5 }))).toEqual({ west: 5, south: 0, east: 10, north: 5 });
    expect(clipped(square, { west: 11, south: 0, east: 20, north: 5 })).toEqual([]);
    expect(clipped(square, { west: -1, south: -1, east: 11, north: 11 })).toEqual(square);
  });
});

describe('points in a recorded value', () => {
  it.each<[unknown, unknown[]]>([
    [{ type: 'Point', coordinates: [105.78, 10.03] }, [[105.78, 10.03]]],
    [{ id: 'A1', geometry: { type: 'Point', coordinates: [105.78, 10.03, 4] } }, [[105.78, 10.03, 4].slice(0, 2)]],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [2, 0],
            [2, 4],
            [0, 0],
          ],
        ],
      },
      [[1, 2]],
    ],
    [{ type: 'Point', coordinates: [200, 10] }, []],
    [{ type: 'Point', coordinates: ['1', '2'] }, []],
    [{ type: 'Point', coordinates: [] }, []],
    [{ coordinates: [1, 2] }, []],
    [{ a: { b: { c: { d: { type: 'Point', coordinates: [1, 2] } } } } }, []],
    ['Point', []],
    [null, []],
  ])('of %j are %j', (value, points) => {
    expect(pointsIn(value)).toEqual(points);
  });
});
