import { describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { UnreadableFile, openTable } from '#spreadsheets';
import { type ColumnMapping, type ImportMapping, boundColumns } from './import-mapping.js';
import { type RowsOnTheWay, onTheWay } from './import-row.rules.js';
import { dataRows } from './read-import.js';

type Columns = readonly (Partial<ColumnMapping> & { readonly column: string })[];
type Cells = Readonly<Record<string, string>>;

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const text = (value: string): string => `t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (value: string, style = 0): string => `s="${style}"><v>${value}</v></c>`;
const row = (at: number, cells: Cells): string =>
  `<row r="${at}">${Object.entries(cells)
    .map(([letter, cell]) => `<c r="${letter}${at}" ${cell}`)
    .join('')}</row>`;

/** A workbook. Style 1 is a date, 2 has leading zeros of five digits, 3 is a percentage, 4 is a date with its own format. */
function book(
  rows: readonly string[],
  {
    after = '',
    date1904 = false,
    head = '',
    more = {},
  }: { after?: string; date1904?: boolean; head?: string; more?: Record<string, string> } = {},
): Buffer {
  const parts = {
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="r"><workbookPr${date1904 ? ' date1904="1"' : ''}/><sheets><sheet name="Data" sheetId="1" r:id="a"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts><numFmt numFmtId="170" formatCode="00000"/><numFmt numFmtId="171" formatCode="dd\\.mm\\.yyyy;@"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="9"/><xf numFmtId="171"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `${head}<worksheet xmlns="${MAIN}"><sheetData>${rows.join('')}</sheetData>${after}</worksheet>`,
    ...more,
  };
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))));
}

const csv = (value: string): Buffer => Buffer.from(value);
const as = (column: string, how: Partial<ColumnMapping> = {}): Partial<ColumnMapping> & { readonly column: string } => ({
  column,
  as: 'text',
  to: `/metadata/${column.replaceAll(/[^\w]/g, '')}`,
  ...how,
});

async function read(bytes: Buffer, columns: Columns): Promise<readonly RowsOnTheWay[] | string> {
  try {
    const table = await openTable(bytes, { maxRows: 1_000 });
    for await (const _ of table.rows());
    const mapping: ImportMapping = { processType: 'P', columns: columns.map((one) => as(one.column, one) as ColumnMapping) };
    const { headers, rows } = await dataRows(table);
    const bound = boundColumns(mapping, headers);
    const first = bound[0] as object;
    if ('message' in first) return bound.map((one) => (one as unknown as { code: string }).code).join();
    const rules = {
      mapping,
      columns: bound as never,
      merged: table.merged(),
      group: null,
      seen: new Map<string, number>(),
      keys: new Map<string, number>(),
    };
    const found: RowsOnTheWay[] = [];
    for await (const some of rows) found.push(...some.map((one) => onTheWay([one], rules)));
    return found;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.code;
    throw error;
  }
}

/** Per row: its values, or its problems as `row:column code`. */
async function outcome(bytes: Buffer, columns: Columns): Promise<unknown> {
  const found = await read(bytes, columns);
  if (typeof found === 'string') return found;
  return found.map(({ rows: [at], event, problems }) =>
    problems.length > 0 ? problems.map(({ column, code }) => `${column ?? ''}${at} ${code}`) : event!.metadata,
  );
}

const DE = { as: 'number', decimal: ',' } as const;
const kg = { to: '/metadata/quantity', as: 'quantity', decimal: ',' } as const;
const utf16 = (value: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(value, 'utf16le')]);

describe('a dirty file', () => {
  it.each<[string, Buffer, Columns, unknown]>([
    [
      'with a byte order mark and `;`',
      csv('\uFEFFa;b\r\nx;1.234,5\r\n'),
      [{ column: 'a' }, { column: 'b', ...DE }],
      [{ a: 'x', b: 1234.5 }],
    ],
    ['in UTF-16 with tabs', utf16('a\tb\nGrüße\t2\n'), [{ column: 'a' }, { column: 'b', as: 'integer' }], [{ a: 'Grüße', b: 2 }]],
    ['in Windows-1252', Buffer.from('Größe;b\nGr\u00fc\u00dfe;1\n', 'latin1'), [{ column: 'Größe', to: '/metadata/a' }], [{ a: 'Grüße' }]],
    ['with `sep=` in front', csv('sep=|\na|b\n1|2\n'), [{ column: 'b' }], [{ b: '2' }]],
    ['with quotes, line ends and separators in cells', csv('a,b\n"x, ""y""\nz",2\n'), [{ column: 'a' }], [{ a: 'x, "y"\nz' }]],
    ['with empty rows between', csv('\n\na,b\n\n1,2\n,\n3,4\n'), [{ column: 'a' }], [{ a: '1' }, { a: '3' }]],
    [
      'with numbers that are none',
      csv('a;b\n1.23;x\n1,2,3;x\n12 kg;x\n1 234,5;x\n'),
      [{ column: 'a', ...DE }],
      [['A2 not_a_number'], ['A3 not_a_number'], ['A4 not_a_number'], { a: 1234.5 }],
    ],
    [
      'with groups that are wrong',
      csv('a;b\n12.34,5;1\n1.234.5;2\n'),
      [{ column: 'a', ...DE }],
      [['A2 not_a_number'], ['A3 not_a_number']],
    ],
    [
      'whose decimal sign nobody has said',
      csv('a;b\n1,5;1\n7;2\n'),
      [{ column: 'a', as: 'number' }],
      [['A2 decimal_sign_unknown'], { a: 7 }],
    ],
    ['with a number of twenty digits', csv('a;b\n12345678901234567891;1\n'), [{ column: 'a', as: 'number' }], [['A2 number_too_long']]],
    [
      'with a fraction where a whole number is wanted',
      csv('a;b\n1,5;1\n'),
      [{ column: 'a', as: 'integer', decimal: ',' }],
      [['A2 not_an_integer']],
    ],
    ['with percentages', csv('a;b\n12%;1\n'), [{ column: 'a', ...DE }], [['A2 percentage']]],
    ['with duplicate headers', csv('a;a\n1;2\n'), [{ column: 'a' }], 'column_ambiguous'],
    ['with duplicate headers and letters', csv('a;a\n1;2\n'), [{ column: 'a', letter: 'B' }], [{ a: '2' }]],
    ['whose column has moved', csv('b;a\n1;2\n'), [{ column: 'a', letter: 'A' }], 'column_moved'],
    ['without a column', csv('x;y\n1;2\n'), [{ column: 'a' }], 'column_missing'],
    [
      'with mixed units',
      csv('m;b\n12,5 kg;1\n0,1 t;2\n3;3\n4 Sack;4\n'),
      [{ column: 'm', ...kg, unit: 'KGM' }],
      [
        { quantity: { value: 12.5, uom: 'KGM' } },
        { quantity: { value: 0.1, uom: 'TNE' } },
        { quantity: { value: 3, uom: 'KGM' } },
        ['A5 unit_unknown'],
      ],
    ],
    ['with a quantity without any unit', csv('m;b\n3;3\n'), [{ column: 'm', ...kg }], [['A2 unit_missing']]],
    [
      'with dates of the 30th of February, of another form, and right ones',
      csv('d;b\n30.02.2026;1\n2026-03-01;2\n1.3.2026;3\n'),
      [{ column: 'd', as: 'date', dateForm: 'DD.MM.YYYY' }],
      [['A2 not_a_date'], ['A3 not_a_date'], { d: '2026-03-01' }],
    ],
    [
      'with American dates',
      csv('d;b\n03/04/2026;1\n13/04/2026;2\n'),
      [{ column: 'd', as: 'date', dateForm: 'MM/DD/YYYY' }],
      [{ d: '2026-03-04' }, ['A3 not_a_date']],
    ],
    [
      'with times of which some have no zone',
      csv('d;b\n2026-03-01T10:00:00Z;1\n2026-03-01 10:00;2\n2026-03-01;3\n'),
      [{ column: 'd', as: 'instant', dateForm: 'YYYY-MM-DD', offset: '+07:00' }],
      [{ d: '2026-03-01T10:00:00Z' }, { d: '2026-03-01T10:00:00+07:00' }, ['A4 time_missing']],
    ],
    ['with formulas in text', csv('a;b\n="007";1\n=1+1;2\n-5;3\n'), [{ column: 'a' }], [['A2 formula'], ['A3 formula'], { a: '-5' }]],
    ['with the same row twice', csv('a;b\n1;x\n2;x\n1;y\n'), [{ column: 'a' }], [{ a: '1' }, { a: '2' }, ['4 row_repeated']]],
    [
      'whose words are looked up',
      csv('a;b\nnass;1\nNass;2\n'),
      [{ column: 'a', lookup: { nass: 'wet' } }],
      [{ a: 'wet' }, ['A3 not_in_lookup']],
    ],
    [
      'with yes and no',
      csv('a;b\nJa;1\nnein;2\nvielleicht;3\n'),
      [{ column: 'a', as: 'boolean' }],
      [{ a: true }, { a: false }, ['A4 not_a_boolean']],
    ],
    ['with a quote that does not end', csv('a;b\n"x;1\n2;3\n'), [{ column: 'a' }], 'quotes_broken'],
    [
      'of 1900 dates, one of them the day that was not',
      book([row(1, { A: text('d') }), row(2, { A: number('45000', 1) }), row(3, { A: number('60', 1) }), row(4, { A: number('59', 4) })]),
      [{ column: 'd', as: 'date' }],
      [{ d: '2023-03-15' }, ['A3 cell_error'], { d: '1900-02-28' }],
    ],
    [
      'of 1904 dates',
      book([row(1, { A: text('d') }), row(2, { A: number('43538', 1) })], { date1904: true }),
      [{ column: 'd', as: 'date' }],
      [{ d: '2023-03-15' }],
    ],
    [
      'with a time where a day is wanted',
      book([row(1, { A: text('d') }), row(2, { A: number('45000.5', 1) })]),
      [{ column: 'd', as: 'date' }],
      [['A2 has_a_time']],
    ],
    [
      'with doubles, leading zeros and shares',
      book([
        row(1, { A: text('n'), B: text('z'), C: text('p') }),
        row(2, { A: number('4.0999999999999996'), B: number('42', 2) }),
        row(3, { A: number('1E-3'), C: number('0.12', 3) }),
      ]),
      [{ column: 'n', as: 'number' }, { column: 'z' }, { column: 'p', as: 'number' }],
      [{ n: 4.1, z: '00042' }, ['C3 percentage']],
    ],
    [
      'with merged cells',
      book(
        [
          row(1, { A: text('a'), B: text('b') }),
          row(2, { A: text('x'), B: text('1') }),
          row(3, { B: text('2') }),
          row(4, { A: text('y'), B: text('3') }),
        ],
        { after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>' },
      ),
      [{ column: 'a' }, { column: 'b' }],
      [['A2 merged'], ['A3 merged'], { a: 'y', b: '3' }],
    ],
    [
      'with a formula and an error',
      book([row(1, { A: text('a') }), row(2, { A: '><f>SUM(B1:B2)</f><v>3</v></c>' }), row(3, { A: 't="e"><v>#REF!</v></c>' })]),
      [{ column: 'a' }],
      [['A2 formula'], ['A3 cell_error']],
    ],
    [
      'with a date that is mapped as a text',
      book([row(1, { A: text('a') }), row(2, { A: number('45000', 1) })]),
      [{ column: 'a' }],
      [['A2 is_a_date']],
    ],
    ['with macros', book([row(1, { A: text('a') })], { more: { 'xl/vbaProject.bin': 'x' } }), [{ column: 'a' }], 'macros'],
    [
      'with a document type',
      book([row(1, { A: text('a') })], { head: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' }),
      [{ column: 'a' }],
      'external_entities',
    ],
    [
      'that unpacks to a thousand times its size',
      book([row(1, { A: text('a') })], { more: { 'xl/media/x.bin': 'A'.repeat(30_000_000) } }),
      [{ column: 'a' }],
      'zip_bomb',
    ],
    ['that is cut', book([row(1, { A: text('a') })]).subarray(0, 300), [{ column: 'a' }], 'file_damaged'],
    ['that is an old workbook', Buffer.from('d0cf11e0a1b11ae100', 'hex'), [{ column: 'a' }], 'file_encrypted'],
    ['that is empty', Buffer.alloc(0), [{ column: 'a' }], 'file_empty'],
    [
      'with more rows than allowed',
      csv(`a;b\n${Array.from({ length: 1_001 }, (_, i) => `${i};x`).join('\n')}`),
      [{ column: 'a' }],
      'too_many_rows',
    ],
  ])('%s', async (_, bytes, columns, expected) => {
    expect(await outcome(bytes, columns)).toEqual(expected);
  });

  it('that is a ship notice gives a row an item, with what is said around it', async () => {
    const isa = 'ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *260301*1000*U*00401*000000001*0*P*>~';
    const body = [
      ...[
        'GS*SH*S*R*20260301*1000*1*X*004010',
        'ST*856*0001',
        'BSN*00*SHIP-1*20260301*1000',
        'HL*1**S',
        'REF*BM*BL-9',
        'N1*SF*Farm*UL*9520000100018',
      ],
      ...['HL*2*1*O', 'PRF*PO-1', 'HL*3*2*P', 'MAN*GM*00095200001000000018', 'HL*4*3*I', 'LIN**UK*09520000100018*LT*L-7', 'SN1**12.5*KG'],
      ...['HL*5*3*I', 'LIN**LT*L-8', 'SN1**3*EA', 'CTT*5', 'SE*17*0001', 'GE*1*1', 'IEA*1*000000001'],
    ];
    const notice = `${isa}${body.join('~')}~`;
    const columns = ['shipment', 'shippedOn', 'billOfLading', 'sscc', 'gtin', 'lot', 'unit', 'shipFromGln', 'quantity'].map((column) => ({
      column,
      ...(column === 'quantity' && { as: 'number' as const, decimal: '.' as const }),
    }));
    const common = {
      shipment: 'SHIP-1',
      shippedOn: '2026-03-01',
      billOfLading: 'BL-9',
      sscc: '095200001000000018',
      shipFromGln: '9520000100018',
    };
    expect(await outcome(Buffer.from(notice), columns)).toEqual([
      { ...common, gtin: '09520000100018', lot: 'L-7', unit: 'KGM', quantity: 12.5 },
      { ...common, lot: 'L-8', unit: 'EA', quantity: 3 },
    ]);
    expect(await outcome(Buffer.from(notice.slice(0, -40)), columns)).toBe('file_damaged');
  });
});
