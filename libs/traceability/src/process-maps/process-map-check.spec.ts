import { describe, expect, it } from '@jest/globals';
import { processMapPacks, processMapSchema, processMapTemplates } from '../templates/templates.js';
import { ProcessMapCheck } from './process-map-check.js';

const check = new ProcessMapCheck(processMapSchema);
const rice = processMapTemplates[0]!;

/** The rice map with one process only, changed. */
function harvestMap(change: (map: any) => void): unknown {
  const map = structuredClone(rice) as any;
  map.processes = { RICE_HARVESTING: map.processes.RICE_HARVESTING };
  change(map);
  return map;
}

const schemaOf = (map: any): any => map.processes.RICE_HARVESTING.metadataSchema;
const found = (change: (map: any) => void): string[] => check.problems(harvestMap(change)).map(({ code, pointer }) => `${code} ${pointer}`);
const SCHEMA = '/processes/RICE_HARVESTING/metadataSchema';

describe('a process map that is to be published', () => {
  it.each([...processMapTemplates, ...processMapPacks].map((map) => [map.key, map]))('may be the template %s', (_, map) =>
    expect(check.problems(map)).toEqual([]),
  );

  it.each<[string, (map: any) => void, string[]]>([
    ['no version', (map) => delete map.version, ['required /version']],
    [
      'an unknown key',
      (map) => (map.processes.RICE_HARVESTING.metdataSchema = {}),
      ['unknown_field /processes/RICE_HARVESTING/metdataSchema'],
    ],
    ['a wrong kind', (map) => (map.processes.RICE_HARVESTING.kind = 'growing'), ['not_allowed_value /processes/RICE_HARVESTING/kind']],
    [
      'a creation with inputs',
      (map) => (map.processes.RICE_HARVESTING.inputs.max = 3),
      ['not_allowed_value /processes/RICE_HARVESTING/inputs/max'],
    ],
    [
      'an unknown asset type',
      (map) => (map.processes.RICE_HARVESTING.outputs.assetType = 'WHEAT'),
      ['unknown_asset_type /processes/RICE_HARVESTING/outputs/assetType'],
    ],
    [
      'keys that differ by case',
      (map) => (map.processes.rice_harvesting = map.processes.RICE_HARVESTING),
      ['duplicate_process_type /processes/rice_harvesting'],
    ],
    [
      'a GTIN with a wrong check digit',
      (map) => (map.assetTypes.RICE_PACKED_5KG.gtin = '09520123450015'),
      ['wrong_check_digit /assetTypes/RICE_PACKED_5KG/gtin'],
    ],
    [
      'passports of a model without a GTIN',
      (map) => (map.assetTypes.RICE_PADDY_WET.granularity = 'model'),
      ['model_without_gtin /assetTypes/RICE_PADDY_WET/granularity'],
    ],
    [
      'a successor that is no goods with passports',
      (map) => (map.processes.RICE_HARVESTING.successor = true),
      ['successor_without_passport /processes/RICE_HARVESTING/successor'],
    ],
    [
      'data elements of one name, of a name of the header, without a value and with two',
      (map) =>
        (map.assetTypes.RICE_PACKED_5KG.dataElements = [
          { id: 'one', path: '/one' },
          { id: 'one', elements: [{ id: 'x' }] },
          { id: 'granularity', value: 'x' },
          { id: 'two', path: '/two', value: 2 },
        ]),
      [
        'reserved_name /assetTypes/RICE_PACKED_5KG/dataElements/2/id',
        'duplicate_element /assetTypes/RICE_PACKED_5KG/dataElements/1/id',
        'element_without_value /assetTypes/RICE_PACKED_5KG/dataElements/1/elements/0',
        'two_values /assetTypes/RICE_PACKED_5KG/dataElements/3/value',
      ],
    ],
    [
      'data elements that are nested too deep',
      (map) => {
        let inner: object = { id: 'a', path: '/a' };
        for (let i = 0; i < 9; i++) inner = { id: 'a', elements: [inner] };
        map.assetTypes.RICE_PACKED_5KG.dataElements = [inner];
      },
      [`too_deep /assetTypes/RICE_PACKED_5KG/dataElements${'/0/elements'.repeat(8)}`],
    ],
    [
      'a pointer of 257 characters',
      (map) => (map.processes.RICE_HARVESTING.fields = { documents: `/${'a'.repeat(256)}` }),
      ['out_of_range /processes/RICE_HARVESTING/fields/documents'],
    ],
    [
      'a name of an asset type of 201 characters',
      (map) => (map.assetTypes.RICE_PACKED_5KG.name = 'a'.repeat(201)),
      ['out_of_range /assetTypes/RICE_PACKED_5KG/name'],
    ],
    [
      'a label of 201 characters',
      (map) => (map.processes.RICE_HARVESTING.label = 'a'.repeat(201)),
      ['out_of_range /processes/RICE_HARVESTING/label'],
    ],
    ['a version with a part of ten digits', (map) => (map.version = '1.1234567890.0'), ['pattern_mismatch /version']],
    [
      'a duration that no time can be added to',
      (map) => (map.defaults.lateAfter = 'P99999999999Y'),
      ['pattern_mismatch /defaults/lateAfter'],
    ],
    [
      'a schema that fetches another',
      (map) => (schemaOf(map).properties.x = { $ref: 'https://example.org/s.json' }),
      [`remote_reference ${SCHEMA}/properties/x/$ref`],
    ],
    [
      'a reference to nothing',
      (map) => (schemaOf(map).properties.x = { $ref: '#/$defs/nothing' }),
      [`dangling_reference ${SCHEMA}/properties/x/$ref`],
    ],
    [
      'a reference with percent signs that escape nothing',
      (map) => (schemaOf(map).properties.x = { $ref: '#/$defs/%E0%A4%A' }),
      [`dangling_reference ${SCHEMA}/properties/x/$ref`],
    ],
    ['an unknown keyword', (map) => (schemaOf(map).properties.x = { tpye: 'string' }), [`bad_schema ${SCHEMA}`]],
    [
      'a regular expression that is none',
      (map) => (schemaOf(map).properties.x = { type: 'string', pattern: '(' }),
      [`bad_pattern ${SCHEMA}/properties/x/pattern`],
    ],
    [
      'a code pattern that looks ahead',
      (map) => (map.processes.RICE_HARVESTING.tlc.pattern = '^(?!X)[A-Z]+$'),
      ['pattern_not_linear /processes/RICE_HARVESTING/tlc/pattern'],
    ],
    [
      'a name pattern that refers back',
      (map) => (schemaOf(map).patternProperties = { [String.raw`^(a|b)\1$`]: {} }),
      [`pattern_not_linear ${SCHEMA}/patternProperties`],
    ],
    [
      'a pattern with too many instructions',
      (map) => (schemaOf(map).properties.x = { type: 'string', pattern: '^(?:[a-z]{1,50}[0-9]{1,50}){15}$' }),
      [`schema_too_costly ${SCHEMA}/properties/x/pattern`],
    ],
    [
      'a pattern of 513 characters',
      (map) => (map.processes.RICE_HARVESTING.tlc.pattern = 'a'.repeat(513)),
      ['pattern_too_long /processes/RICE_HARVESTING/tlc/pattern'],
    ],
  ])('has no %s', (_, change, expected) => expect(found(change)).toEqual(expected));

  it.each(['^(a+)+$', '^([a-z]+)*$', '(x+x+)+y', '^(a|a)*$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'may have a pattern that backtracking engines never end with: %s',
    (pattern) => expect(found((map) => (schemaOf(map).properties.x = { type: 'string', pattern }))).toEqual([]),
  );

  it('has no definition that refers back to itself', () => {
    expect(
      found(
        (map) =>
          Object.assign(map.$defs, { loop: { allOf: [{ $ref: '#/$defs/loop' }] } }) &&
          (schemaOf(map).properties.x = { $ref: '#/$defs/loop' }),
      ),
    ).toEqual([expect.stringMatching(/^recursive_schema /)]);
  });

  it('has no definitions that double at every level', () => {
    const doubled = (map: any) => {
      for (let i = 0; i < 30; i++) map.$defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
      map.$defs.d30 = { type: 'string' };
      schemaOf(map).properties.x = { $ref: '#/$defs/d0' };
    };
    expect(found(doubled)).toEqual([`schema_too_costly ${SCHEMA}`]);
  });

  it('is not nested deeper than 32 levels', () => {
    let deep: object = { type: 'string' };
    for (let i = 0; i < 40; i++) deep = { type: 'object', properties: { x: deep } };
    expect(found((map) => (schemaOf(map).properties.x = deep))).toEqual([expect.stringMatching(/^schema_too_deep /)]);
  });

  const wide = (parts: number) => ({ type: 'number', allOf: Array.from({ length: parts }, () => ({ minimum: 0 })) });

  it('has at most 5,000 parts in a schema', () => {
    expect(found((map) => (schemaOf(map).properties.x = wide(5000)))).toEqual([`schema_too_costly ${SCHEMA}`]);
  });

  it('has at most 20,000 parts in all of its schemas, however often they are shared', () => {
    const shared = (map: any) => {
      map.$defs.wide = wide(4500);
      const harvest = map.processes.RICE_HARVESTING;
      map.processes = Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [`P_${i}`, { ...harvest, metadataSchema: { properties: { x: { $ref: '#/$defs/wide' } } } }]),
      );
    };
    expect(found(shared)).toEqual(['schema_too_costly /processes']);
  });

  it('says which process it checks', () => {
    const seen = new Set<string>();
    check.problems(rice, (pointer) => seen.add(pointer));
    expect([...seen]).toEqual(Object.keys(rice.processes).map((key) => `/processes/${key}/metadataSchema`));
  });
});
