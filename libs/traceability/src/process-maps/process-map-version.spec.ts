import { describe, expect, it } from '@jest/globals';
import { processMapTemplates } from '../templates/templates.js';
import { isHigher, versionProblems } from './process-map-version.js';

const rice = processMapTemplates[0]!;

function changed(version: string, change: (map: any) => void): string[] {
  const map = structuredClone(rice) as any;
  map.version = version;
  change(map);
  return versionProblems(rice, map).map(({ code, pointer }) => `${code} ${pointer}`);
}

const harvest = (map: any): any => map.processes.RICE_HARVESTING;
const fields = (map: any): any => harvest(map).metadataSchema.properties;
const AT = '/processes/RICE_HARVESTING';

describe('a new version of a process map', () => {
  it.each<[string, (map: any) => void]>([
    ['a label', (map) => (harvest(map).label = 'Bring in the harvest')],
    ['a description', (map) => (map.description = 'Other words')],
    ['a title in a schema', (map) => (harvest(map).metadataSchema.title = 'Harvest')],
    ["an asset type's name", (map) => (map.assetTypes.RICE_BRAN.name = 'Bran')],
  ])('as a patch changes %s', (_, change) => expect(changed('1.0.1', change)).toEqual([]));

  it.each<[string, (map: any) => void, string]>([
    ['a limit', (map) => (fields(map).moisturePercent.maximum = 40), `${AT}/metadataSchema/properties/moisturePercent/maximum`],
    ['a role', (map) => harvest(map).requiredRoles.push('ADMIN'), `${AT}/requiredRoles`],
    ['a field named title', (map) => (fields(map).title = { type: 'string' }), `${AT}/metadataSchema/properties/title`],
  ])('as a patch does not change %s', (_, change, pointer) => expect(changed('1.0.1', change)).toEqual([`not_a_patch ${pointer}`]));

  it.each<[string, (map: any) => void]>([
    ['a process', (map) => (map.processes.RICE_SORTING = structuredClone(map.processes.RICE_DRYING))],
    ['an optional field', (map) => (fields(map).gps = { type: 'string' })],
    ['a wider limit', (map) => Object.assign(fields(map).moisturePercent, { minimum: 5, maximum: 40 })],
    ['a value of an enumeration', (map) => fields(map).method.enum.push('drone')],
    ['a field that is no longer required', (map) => harvest(map).metadataSchema.required.pop()],
    ['more inputs', (map) => (map.processes.RICE_DRYING.inputs.max = null)],
    ['another role', (map) => harvest(map).requiredRoles.push('COMPLIANCE')],
  ])('as a minor brings %s', (_, change) => expect(changed('1.1.0', change)).toEqual([]));

  it.each<[string, (map: any) => void, string]>([
    ['drop a process', (map) => delete map.processes.RICE_DISPOSAL, '/processes/RICE_DISPOSAL'],
    ['require a field', (map) => harvest(map).metadataSchema.required.push('season'), `${AT}/metadataSchema/required`],
    ['narrow a limit', (map) => (fields(map).moisturePercent.maximum = 30), `${AT}/metadataSchema/properties/moisturePercent/maximum`],
    ['take away a value', (map) => fields(map).method.enum.pop(), `${AT}/metadataSchema/properties/method/enum`],
    ['change a shared definition', (map) => map.$defs.location.required.push('phone'), '/$defs/location/required'],
    ['close an object', (map) => (harvest(map).metadataSchema.additionalProperties = false), `${AT}/metadataSchema/additionalProperties`],
    ['change what an asset is measured in', (map) => (map.assetTypes.RICE_BRAN.uom = 'TNE'), '/assetTypes/RICE_BRAN/uom'],
    ['take fewer inputs', (map) => (map.processes.RICE_DRYING.inputs.max = 10), '/processes/RICE_DRYING/inputs/max'],
    [
      'take another asset type',
      (map) => (map.processes.RICE_DRYING.inputs.assetTypes = ['RICE_BRAN']),
      '/processes/RICE_DRYING/inputs/assetTypes',
    ],
    ['change the pattern of codes', (map) => (harvest(map).tlc.pattern = '^X$'), `${AT}/tlc/pattern`],
    ['find a value elsewhere', (map) => (harvest(map).fields = { geo: '/plot' }), `${AT}/fields`],
  ])('below a major does not %s', (_, change, pointer) => {
    expect(changed('1.1.0', change)).toEqual([`breaking_change ${pointer}`]);
    expect(changed('2.0.0', change)).toEqual([]);
  });
});

describe('the version of a process map', () => {
  it.each<[string, string, boolean]>([
    ['1.0.1', '1.0.0', true],
    ['1.0.10', '1.0.9', true],
    ['2.0.0', '1.99.99', true],
    ['1.0.0', '1.0.0', false],
    ['1.9.9', '2.0.0', false],
    ['999999999.0.0', '99999999999999999999.0.0', false],
    ['999999999.999999999.999999999', '999999999.999999999.999999998', true],
  ])('%s is higher than %s: %s', (version, than, higher) => expect(isHigher(version, than)).toBe(higher));
});
