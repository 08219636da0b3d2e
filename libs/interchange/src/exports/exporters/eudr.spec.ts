import { describe, expect, it } from '@jest/globals';
import { dossierOf, exportedLot, harvested } from '../../testing/dossiers.js';
import type { HistoryEntry } from '../dossier.js';
import { exporter } from './eudr.js';

/** 10.9 ha near Kumasi. */
const border = [
  [-1.500001, 6.500001],
  [-1.497001, 6.500001],
  [-1.497001, 6.502971],
  [-1.500001, 6.502971],
  [-1.500001, 6.500001],
] as const;
const plot = (geometry: object, areaHa = 2, more: object = {}): object => ({ id: 'P1', areaHa, geometry, ...more });
const polygon = (...rings: unknown[]): object => ({ type: 'Polygon', coordinates: rings });
const point = { type: 'Point', coordinates: [-1.5, 6.123456789] };
const written = (...history: readonly HistoryEntry[]): string => exporter.write(dossierOf(history));
const crossing = [border[0], border[2], border[1], border[3], border[0]];

describe('plots for a due diligence statement', () => {
  it('have the decimals that were recorded, longitude first and without height', () => {
    const text = written(
      harvested(1, { plots: [plot({ type: 'Point', coordinates: [-1.5, 6.123456789, 250] }), plot(polygon(border), 10.9)] }),
    );
    expect(text).toContain('"coordinates":[-1.5,6.123456789]');
    expect(text).toContain('"coordinates":[[[-1.500001,6.500001],[-1.497001,6.500001],');
  });

  it('appear once, however many harvests came from them', () => {
    const both = dossierOf([harvested(1, { plot: plot(point) }), harvested(2, { plot: plot(point) })], [exportedLot(1), exportedLot(2)]);
    expect((JSON.parse(exporter.write(both)) as { features: object[] }).features).toEqual([
      { type: 'Feature', properties: { ProducerName: 'Kuapa', ProducerCountry: 'GH', ProductionPlace: 'P1', Area: 2 }, geometry: point },
    ]);
  });

  it.each<[string, () => HistoryEntry, RegExp]>([
    ['none is stated', () => harvested(1, {}), /C-1; a statement needs the plots of all origins/],
    ['its geometry is hidden', () => harvested(1, { plot: { id: 'P1', areaHa: 1 } }), /C-1/],
    ['a large one is a point', () => harvested(1, { plot: plot(point, 4.01) }), /plot P1 of C-1, .*above 4 ha it must be a polygon/],
    ['its ring is open', () => harvested(1, { plot: plot(polygon(border.slice(0, 4)), 10.9) }), /not closed/],
    ['its ring crosses itself', () => harvested(1, { plot: plot(polygon(crossing), 10.9) }), /crosses itself/],
    ['a hole crosses its border', () => harvested(1, { plot: plot(polygon(border, crossing), 10.9) }), /crosses itself/],
    [
      'it encloses nothing',
      () => harvested(1, { plot: plot(polygon([border[0], border[1], border[0], border[0]]), 1) }),
      /encloses nothing/,
    ],
    [
      'it is larger than declared',
      () => harvested(1, { plot: plot(polygon(border), 3) }),
      /its polygon has 10\.9 ha, and 3 ha were declared/,
    ],
    ['it has no coordinates', () => harvested(1, { plot: plot(polygon()) }), /neither a point nor a polygon/],
    [
      'it is nowhere on earth',
      () => harvested(1, { plot: plot({ type: 'Point', coordinates: [6.123456, 200] }) }),
      /longitude and latitude/,
    ],
    ['it is a line', () => harvested(1, { plot: plot({ type: 'LineString', coordinates: border }) }), /neither a point nor a polygon/],
    ['nobody knows the country', () => harvested(1, { plot: plot(point) }, null), /country of production/],
    ['it is in another country', () => harvested(1, { plot: plot(point) }, { country: 'GT' }), /\(-1\.5000, 6\.1235\) is outside GT/],
    ['it is in the open sea', () => harvested(1, { plot: plot({ type: 'Point', coordinates: [0.123456, 0.123456] }) }), /is outside GH/],
    [
      'it is in the sea of its country',
      () => harvested(1, { plot: plot({ type: 'Point', coordinates: [-0.200001, 5.450001] }) }),
      /P1 of C-1, its point \(-0\.2000, 5\.4500\) is in the sea on the map, more than 5 km from land/,
    ],
    [
      'it is in a lake',
      () => harvested(1, { plot: plot({ type: 'Point', coordinates: [33.000001, -1.000001] }) }, { country: 'UG' }),
      /is in a lake on the map/,
    ],
    [
      'it has two decimals',
      () => harvested(1, { plot: plot({ type: 'Point', coordinates: [-1.47, 6.32] }) }),
      /P1 of C-1, its coordinates have 2 decimals, and not 6/,
    ],
    [
      'forest was cleared there later',
      () => harvested(1, { plot: plot(point, 2, { deforestationFreeSince: '2021-03-01' }) }),
      /since 2021-03-01, after the cut-off date 2020-12-31/,
    ],
    ['the day of clearing is no date', () => harvested(1, { plot: plot(point), deforestationFreeSince: 'long ago' }), /not a date/],
  ])('are refused when %s', (_, event, sentence) => {
    expect(() => written(event())).toThrow(sentence);
  });

  it('are refused when an origin is not known at all', () => {
    expect(() => exporter.write(dossierOf([harvested(1, { plot: plot(point) })], [exportedLot(1), exportedLot(2)]))).toThrow(/C-2/);
  });

  it('at a shore are exported with a warning, as are those on an island that the map lacks', () => {
    const small = { type: 'Point', coordinates: [55.830001, -4.360001] };
    const warned = (...one: Parameters<typeof plot>): unknown =>
      (JSON.parse(written(harvested(1, { plot: plot(...one) }, { country: 'SC' }))) as { statement: { warnings?: unknown } }).statement
        .warnings;
    expect(() => warned(small)).toThrow(/name it in island/);
    expect(warned(small, 2, { island: 'La Digue' })).toEqual([expect.stringMatching(/^plot P1 of C-1: .*lacks the island La Digue/)]);
    expect(warned({ type: 'Point', coordinates: [55.730001, -4.330001] })).toBeUndefined();
  });

  it('of cattle may be points', () => {
    const ranch = dossierOf([harvested(1, { plot: plot(point, 900) })], [exportedLot(1, { hsCode: '0102.29' })]);
    expect(exporter.write(ranch)).toContain('"Area":900');
  });
});

