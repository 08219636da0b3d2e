import { describe, expect, it } from '@jest/globals';
import { keccakOf } from '../values/evm.js';
import { LotKey, digitalLinkOf, gtin14 } from './lot-key.js';

const GTIN = '09520123450014';

describe('the key of a lot', () => {
  it.each([
    [{ tlc: 'RH-20260915-A1' }, 'own', 'RH-20260915-A1'],
    [{ tlc: 'ABC1234', gtin: '9520123450014' }, 'lot', `https://id.gs1.org/01/${GTIN}/10/ABC1234`],
    [{ tlc: "A(1)*'!/2", gtin: GTIN }, 'lot', `https://id.gs1.org/01/${GTIN}/10/A%281%29%2A%27%21%2F2`],
    [{ tlc: 'LOT', gtin: GTIN, serial: 'S9' }, 'item', `https://id.gs1.org/01/${GTIN}/21/S9`],
    [{ tlc: '095200000000000011', isContainer: true }, 'sscc', 'https://id.gs1.org/00/095200000000000011'],
    [{ tlc: '095200000000000011', gtin: GTIN, isContainer: true }, 'sscc', 'https://id.gs1.org/00/095200000000000011'],
    // Goods with a code of 18 digits; a container with another code; a code that no lot number can be; a GTIN that is none.
    [{ tlc: '095200000000000011' }, 'own', '095200000000000011'],
    [{ tlc: '095200000000000012', isContainer: true }, 'own', '095200000000000012'],
    [{ tlc: 'A'.repeat(21), gtin: GTIN }, 'own', 'A'.repeat(21)],
    [{ tlc: 'ABC', gtin: '09520123450015' }, 'own', 'ABC'],
    [{ tlc: 'ABC', serial: 'S9' }, 'own', 'ABC'],
  ])('of %j is %s %s', (names, kind, text) => {
    const key = LotKey.of(names);
    expect([key.kind, key.text, key.hash]).toEqual([kind, text, keccakOf(text)]);
    expect(digitalLinkOf(text)).toBe(kind === 'own' ? null : text);
    expect(LotKey.read(text)?.text ?? null).toBe(kind === 'own' ? null : text);
  });

  it('is read from every address of a Digital Link', () => {
    expect(LotKey.read(`https://trace.example/01/9520123450014/10/A%2F1?linkType=dpp`)).toMatchObject({
      kind: 'lot',
      gtin: GTIN,
      lot: 'A/1',
    });
    expect(LotKey.read(`http://shop.example/p/01/${GTIN}/10/LOT/21/S9`)).toMatchObject({ kind: 'item', lot: 'LOT', serial: 'S9' });
    expect(LotKey.read(`https://id.gs1.org/01/${GTIN}/21/S9`)).toMatchObject({ kind: 'item', lot: null, serial: 'S9' });
  });

  it.each([
    'ABC',
    `/01/${GTIN}/10/A`,
    `https://id.gs1.org/01/${GTIN}`,
    'https://id.gs1.org/01/09520123450015/10/A',
    `https://id.gs1.org/01/${GTIN}/10/${'A'.repeat(21)}`,
    `https://id.gs1.org/01/${GTIN}/21/S9/10/LOT`,
    `https://id.gs1.org/01/${GTIN}/10/A/235/X`,
    'https://id.gs1.org/00/095200000000000012',
    'https://id.gs1.org/00/095200000000000011/10/A',
    'https://id.gs1.org/414/9520000100018',
  ])('is not in %s', (text) => expect(LotKey.read(text)).toBeNull());

  it('has 14 digits of a GTIN, whatever was written', () => {
    expect(['9520123450014', '09520123450014', '12345670', '614141111114'].map(gtin14)).toEqual([
      GTIN,
      GTIN,
      '00000012345670',
      '00614141111114',
    ]);
    expect(['', 'x', '123', '9520123450015'].map(gtin14)).toEqual([null, null, null, null]);
  });
});
