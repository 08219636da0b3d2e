import { describe, expect, it } from '@jest/globals';
import { openTable } from '../reading/open-table.js';
import { TABLE_FORMATS, type TableShape, tableStream } from './table-stream.js';

interface Row {
  readonly name: string;
  readonly amount: number | null;
}

const SHAPE: TableShape<Row> = {
  name: 'rows',
  columns: ['name', '=amount'],
  linesOf: ({ name, amount }) => [{ name, '=amount': amount }],
};
const ROWS: readonly Row[] = [
  { name: '=HYPERLINK("http://x")', amount: 1.5 },
  { name: "'=1", amount: null },
  { name: 'Jasmine; "85"', amount: -3 },
];
const bytesOf = async (format: (typeof TABLE_FORMATS)[number]): Promise<Buffer> =>
  Buffer.concat(
    (await tableStream(format, SHAPE, [ROWS.slice(0, 2), ROWS.slice(2)]).toArray()).map((one) => Buffer.from(one as Uint8Array)),
  );

describe('a table', () => {
  it.each(['csv', 'xlsx'] as const)('gives as %s each value back as it was, and no formula', async (format) => {
    const bytes = await bytesOf(format);
    const table = await openTable(bytes, { maxRows: 10 });
    const rows: unknown[] = [];
    for await (const some of table.rows()) rows.push(...some.map(({ cells }) => cells.map((cell) => cell?.text)));
    expect(rows).toEqual(
      [['name', '=amount'], [ROWS[0]!.name, '1.5'], [ROWS[1]!.name], [ROWS[2]!.name, '-3']].map((row) =>
        format === 'csv' && row.length === 1 ? [...row, undefined] : row,
      ),
    );
  });

  it('has no formula in the bytes of a CSV file, its header included', async () => {
    expect((await bytesOf('csv')).toString()).toMatch(/^\uFEFFname,'=amount\r\n"'=HYPERLINK/);
  });

  it('has as NDJSON the rows themselves', async () => {
    const lines = (await bytesOf('ndjson')).toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Row)).toEqual(ROWS);
  });

  it.each(TABLE_FORMATS)('as %s ends the reading of rows when its reader goes away, and holds no more than a few pages', async (format) => {
    let read = 0;
    let end = (): void => undefined;
    const whenEnded = new Promise<void>((resolve) => (end = resolve));
    const pages = async function* (): AsyncGenerator<readonly Row[]> {
      try {
        for (; read < 10_000; read++) {
          yield Array.from({ length: 500 }, (_, i) => ({ name: `${read} ${i} ${Math.random()}`, amount: i }));
          await Promise.resolve();
        }
      } finally {
        end();
      }
    };
    const stream = tableStream(format, SHAPE, pages());
    await new Promise<void>((resolve) => stream.once('data', () => resolve()));
    stream.pause();
    const closed = new Promise<void>((resolve) => stream.once('close', resolve));
    stream.destroy();
    await closed;
    await whenEnded;
    expect(read).toBeLessThan(100);
  });
});
