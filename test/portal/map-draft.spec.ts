import { describe, expect, it } from '@jest/globals';
import { fieldsIn, inFlow, nextVersion, withField, withoutField } from '../../apps/portal/src/pages/admin/map-draft.js';

const SCHEMA = {
  required: ['variety', 'plot'],
  properties: {
    variety: { type: 'string', minLength: 1, maxLength: 80 },
    plot: { $ref: '#/$defs/plot' },
    method: { enum: ['manual', 'combine'] },
    moisture: { type: 'number', minimum: 10, maximum: 35 },
  },
};
const fieldOf = (key: string) => fieldsIn(SCHEMA).find((field) => field.key === key)!;

describe('fields of a process map in the editor', () => {
  it('are read with their types; parts with parts of their own are left alone', () => {
    expect(fieldsIn(SCHEMA).map(({ key, type, required }) => [key, type, required])).toEqual([
      ['variety', 'text', true],
      ['plot', 'other', true],
      ['method', 'choice', false],
      ['moisture', 'number', false],
    ]);
    expect(withField(SCHEMA, fieldOf('plot'))).toMatchObject({ properties: { plot: { $ref: '#/$defs/plot' } } });
  });

  it('are written back as they were', () => {
    for (const field of fieldsIn(SCHEMA)) expect(withField(SCHEMA, field).properties).toEqual(SCHEMA.properties);
  });

  it('change alone: a limit that was emptied goes, a type that changes keeps nothing of the old one', () => {
    expect(withField(SCHEMA, { ...fieldOf('moisture'), minimum: '', maximum: '40' }).properties?.['moisture']).toEqual({
      ...{ type: 'number', maximum: 40 },
    });
    expect(withField(SCHEMA, { ...fieldOf('variety'), type: 'choice', choices: ['a', 'b'] }).properties?.['variety']).toEqual({
      enum: ['a', 'b'],
    });
    expect(withField(SCHEMA, { ...fieldOf('method'), required: true }).required).toEqual(['variety', 'plot', 'method']);
  });

  it('are removed with their requirement', () => {
    const { properties, required } = withoutField(SCHEMA, 'variety');
    expect([Object.keys(properties!), required]).toEqual([['plot', 'method', 'moisture'], ['plot']]);
  });

  it('belong to a next version', () => {
    expect(['1.0.0', '2.9.3'].map(nextVersion)).toEqual(['1.1.0', '2.10.0']);
  });

  it('are in the order in which goods go through their processes', () => {
    const made = (assetTypes: readonly string[], assetType?: string) => ({
      ...{ label: '', kind: '', metadataSchema: {} },
      inputs: { max: assetTypes.length === 0 ? 0 : 1, assetTypes },
      outputs: { max: 1, ...(assetType !== undefined && { assetType }) },
    });
    const order = inFlow({ pack: made(['rice'], 'bag'), ship: made(['*']), mill: made(['paddy'], 'rice'), harvest: made([], 'paddy') });
    expect(order.map(([processType]) => processType)).toEqual(['harvest', 'mill', 'pack', 'ship']);
  });
});
