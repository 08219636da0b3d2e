import { describe, expect, it } from '@jest/globals';
import type { EventAccount, LotFootprint } from '../../contract.js';
import { type Dossier, type ExportedLot, type Step, mintsOf } from '../dossier.js';
import { exporter as eudr } from './eudr.js';
import { exporter as pact } from './pact.js';
import { exporter as passport } from './untp-dpp.js';

const lot = (tokenId: number, more: Partial<ExportedLot> = {}): ExportedLot => ({
  id: `00000000-0000-5000-8000-00000000000${tokenId}`,
  tokenId,
  tlc: `C-${tokenId}`,
  gtin: null,
  isContainer: false,
  assetType: 'cocoa',
  name: 'Cocoa beans',
  hsCode: '1801.00',
  quantity: '1000',
  uom: 'KGM',
  massKg: 1000,
  createdAt: '2026-11-01T00:00:00.000Z',
  expiresAt: null,
  retireReason: null,
  ...more,
});

const harvest = (tokenId: number, metadata: object, location: object | null = { country: 'GH', name: 'Kumasi' }): Step => ({
  account: {
    event: {
      id: `e${tokenId}`,
      processType: 'HARVEST',
      inputs: [],
      outputs: [{ tokenId, tlc: `C-${tokenId}`, assetType: 'cocoa', quantity: 1000, uom: 'KGM' }],
      eventTime: '2026-10-31T23:30:00.000Z',
      eventTimeZoneOffset: '+07:00',
      location,
      metadata,
      dataHash: null,
      txHash: null,
      ipfsCid: null,
      actor: { address: null, did: null, orgId: 'o1' },
    },
    process: { bizStep: null, disposition: null, fields: {} },
    lots: [],
    contents: [],
  } as unknown as EventAccount,
  label: 'Harvest',
  allocation: null,
  party: { orgId: 'o1', name: 'Kuapa', did: null, lei: null, gln: null },
});

const dossier = (steps: readonly Step[], lots: readonly ExportedLot[] = [lot(1)], footprint: object | null = null): Dossier => ({
  lot: lots[0]!,
  naming: { base: 'https://trace.example', tenant: 'demo' },
  at: new Date('2026-11-28T00:00:00Z'),
  documentId: '00000000-0000-4000-8000-000000000000',
  history: steps,
  mints: mintsOf(steps),
  lots: new Map(lots.map((one) => [one.tokenId, one])),
  shares: new Map(),
  footprint: footprint as LotFootprint | null,
});

const ring = [
  [-1.5, 6.5],
  [-1.4, 6.5],
  [-1.4, 6.6],
  [-1.5, 6.5],
];
const plot = (geometry: object, areaHa = 2): object => ({ id: 'P1', areaHa, geometry });
const point = { type: 'Point', coordinates: [-1.5, 6.123456789] };
const written = (...steps: readonly Step[]): string => eudr.write(dossier(steps));

describe('plots for a due diligence statement', () => {
  it('have six decimals at least and lose none, longitude first', () => {
    expect(written(harvest(1, { plots: [plot(point), plot({ type: 'Polygon', coordinates: [ring] }, 9)] }))).toContain(
      '"coordinates":[-1.500000,6.123456789]',
    );
  });

  it('stand once, however many harvests came from them', () => {
    const both = dossier([harvest(1, { plot: plot(point) }), harvest(2, { plot: plot(point) })], [lot(1), lot(2)]);
    expect((JSON.parse(eudr.write(both)) as { features: object[] }).features).toEqual([
      {
        type: 'Feature',
        properties: { ProducerName: 'Kuapa', ProducerCountry: 'GH', ProductionPlace: 'P1', Area: 2 },
        geometry: point,
      },
    ]);
  });

  it.each<[string, () => Step, RegExp]>([
    ['none is told', () => harvest(1, {}), /C-1; a statement needs the plots of all origins/],
    ['its geometry is hidden', () => harvest(1, { plot: { id: 'P1', areaHa: 1 } }), /C-1/],
    ['a large one is a point', () => harvest(1, { plot: plot(point, 4.01) }), /above 4 ha it must be a polygon/],
    ['its ring is open', () => harvest(1, { plot: plot({ type: 'Polygon', coordinates: [ring.slice(0, 3)] }) }), /not closed/],
    ['it has no coordinates', () => harvest(1, { plot: plot({ type: 'Polygon', coordinates: [] }) }), /longitude and latitude/],
    ['it lies nowhere', () => harvest(1, { plot: plot({ type: 'Point', coordinates: [6.5, 200] }) }), /longitude and latitude/],
    ['it is a line', () => harvest(1, { plot: plot({ type: 'LineString', coordinates: ring }) }), /no point and no polygon/],
    ['nobody knows the country', () => harvest(1, { plot: plot(point) }, null), /country of production/],
  ])('are refused when %s', (_, step, sentence) => {
    expect(() => written(step())).toThrow(sentence);
  });

  it('are refused when an origin is not known at all', () => {
    expect(() => eudr.write(dossier([harvest(1, { plot: plot(point) })], [lot(1), lot(2)]))).toThrow(/C-2/);
  });

  it('of cattle may be points', () => {
    const ranch = dossier([harvest(1, { plot: plot(point, 900) })], [lot(1, { hsCode: '0102.29' })]);
    expect(eudr.write(ranch)).toContain('"Area":900');
  });
});

