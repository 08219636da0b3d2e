import { describe, expect, it } from '@jest/globals';
import { qrCode } from './qr.page.js';
import { type Element, type LabelSymbol, elementsOf, gs1Symbol, qrSymbol } from './symbols.page.js';

const GTIN = ['01', '09520123450014'] as const;
/** Every character of GS1 set 82, in lot numbers of 20 letters. */
const SET_82 = `!"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz`;
const LOTS = ['A1', '1', '123456', '12345', 'a(1)-B', '(10)', '((((', ...(SET_82.match(/.{1,20}/g) ?? [])];

/** ISO/IEC 15417, table 1: widths of bars and spaces by symbol character; the last is the stop. */
const CODE_128 =
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'.split(
    ' ',
  );
const [CODE_C, CODE_B, CODE_A, FNC1] = [99, 100, 101, 102] as const;
const GS = '\u001d';

/** Reads the bars as a scanner does; a symbol that begins with FNC1 is of GS1. */
function scanned({ runs, width }: LabelSymbol): string {
  const edges = runs.flatMap(({ x, width: bar }) => [x, x + bar]);
  expect([edges[0], width - edges.at(-1)!]).toEqual([10, 10]);
  const widths = edges.slice(1).map((edge, i) => edge - edges[i]!);
  const stop = widths.splice(-7).join('');
  const values = (widths.join('').match(/.{6}/g) ?? []).map((pattern) => CODE_128.indexOf(pattern));
  expect([stop, values.includes(-1)]).toEqual([CODE_128[106], false]);
  const check = values.pop();
  expect(check).toBe(values.reduce((sum, value, i) => sum + value * Math.max(1, i), 0) % 103);
  let set = 'ABC'[values[0]! - 103]!;
  let text = '';
  for (const value of values.slice(1)) {
    if (value === FNC1) text += GS;
    else if (set === 'C' && value < 100) text += String(value).padStart(2, '0');
    else if (set !== 'C' && value < 96) text += String.fromCharCode(set === 'A' && value >= 64 ? value - 64 : value + 32);
    else set = { [CODE_C]: 'C', [CODE_B]: set === 'B' ? '?' : 'B', [CODE_A]: set === 'A' ? '?' : 'A' }[value] ?? '?';
  }
  return text;
}

/** Which modules are dark, from what is drawn. */
function gridOf({ width, height, runs }: LabelSymbol): string {
  const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  for (const run of runs) rows[run.y]!.fill('#', run.x, run.x + run.width);
  return rows.map((row) => row.join('')).join('\n');
}

describe('a GS1-128 symbol', () => {
  it.each([
    [[GTIN, ['10', 'A1']], `${GS}010952012345001410A1`],
    [[GTIN, ['10', '123456']], `${GS}010952012345001410123456`],
    [[GTIN, ['21', 'S/9']], `${GS}010952012345001421S/9`],
    [[['00', '095201234567891235']], `${GS}00095201234567891235`],
  ] as [Element[], string][])('of %j is read as %j', async (elements, expected) => {
    expect(scanned(await gs1Symbol('gs1-128', elements))).toBe(expected);
  });

  it.each(LOTS)('has the lot number %s as it is', async (lot) => {
    const symbol = await gs1Symbol('gs1-128', [GTIN, ['10', lot]]);
    expect([scanned(symbol), symbol.text]).toEqual([`${GS}010952012345001410${lot}`, ['(01)09520123450014', `(10)${lot}`]]);
  });
});

describe('a GS1 DataMatrix symbol', () => {
  it.each(LOTS)('of the lot number %s is drawn module by module', async (lot) => {
    const symbol = await gs1Symbol('gs1-datamatrix', [GTIN, ['10', lot]]);
    const escaped = lot.replaceAll('(', '^040').replaceAll(')', '^041');
    const { default: bwip } = await import('@bwip-js/node');
    const [made] = bwip.raw('gs1datamatrix', `(01)09520123450014(10)${escaped}`, { parse: true }) as {
      readonly pixs: readonly number[];
      readonly pixx: number;
      readonly pixy: number;
    }[];
    const rows = Array.from({ length: made!.pixy }, (_, y) => made!.pixs.slice(y * made!.pixx, (y + 1) * made!.pixx));
    const light = ' '.repeat(made!.pixx + 2);
    expect(gridOf(symbol)).toBe([light, ...rows.map((row) => ` ${row.map((dark) => (dark ? '#' : ' ')).join('')} `), light].join('\n'));
    // ISO/IEC 16022 §5.3.1: a solid border at the left and below, and every second module at the top and right.
    const inside = gridOf(symbol)
      .split('\n')
      .slice(1, -1)
      .map((row) => row.slice(1, -1));
    expect(inside.every((row) => row.startsWith('#'))).toBe(true);
    expect(inside.at(-1)).toBe('#'.repeat(inside[0]!.length));
    expect(inside[0]).toBe('# '.repeat(inside[0]!.length / 2));
  });
});

describe('a QR code', () => {
  it('is drawn module by module, with four light ones around it', () => {
    const link = 'https://id.example/01/09520123450014/10/A%2F1';
    const { size, dark } = qrCode(link);
    const light = Array.from({ length: 4 }, () => ' '.repeat(size + 8));
    const rows = dark.map((row) => `    ${row.map((one) => (one ? '#' : ' ')).join('')}    `);
    expect(gridOf(qrSymbol(link))).toBe([...light, ...rows, ...light].join('\n'));
  });
});

describe('the elements of a key', () => {
  it.each([
    ['https://id.gs1.org/01/09520123450014/10/A%2F1', [GTIN, ['10', 'A/1']]],
    ['https://id.gs1.org/01/09520123450014/21/S%2F9', [GTIN, ['21', 'S/9']]],
    ['https://id.gs1.org/00/095201234567891235', [['00', '095201234567891235']]],
    ['RH-20260915-A1', null],
    ['', null],
  ])('%s are %j', (key, elements) => {
    expect(elementsOf(key)).toEqual(elements);
  });
});
