import { describe, expect, it } from '@jest/globals';
import { processMapSchema, processMapTemplates } from '../templates/templates.js';
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
  it.each(processMapTemplates.map((map) => [map.key, map]))('may be the template %s', (_, map) => expect(check.problems(map)).toEqual([]));

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
      'a code pattern that never ends',
      (map) => (map.processes.RICE_HARVESTING.tlc.pattern = '^(A+)+$'),
      ['unsafe_pattern /processes/RICE_HARVESTING/tlc/pattern'],
    ],
    [
      'a pattern of 513 characters',
      (map) => (map.processes.RICE_HARVESTING.tlc.pattern = 'a'.repeat(513)),
      ['pattern_too_long /processes/RICE_HARVESTING/tlc/pattern'],
    ],
  ])('has no %s', (_, change, expected) => expect(found(change)).toEqual(expected));

  it.each(['^(a+)+$', '^([a-z]+)*$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])('has no pattern that backtracks for ever: %s', (pattern) =>
    expect(found((map) => (schemaOf(map).properties.x = { type: 'string', pattern }))).toEqual([
      `unsafe_pattern ${SCHEMA}/properties/x/pattern`,
    ]),
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

  it('has no definitions that double at every step', () => {
    const doubled = (map: any) => {
      for (let i = 0; i < 30; i++) map.$defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
      map.$defs.d30 = { type: 'string' };
      schemaOf(map).properties.x = { $ref: '#/$defs/d0' };
    };
    expect(found(doubled)).toEqual([`schema_too_large ${SCHEMA}`]);
  });

  it('is not nested deeper than 32 levels', () => {
    let deep: object = { type: 'string' };
    for (let i = 0; i < 40; i++) deep = { type: 'object', properties: { x: deep } };
    expect(found((map) => (schemaOf(map).properties.x = deep))).toEqual([expect.stringMatching(/^schema_too_deep /)]);
  });
});
