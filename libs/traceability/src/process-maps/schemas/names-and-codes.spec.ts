import { describe, expect, it } from '@jest/globals';
import { wrongNames } from './names-and-codes.js';

const found = (members: object): string[] => wrongNames(members as Record<string, unknown>).map(({ name, code }) => `${name} ${code}`);

describe('names of places, countries and units', () => {
  it.each<[string, object, string[]]>([
    ['a GLN and its link', { id: 'https://id.gs1.org/414/9520000100018', gln: '9520000100018', country: 'VN' }, []],
    ['a part of a place', { id: 'https://id.gs1.org/414/9520000100018/254/dock 2', gln: '9520000100018' }, []],
    ['a link of another resolver', { id: 'https://farm.example/gs1/417/9520000100018', gln: '9520000100018' }, []],
    ['an EPC URI', { id: 'urn:epc:id:sgln:952000010.001.0', gln: '9520000100018' }, []],
    ['a place without a GLN', { id: 'geo:10.03,105.78', country: 'VN' }, []],
    ['a wrong check digit in the link', { id: 'https://id.gs1.org/414/9520000100017' }, ['id wrong_check_digit']],
    ['another place in the link', { id: 'https://id.gs1.org/414/9520000100025', gln: '9520000100018' }, ['id other_gln']],
    ['another place in the EPC URI', { id: 'urn:epc:id:sgln:952000010.002.0', gln: '9520000100018' }, ['id other_gln']],
    ['an EPC URI of 13 digits', { id: 'urn:epc:id:sgln:952000010.0010.0' }, ['id wrong_length']],
    ['no country', { country: 'XX' }, ['country unknown_country']],
    ['a country that has another code', { countryOfProduction: 'UK' }, ['countryOfProduction unknown_country']],
    ['territories', { country: 'GF', countryOfOrigin: 'XK' }, []],
    ['no unit', { value: 5, uom: 'ZZZ' }, ['uom unknown_unit']],
    ['units and packages', { uom: 'XPX' }, []],
    ['a unit with digits', { uom: 'H87' }, []],
    ['what the schema refuses', { country: 'Viet Nam', uom: 'kg', id: 7 }, []],
  ])('%s', (_, members, expected) => {
    expect(found(members)).toEqual(expected);
  });
});
