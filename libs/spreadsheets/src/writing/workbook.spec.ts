import { describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { Workbook } from './workbook.js';

const filesOf = (book: Workbook): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(unzipSync(Buffer.concat(book.end()))).map(([name, bytes]) => [name, strFromU8(bytes)]));

describe('a workbook', () => {
  it('has every line in its first sheet, and in the one that it is named for', () => {
    const book = new Workbook([
      { name: 'all', columns: ['a', 'b'] },
      { name: 'shipping', columns: ['b'] },
    ]);
    book.add({ a: 'x', b: 2.5 }, 'shipping');
    book.add({ a: null, b: true }, null);
    book.add({ a: new Date('2026-05-01T00:00:00Z'), b: ['p', 'q'] }, 'unheard-of');
    const files = filesOf(book);
    expect(Object.keys(files).toSorted()).toEqual([
      ...['[Content_Types].xml', '_rels/.rels', 'xl/_rels/workbook.xml.rels', 'xl/styles.xml', 'xl/workbook.xml'],
      ...['xl/worksheets/sheet1.xml', 'xl/worksheets/sheet2.xml'],
    ]);
    const text = (value: string): string => `t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
    expect(files['xl/worksheets/sheet1.xml']).toContain(
      `<sheetData><row r="1"><c r="A1" ${text('a')}<c r="B1" ${text('b')}</row>` +
        `<row r="2"><c r="A2" ${text('x')}<c r="B2"><v>2.5</v></c></row>` +
        `<row r="3"><c r="B3" t="b"><v>1</v></c></row>` +
        `<row r="4"><c r="A4" ${text('2026-05-01T00:00:00.000Z')}<c r="B4" ${text('p; q')}</row></sheetData><autoFilter ref="A1:B4"/>`,
    );
    expect(files['xl/worksheets/sheet2.xml']).toContain(
      `<row r="1"><c r="A1" ${text('b')}</row><row r="2"><c r="A2"><v>2.5</v></c></row></sheetData>`,
    );
    expect(files['xl/workbook.xml']).toContain('<sheet name="shipping" sheetId="2" r:id="rId2"/>');
  });

  it('keeps texts texts: no formula, and nothing that XML does not allow', () => {
    const book = new Workbook([{ name: 'all', columns: Array.from({ length: 28 }, (_, i) => `c${i}`) }]);
    book.add({ c0: '=1+1', c26: `<&"\u0000\ud800>\r`, c27: 'a'.repeat(40_000) }, null);
    const xml = filesOf(book)['xl/worksheets/sheet1.xml']!;
    expect(xml).toContain('<t xml:space="preserve">=1+1</t>');
    expect(xml).not.toContain('<f>');
    expect(xml).toContain('<c r="AA2" t="inlineStr"><is><t xml:space="preserve">&lt;&amp;&quot;\ufffd\ufffd&gt;&#13;</t>');
    expect(xml).toContain(`<c r="AB2" t="inlineStr"><is><t xml:space="preserve">${'a'.repeat(32_767)}</t>`);
  });

  it('of the same lines has the same bytes', () => {
    const bytes = (): Buffer => {
      const book = new Workbook([{ name: 'all', columns: ['a'] }]);
      book.add({ a: 'x' }, null);
      return Buffer.concat(book.end());
    };
    expect(bytes().equals(bytes())).toBe(true);
  });
});
