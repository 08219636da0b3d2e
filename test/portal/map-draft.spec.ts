import { describe, expect, it } from '@jest/globals';
import {
  fieldsIn,
  groupIn,
  inFlow,
  nextVersion,
  usersOf,
  withField,
  withGroup,
  withoutField,
} from '../../apps/portal/src/pages/admin/map-draft.js';

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

  it('are those of a group too: of the process alone, of a list, or shared by processes', () => {
    const inner = { type: 'object', properties: { row: { type: 'integer' } } };
    const $defs = { plot: { type: 'object', properties: { id: { type: 'string' }, place: { $ref: '#/$defs/place' } } }, place: inner };
    const schema = {
      properties: { own: inner, many: { type: 'array', items: inner }, plot: { $ref: '#/$defs/plot' }, name: { type: 'string' } },
    };
    expect(['own', 'many', 'plot', 'name'].map((key) => groupIn(schema, key, $defs))).toEqual([
      { schema: inner, shared: null, isList: false },
      { schema: inner, shared: null, isList: true },
      { schema: $defs.plot, shared: 'plot', isList: false },
      null,
    ]);
    const longer = withField(inner, { ...fieldOf('variety'), key: 'side' });
    expect(withGroup(schema, 'own', groupIn(schema, 'own')!, longer).properties).toMatchObject({
      own: longer,
      many: schema.properties.many,
    });
    expect(withGroup(schema, 'many', groupIn(schema, 'many')!, longer).properties).toMatchObject({
      many: { type: 'array', items: longer },
    });
    const process = (label: string, metadataSchema: object) => ({
      ...{ label, kind: '', metadataSchema },
      inputs: { min: 0, max: 0, assetTypes: [], consumption: 'none' },
      outputs: { min: 0, max: 0 },
    });
    const map = {
      ...{ name: '', version: '1.0.0', assetTypes: {}, $defs },
      processes: { a: process('Harvest', schema), b: process('Mill', {}) },
    };
    expect([usersOf(map, 'place'), usersOf(map, 'other')]).toEqual([['Harvest'], []]);
  });

  it('belong to a next version', () => {
    expect(['1.0.0', '2.9.3'].map(nextVersion)).toEqual(['1.1.0', '2.10.0']);
  });

  it('are in the order in which goods go through their processes', () => {
    const made = (assetTypes: readonly string[], assetType?: string) => ({
      ...{ label: '', kind: '', metadataSchema: {} },
      inputs: { min: 0, max: assetTypes.length === 0 ? 0 : 1, assetTypes, consumption: 'full' },
      outputs: { min: 0, max: 1, ...(assetType !== undefined && { assetType }) },
    });
    const order = inFlow({ pack: made(['rice'], 'bag'), ship: made(['*']), mill: made(['paddy'], 'rice'), harvest: made([], 'paddy') });
    expect(order.map(([processType]) => processType)).toEqual(['harvest', 'mill', 'pack', 'ship']);
  });
});
