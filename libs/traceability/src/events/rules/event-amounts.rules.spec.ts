import { describe, expect, it } from '@jest/globals';
import { declaredLossKg, massRules, massSums } from './event-amounts.rules.js';
import type { Line } from '../event-record.js';

const types = { BAG: { massPerUnitKg: 5 }, RICE: {}, CLOTH: {} };
const line = (quantity: number | string | null, uom = 'KGM', assetType = 'RICE', more: Partial<Line> = {}): Line => ({
  ...{ quantity, uom, assetType, consumption: 'full' },
  ...more,
});

describe('the mass of an event', () => {
  it('is what it drew and what it made, in kilograms, main output apart', () => {
    const inputs = [line(2, 'TNE'), line(100, 'LBR'), line(50, 'KGM', 'RICE', { consumption: 'none', quantity: null })];
    expect(massSums({ containmentMode: 0, inputs, outputs: [line(300, 'H87', 'BAG'), line(20), line('0.5')] }, types)).toEqual({
      ...{ inputKg: '2045.359237', mainOutputKg: '1500.000000', coProductKg: '20.500000' },
    });
  });

  it.each<[string, Line[], Line[], object]>([
    ['an input without a quantity', [line(null)], [line(1)], { inputKg: null }],
    ['a unit without a mass', [line(3, 'MTR', 'CLOTH')], [line(1)], { inputKg: null }],
    ['an output that nobody weighed', [line(1)], [line(1), line(null)], { mainOutputKg: '1.000000', coProductKg: null }],
    ['an asset type that the map does not have', [line(1, 'H87', 'toString')], [line(1)], { inputKg: null }],
  ])('is unknown where there is %s', (_, inputs, outputs, expected) => {
    expect(massSums({ containmentMode: 0, inputs, outputs }, types)).toMatchObject(expected);
  });

  it('is nothing for a packing, and for what makes no lots', () => {
    expect(massSums({ containmentMode: 1, inputs: [line(1)], outputs: [line(1)] }, types)).toBeNull();
    expect(massSums({ containmentMode: 0, inputs: [line(1)], outputs: [] }, types)).toBeNull();
  });

  it('counts an exact sum where binary fractions would not', () => {
    const outputs = [line(1), ...Array.from({ length: 10 }, () => line(0.1))];
    expect(massSums({ containmentMode: 0, inputs: [], outputs }, types)).toMatchObject({ inputKg: '0.000000', coProductKg: '1.000000' });
  });

  it.each<[unknown, string | null]>([
    [{}, '0.000000'],
    [{ losses: [{ kind: 'dust', quantity: { value: 2, uom: 'TNE' } }, { quantity: { value: 1, uom: 'GRM' } }] }, '2000.001000'],
    [{ losses: [{ kind: 'dust', quantity: { value: 2, uom: 'MTR' } }] }, null],
    [{ losses: [{ kind: 'dust' }] }, null],
    [{ losses: 'much' }, null],
    [{ losses: [null] }, null],
  ])('reads the losses of %j', (metadata, kilograms) => {
    expect(declaredLossKg(metadata, '/losses')).toBe(kilograms);
  });

  it('is held against what the process says, or its map, or nothing', () => {
    expect(massRules({ yield: { min: 0.6, max: 0.7 }, massBalance: { mode: 'mass', tolerance: 0.01 } }, undefined)).toEqual({
      ...{ yieldMin: 0.6, yieldMax: 0.7, tolerance: 0.01 },
    });
    expect(massRules({ massBalance: { mode: 'mass' } }, { massBalanceTolerance: 0.05 })).toEqual({
      ...{ yieldMin: null, yieldMax: null, tolerance: 0.05 },
    });
    expect(massRules({}, { massBalanceTolerance: 0.05 }).tolerance).toBeNull();
  });
});
