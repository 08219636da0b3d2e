import { describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { type SheetRow, UnreadableFile } from '../table.js';
import { openTable } from './open-table.js';

/** A workbook of one worksheet, as its attacker wants it. */
const book = (parts: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries({
          'xl/workbook.xml': '<workbook><sheets><sheet name="Data" r:id="a"/></sheets></workbook>',
          'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/></Relationships>',
          'xl/worksheets/sheet1.xml': '<worksheet><sheetData/></worksheet>',
          ...parts,
        }).map(([name, xml]) => [name, strToU8(xml)]),
      ),
      { level: 1 },
    ),
  );
const sheet = (xml: string): Buffer => book({ 'xl/worksheets/sheet1.xml': `<worksheet>${xml}</worksheet>` });
const notice = (body: string): Buffer =>
  Buffer.from(`ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *260301*1000*U*00401*000000001*0*P*>~ST*856*1~${body}`);

async function rowsOf(bytes: Buffer): Promise<readonly SheetRow[] | string> {
  try {
    const table = await openTable(bytes, { maxRows: 1_000 });
    const rows: SheetRow[] = [];
    for await (const some of table.rows()) rows.push(...some);
    return rows;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.code;
    throw error;
  }
}

describe('a hostile file', () => {
  it.each<[string, () => Buffer, string]>([
    [
      'of merged cells that each row would be compared with',
      () => sheet(`<sheetData/><mergeCells>${'<mergeCell ref="A1:B1"/>'.repeat(10_001)}</mergeCells>`),
      'too_many_merged_cells',
    ],
    [
      'with one cell of megabytes',
      () => sheet(`<sheetData><row><c t="str"><v>${'x '.repeat(1_000_000)}</v></c></row></sheetData>`),
      'file_damaged',
    ],
    [
      'with a shared text of megabytes',
      () => book({ 'xl/sharedStrings.xml': `<sst><si><t>${'x '.repeat(1_000_000)}</t></si></sst>` }),
      'file_damaged',
    ],
    [
      'with one text in all cells of a row',
      () =>
        book({
          'xl/sharedStrings.xml': `<sst><si><t>${'x '.repeat(10_000)}</t></si></sst>`,
          'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row></sheetData></worksheet>`,
        }),
      'file_damaged',
    ],
    ['with a row that no spreadsheet has', () => sheet('<sheetData><row r="9999999999"><c><v>1</v></c></row></sheetData>'), 'file_damaged'],
    [
      'with a number format that takes the square of its length to read',
      () =>
        book({
          'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="${'['.repeat(60_000)}"/></numFmts></styleSheet>`,
        }),
      'file_damaged',
    ],
    ['of tags in each other', () => sheet('<x>'.repeat(100_000)), 'file_damaged'],
    ['with a tag of many attributes', () => sheet(`<x ${Array.from({ length: 1_000 }, (_, i) => `a${i}=""`).join(' ')}/>`), 'file_damaged'],
    ['with a declaration that does not end', () => sheet('<!'.repeat(1_000_000)), 'file_damaged'],
    ['with a declaration that XML does not know', () => sheet('<!ELEMENT a ANY><sheetData/>'), 'file_damaged'],
    ['with a tag of attributes that does not end', () => sheet(`<x ${'a="" '.repeat(1_000_000)}`), 'file_damaged'],
    ['of a row of a million cells', () => Buffer.from(`${'a,'.repeat(500_000)}\n1,2\n`), 'too_many_columns'],
    [
      'of many worksheets',
      () => book({ 'xl/workbook.xml': `<workbook><sheets>${'<sheet name="Data" r:id="a"/>'.repeat(1_001)}</sheets></workbook>` }),
      'file_damaged',
    ],
    ['of empty lines', () => Buffer.from(`a,b\n1,2\n${'\n'.repeat(30_000)}1,2\n`), 'too_many_rows'],
    ['that is one segment', () => notice('x'.repeat(20_000)), 'file_damaged'],
    ['of segments without an item', () => notice('~'.repeat(1_000_000)), 'file_damaged'],
    [
      'of levels in each other, which each item would climb',
      () => notice(`${Array.from({ length: 900 }, (_, i) => `HL*${i + 1}*${i}*I`).join('~')}~SE*1*1~IEA*1*1~`),
      'file_damaged',
    ],
    [
      'of more items than allowed',
      () => notice(`${Array.from({ length: 1_001 }, (_, i) => `HL*${i + 1}**I`).join('~')}~`),
      'too_many_rows',
    ],
  ])('%s', async (_, bytes, code) => {
    expect(await rowsOf(bytes())).toBe(code);
  });

  it('whose segments are named like members of every object says nothing by them', async () => {
    const rows = await rowsOf(notice('HL*1**I~__proto__*x~constructor*a*b~hasOwnProperty*x~LIN**LT*L-1~SE*1*1~IEA*1*1~'));
    expect(rows).toMatchObject([{ row: 1 }, { row: 2 }]);
    expect((rows as readonly SheetRow[])[1]!.cells.filter(Boolean)).toEqual([{ kind: 'text', text: 'L-1' }]);
  });

  it.each([
    ['a table in text', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\tb\nx\0y\t2\n', 'utf16le')])],
    [
      'a workbook',
      sheet(
        '<sheetData><row><c t="str"><v>a</v></c></row><row><c t="inlineStr"><is><t>x_x0000_y</t></is></c><c><v>2</v></c></row></sheetData>',
      ),
    ],
  ])('has no text with U+0000, which no database keeps: %s', async (_, bytes) => {
    const rows = (await rowsOf(bytes)) as readonly SheetRow[];
    expect(rows[1]!.cells.map((cell) => cell?.kind)).toEqual(['fault', bytes[0] === 0xff ? 'text' : 'number']);
  });

  it('lets others work while it is read', async () => {
    let isLet = false;
    setImmediate(() => (isLet = true));
    const rows = await rowsOf(Buffer.from(`a,b\n1,2\n${' '.repeat(900_000)}\n`));
    expect(rows).toHaveLength(2);
    expect(isLet).toBe(true);
  });
});