const carbon = (more: object = {}) => ({
  basis: { massKg: 1000, remainingKg: 1000, quantity: 1000, remaining: 1000, uom: 'KGM' },
  tlc: 'C-1',
  indicators: {
    carbon: {
      total: 2000,
      perKg: 2,
      perUnit: 2,
      lowerBound: false,
      coverage: { mass: 1 },
      primaryDataShare: 50,
      byProcess: { HARVEST: 2000 },
      byCountry: { GH: 2000 },
      missing: [],
      breakdown: { fossil: 500, biogenic: null, landUseChange: 100, biogenicUptake: -3000 },
      ...more,
    },
  },
  method: { gwp: ['AR6'], standards: ['ISO14067', 'house rules'] },
});

describe('a footprint for PACT', () => {
  const footprint = (more?: object, metadata: object = {}, one = lot(1)) =>
    JSON.parse(pact.write(dossier([harvest(1, metadata)], [one], carbon(more)))) as { comment?: string; pcf: Record<string, unknown> };

  it('keeps uptake apart, has its parts by the unit, and knows the standards of PACT only', () => {
    const { comment, pcf } = footprint({}, { fossilCarbonContent: 0 });
    expect(comment).toBeUndefined();
    expect(pcf).toMatchObject({
      declaredUnitOfMeasurement: 'kilogram',
      pcfExcludingBiogenicUptake: '2',
      pcfIncludingBiogenicUptake: '-1',
      biogenicCO2Uptake: '-3',
      fossilGhgEmissions: '0.5',
      landUseChangeGhgEmissions: '0.1',
      fossilCarbonContent: '0',
      crossSectoralStandards: ['ISO14067'],
      primaryDataShare: '50',
    });
  });

  it('says that it is a lower bound, and leaves out what it cannot know', () => {
    const { comment, pcf } = footprint({ lowerBound: true, coverage: { mass: 0.4 }, missing: [{}, {}] });
    expect(comment).toBe(
      'A lower bound: 2 events declare no carbon. Declarations cover 40 % of the mass. Not known and left out: fossilCarbonContent, exemptedEmissionsPercent.',
    );
    expect(pcf).not.toHaveProperty('exemptedEmissionsPercent');
  });

  it('is refused where nobody declared any, and where there is no unit to tell it by', () => {
    expect(() => footprint({ total: null })).toThrow(expect.objectContaining({ code: 'no_footprint' }));
    const unmeasured = { ...carbon(), basis: { massKg: null, quantity: null, uom: null } };
    expect(() => pact.write(dossier([harvest(1, {})], [lot(1)], unmeasured))).toThrow(
      expect.objectContaining({ code: 'no_declared_unit' }),
    );
    expect(() => pact.write(dossier([], [lot(1)], carbon()))).toThrow(expect.objectContaining({ code: 'producer_unknown' }));
  });
});

describe('a UNTP passport', () => {
  const subject = (more?: object) =>
    (JSON.parse(passport.write(dossier([harvest(1, {})], [lot(1)], carbon(more)))) as { credentialSubject: Record<string, any> })
      .credentialSubject;

  it('has no scorecard of a lower bound, which it has no word for', () => {
    expect(subject()['emissionsScorecard']).toMatchObject({ carbonFootprint: 2, primarySourcedRatio: 0.5 });
    expect(subject({ lowerBound: true })).not.toHaveProperty('emissionsScorecard');
  });

  it('tells the day of production where it was', () => {
    expect(subject()['product']).toMatchObject({ productionDate: '2026-11-01', countryOfProduction: 'GH' });
  });
});
