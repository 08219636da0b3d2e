import { describe, expect, it } from '@jest/globals';
import { plotFaults } from './plots.js';
import { waterAt } from './waters.js';

type Place = readonly [number, number];
const point = ([longitude, latitude]: Place, more: object = {}) => ({
  geometry: { type: 'Point', coordinates: [longitude + 0.000001, latitude + 0.000001] },
  areaHa: 2,
  country: null,
  ...more,
});
const codes = (place: Place, more: object = {}): string[] => plotFaults(point(place, more)).map(({ code }) => code);

describe('the maps of land and water', () => {
  it.each<[string, Place]>([
    ['Kumasi', [-1.62, 6.69]],
    ['Can Tho', [105.78, 10.03]],
    ['Ca Mau, at the coast', [105.0, 8.7]],
    ['Príncipe, cocoa', [7.4, 1.62]],
    ['Praslin, which coarser maps lack', [55.73, -4.33]],
    ['Bugala in Lake Victoria, oil palms', [32.25, -0.43]],
    ['Ukerewe in Lake Victoria', [33.0, -2.03]],
    ['Samosir in Lake Toba', [98.75, 2.6]],
    ['a polder', [5.5, 52.5]],
  ])('have land at %s', (_, place) => {
    expect(waterAt(place)).toBeNull();
    expect(codes(place)).toEqual([]);
  });

  it.each<[string, Place, 'sea' | 'lake']>([
    ['the Gulf of Guinea', [0.1, 4.5], 'sea'],
    ['the sea off Accra, inside the territory of Ghana', [-0.2, 5.45], 'sea'],
    ['the Caspian Sea', [51, 42], 'sea'],
    ['Lake Victoria', [33, -1], 'lake'],
    ['Lake Izabal', [-89.15, 15.53], 'lake'],
    ['Lake Titicaca', [-69.4, -15.8], 'lake'],
  ])('have water at %s, and no plot', (_, place, kind) => {
    expect(waterAt(place)).toMatchObject({ kind });
    expect(waterAt(place)!.km).toBeGreaterThan(5);
    expect(codes(place)).toEqual(['in_water']);
  });

  it.each<[string, Place]>([
    ['Funafuti', [179.196, -8.52]],
    ['Tarawa', [173.0, 1.35]],
    ['an island of San Blas', [-78.95, 9.56]],
    ['the shore of Lake Balaton', [17.8, 46.85]],
  ])('cannot tell %s from the shore, which warns and refuses nothing', (_, place) => {
    expect(plotFaults(point(place))).toMatchObject([{ code: 'near_water', isWarning: true }]);
  });

  it('lack small islands, and most islands in lakes: their name makes a warning of the refusal', () => {
    for (const [island, place] of [
      ['La Digue', [55.83, -4.36]],
      ['Idjwi', [29.06, -2.1]],
    ] as const) {
      expect(codes(place)).toEqual(['in_water']);
      expect(plotFaults(point(place, { island }))).toMatchObject([
        { code: 'near_water', isWarning: true, message: expect.stringContaining(island) },
      ]);
    }
  });

  it('judge every corner of a polygon', () => {
    const border = [
      [-0.3, 5.3],
      [-0.2, 5.7],
      [-0.4, 5.7],
      [-0.3, 5.3],
    ].map(([x, y]) => [x! + 0.000001, y!]);
    expect(
      plotFaults({ geometry: { type: 'Polygon', coordinates: [border] }, areaHa: null, country: null }).map(({ code }) => code),
    ).toEqual(['in_water']);
  });
});
