import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CORE_SCHEMA, load } from 'js-yaml';
import { carbonOf, dossierOf, exportedLot, harvested } from '../../testing/dossiers.js';
import { exporter } from './pact.js';

type Document = Readonly<Record<string, unknown>> & { readonly comment?: string; readonly pcf: Record<string, unknown> };

const footprint = (more?: object, metadata: object = { fossilCarbonContent: 0 }, one = exportedLot(1), method?: object): Document =>
  JSON.parse(exporter.write(dossierOf([harvested(1, metadata)], [one], { ...carbonOf(more), ...(method && { method }) }))) as Document;

const missing = (pointer: string, message: RegExp): unknown =>
  expect.objectContaining({
    code: 'export_data_missing',
    details: { errors: [{ pointer, code: 'not_recorded', message: expect.stringMatching(message) }] },
  });

describe('a footprint for PACT', () => {
  it('keeps uptake apart, has its parts by the unit, and knows the standards of PACT only', () => {
    const { comment, pcf } = footprint();
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
      exemptedEmissionsPercent: '0',
      primaryDataShare: '50',
    });
  });

  it('says that no uptake is claimed where none was declared', () => {
    expect(footprint({ breakdown: { fossil: 2000, biogenic: null, landUseChange: null, biogenicUptake: null } })).toMatchObject({
      comment: 'No biogenic uptake was declared and none is claimed.',
      pcf: { pcfIncludingBiogenicUptake: '2' },
    });
  });

  it('is refused where it is a lower bound, and names what nobody declared', () => {
    expect(() => footprint({ lowerBound: true, coverage: { mass: 0.4 }, missing: [{}, {}] })).toThrow(
      missing('/pcf/exemptedEmissionsPercent', /^the carbon of 2 events, without which .* cover 40 % of the mass$/),
    );
    expect(() => footprint({}, {})).toThrow(missing('/pcf/fossilCarbonContent', /of the event that made the lot/));
    expect(() => footprint({}, undefined, undefined, { gwp: [], standards: ['PEF'] })).toThrow(
      missing('/pcf/ipccCharacterizationFactors', /AR6/),
    );
    expect(() => footprint({}, undefined, undefined, { gwp: ['AR6'], standards: ['house rules'] })).toThrow(
      missing('/pcf/crossSectoralStandards', /ISO14067/),
    );
  });

  it.each([
    ['nobody told the parts', { fossil: null, biogenic: null, landUseChange: null, biogenicUptake: null }],
    ['only some told theirs', { fossil: 500, biogenic: null, landUseChange: 100, biogenicUptake: null }],
  ])('is refused where %s: what is fossil is not known', (_, breakdown) => {
    expect(() => footprint({ breakdown })).toThrow(missing('/pcf/fossilGhgEmissions', /the fossil part of every event/));
  });

  it('is refused where nobody declared any, and where there is no unit to tell it by', () => {
    expect(() => footprint({ total: null })).toThrow(expect.objectContaining({ code: 'no_footprint' }));
    const unmeasured = { ...carbonOf(), basis: { massKg: null, quantity: null, uom: null } };
    expect(() => exporter.write(dossierOf([harvested(1, {})], [exportedLot(1)], unmeasured))).toThrow(
      expect.objectContaining({ code: 'no_declared_unit' }),
    );
    expect(() => exporter.write(dossierOf([], [exportedLot(1)], carbonOf()))).toThrow(
      expect.objectContaining({ code: 'producer_unknown' }),
    );
  });
});

const given = new URL('../../../../../../../shared/data/pact/openapi-v3.yaml', import.meta.url);

(existsSync(given) ? describe : describe.skip)('by the schema of PACT v3', () => {
  const valid = () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(load(readFileSync(given, 'utf8'), { schema: CORE_SCHEMA }) as object, 'pact');
    return ajv.compile({ $ref: 'pact#/components/schemas/ProductFootprint' });
  };

  it.each<[string, () => Document]>([
    ['a kilogram', () => footprint()],
    ['a piece', () => footprint({}, undefined, exportedLot(1, { gtin: '09520123450014', uom: 'H87', hsCode: null }))],
    [
      'no part but the fossil one',
      () => footprint({ breakdown: { fossil: 2000, biogenic: null, landUseChange: null, biogenicUptake: null } }),
    ],
    [
      'nothing emitted',
      () =>
        footprint({
          total: 0,
          perKg: 0,
          perUnit: 0,
          primaryDataShare: null,
          byCountry: {},
          byProcess: {},
          breakdown: { fossil: 0, biogenic: null, landUseChange: null, biogenicUptake: -0.0000001 },
        }),
    ],
    ['several countries', () => footprint({ byCountry: { GH: 1, CI: 2 } }, { fossilCarbonContent: 0.25, productDescription: '' })],
  ])('%s is valid', (_, document) => {
    const check = valid();
    check(document());
    expect(check.errors ?? []).toEqual([]);
  });
});