describe('the goods of a due diligence statement', () => {
  const statement = (metadata: object, more: object = {}): object =>
    (
      JSON.parse(exporter.write(dossierOf([harvested(1, { plot: plot(point), ...metadata })], [exportedLot(1, more)]))) as {
        statement: object;
      }
    ).statement;

  it('have code, mass, date, country, cut-off and the statements that were filed', () => {
    const dds = { referenceNumber: '26GHKUAPA00017', verificationNumber: 'AB12CD34' };
    expect(statement({ dds, productionPeriod: { from: '2026-09-01', to: '2026-10-15' }, deforestationFreeSince: '2014-01-01' })).toEqual({
      regulation: 'Regulation (EU) 2023/1115',
      lot: 'C-1',
      description: 'Cocoa beans',
      hsCode: '1801.00',
      netMassKg: 1000,
      quantity: 1000,
      uom: 'KGM',
      countriesOfProduction: ['GH'],
      producedFrom: '2026-09-01',
      producedTo: '2026-10-15',
      cutOff: '2020-12-31',
      dueDiligenceStatements: [dds],
      origins: [{ lot: 'C-1', hsCode: '1801.00', netMassKg: 1000, from: '2026-09-01', to: '2026-10-15', plots: 1 }],
      notRecorded: [],
    });
  });

  it('are dated by their event where nothing else says the day, and name what nobody recorded', () => {
    expect(statement({})).toMatchObject({
      producedFrom: '2026-11-01',
      producedTo: '2026-11-01',
      notRecorded: ['deforestationFreeSince', 'dds'],
    });
  });

  it.each<[string, object, object, string, string]>([
    ['no HS code', {}, { hsCode: null }, 'export_data_missing', '/statement/hsCode'],
    ['no mass', {}, { massKg: null }, 'export_data_missing', '/statement/netMassKg'],
    ['a day after the harvest', { productionDate: '2027-01-01' }, {}, 'export_data_unfit', '/statement/origins/0/from'],
    ['a day that does not exist', { productionDate: '2026-02-30' }, {}, 'export_data_unfit', '/statement/origins/0/from'],
    [
      'a period backwards',
      { productionPeriod: { from: '2026-10-02', to: '2026-10-01' } },
      {},
      'export_data_unfit',
      '/statement/origins/0/from',
    ],
    [
      'a reference that is none',
      { dds: { referenceNumber: 'see mail' } },
      {},
      'export_data_unfit',
      '/statement/dueDiligenceStatements/0/referenceNumber',
    ],
  ])('are refused with %s', (_, metadata, more, code, pointer) => {
    expect(() => statement(metadata, more)).toThrow(
      expect.objectContaining({ code, status: 422, details: { errors: [expect.objectContaining({ pointer })] } }),
    );
  });
});
