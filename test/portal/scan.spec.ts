import { describe, expect, it } from '@jest/globals';
import { checkDigitHolds, filtersOf, readCode } from '../../apps/portal/src/scan/code.js';

const GS = '\u001D';
const GTIN = '09520123450014';
const SSCC = '095200000000000011';

describe('a code that was scanned, pasted or typed', () => {
  it.each([
    ['a Digital Link', `https://id.gs1.org/01/${GTIN}/10/AB%2F1`, { gtin: GTIN, lot: 'AB/1' }],
    [
      'a Digital Link of another host, with a path and a query',
      `https://brand.example/p/01/9520123450014/10/A1?17=271231`,
      { gtin: GTIN, lot: 'A1' },
    ],
    ['a Digital Link of an item', `https://id.gs1.org/01/${GTIN}/10/A1/21/S9`, { gtin: GTIN, lot: 'A1', serial: 'S9' }],
    ['a Digital Link of a container', `https://id.gs1.org/00/${SSCC}`, { sscc: SSCC }],
    ['what is printed below a code', `(01)${GTIN}(17)271231(10)A1`, { gtin: GTIN, lot: 'A1' }],
    ['what a scanner sends', `]C101${GTIN}1727123110A1${GS}21S9`, { gtin: GTIN, lot: 'A1', serial: 'S9' }],
    ['what a scanner sends, without the name of the symbology', `01${GTIN}10A1${GS}3103001250`, { gtin: GTIN, lot: 'A1' }],
    ['a logistic label', `]C100${SSCC}`, { sscc: SSCC }],
    ['an SSCC with its identifier', `00${SSCC}`, { sscc: SSCC }],
    ['a bare SSCC', SSCC, { sscc: SSCC }],
    ['a bare EAN-13', '9520123450014', { gtin: GTIN }],
    ['a code of the own', 'RH-20260915-A1', {}],
    ['a number with a wrong check digit', '9520123450015', {}],
    ['a link to something else', 'https://example.org/lots/7', {}],
    ['an element string that ends too early', `]C10109520`, {}],
    ['nothing', ' ', {}],
  ])('%s', (_, typed, named) => {
    expect(readCode(typed)).toEqual({ text: typed.trim(), ...named });
  });

  it('becomes the filters of the list of lots', () => {
    expect(filtersOf(readCode(`https://id.gs1.org/01/${GTIN}/10/A1`))).toEqual({ gtin: GTIN, tlc: 'A1' });
    expect(filtersOf(readCode(`https://id.gs1.org/01/${GTIN}/10/A1/21/S9`))).toEqual({ gtin: GTIN, serial: 'S9' });
    expect(filtersOf(readCode(`(00)${SSCC}`))).toEqual({ tlc: SSCC });
    expect(filtersOf(readCode(GTIN))).toEqual({ gtin: GTIN });
    expect(filtersOf(readCode('RH-1'))).toEqual({ tlc: 'RH-1' });
    expect(filtersOf(readCode(''))).toEqual({});
  });

  it('has a check digit by the rule of GS1', () => {
    expect(checkDigitHolds('4006381333931')).toBe(true);
    expect(checkDigitHolds('4006381333932')).toBe(false);
  });
});
