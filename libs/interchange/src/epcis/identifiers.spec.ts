import { describe, expect, it } from '@jest/globals';
import { LotKey } from '#kernel';
import { canonicalLink, documentReference, hasCheckDigit, placeUri, readKey } from './identifiers.js';

describe('GS1 keys', () => {
  it.each([
    ['urn:epc:id:sscc:4012345.0000000333', 'https://id.gs1.org/00/040123450000003338'],
    ['urn:epc:id:sgln:4012345.00011.987', 'https://id.gs1.org/414/4012345000115/254/987'],
    ['urn:epc:id:sgln:4012345.00011.0', 'https://id.gs1.org/414/4012345000115'],
    ['urn:epc:id:pgln:0614141.00000', 'https://id.gs1.org/417/0614141000005'],
    ['urn:epc:id:sgtin:0614141.011111.987', 'https://id.gs1.org/01/00614141111114/21/987'],
    ['urn:epc:id:gdti:4012345.11111.123', 'https://id.gs1.org/253/4012345111118123'],
    ['urn:epc:class:lgtin:4054739.099914.20160711', 'https://id.gs1.org/01/04054739999148/10/20160711'],
    ['urn:epc:idpat:sgtin:4054739.099914.*', 'https://id.gs1.org/01/04054739999148'],
    ['https://shop.example/p/01/04054739999148/10/A%2F1/21/7?linkType=all', 'https://id.gs1.org/01/04054739999148/21/7'],
    ['https://id.gs1.org/8004/086000999999200001', 'https://id.gs1.org/8004/086000999999200001'],
    ['https://trace.example/id/demo/lot/RH-20260915-A1', null],
    ['urn:uuid:7b786f02-cc04-49f7-a166-e3e1f20142e0', null],
    ['geo:47.5,11.1', null],
  ])('%s is %s', (uri, link) => {
    expect(canonicalLink(uri)).toBe(link);
  });

  it('reads a lot back, whatever its code contains', () => {
    const link = LotKey.of({ tlc: "A/1%!(*'", gtin: '9520123450014' }).text;
    expect(link).not.toMatch(/[!()*']/);
    expect(readKey(link)).toMatchObject({ key: '01', value: '09520123450014', finer: '10', part: "A/1%!(*'" });
  });

  it.each([
    'urn:epc:class:lgtin:4012345.12345.X',
    'urn:epc:class:lgtin:4012345.1234567.X',
    'urn:epc:id:sgtin:4012345.01234.1',
    'urn:epc:id:sscc:4012345.000000033',
    'urn:epc:id:sgln:4012345.0001.987',
    'urn:epc:id:sgln:4012345.0001A.987',
  ])('reads nothing from %s, whose digits are too many or too few', (uri) => {
    expect(readKey(uri)).toBeNull();
  });

  it('names a part of a place by its extension', () => {
    expect(placeUri({ id: 'https://id.gs1.org/414/9520000100018/254/dock', gln: '9520000100018' })).toBe(
      'https://id.gs1.org/414/9520000100018/254/dock',
    );
    expect(placeUri({ id: 'https://id.gs1.org/414/9520000100025/254/dock', gln: '9520000100018' })).toBe(
      'https://id.gs1.org/414/9520000100018',
    );
  });

  it('names a document of a party with a GLN by both, and a production log by its type', () => {
    const naming = { base: 'https://trace.example', tenant: 'demo' };
    expect(documentReference({ type: 'PRODUCTION_LOG', number: 'P 1', issuer: '9520000100032' }, naming)).toEqual({
      type: 'prodorder',
      bizTransaction: 'urn:epcglobal:cbv:bt:9520000100032:P%201',
    });
    expect(documentReference({ type: 'PRODUCTION_LOG', number: 'P1', issuer: 'Mill' }, naming)).toEqual({
      type: 'prodorder',
      bizTransaction: 'https://trace.example/id/demo/doc/PRODUCTION_LOG/P1',
    });
  });

  it('knows a wrong check digit', () => {
    expect(hasCheckDigit('9520000100018')).toBe(true);
    expect(hasCheckDigit('9520000100019')).toBe(false);
  });
});
