import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '../contract.js';
import { type RowEvent, eventOfRows } from '../imports/event-of-row.js';
import { type BoundColumn, type ColumnMapping } from '../imports/import-mapping.js';
import { proposeColumns } from '../imports/mapping-proposal.js';
import { fieldsOf } from '../imports/process-fields.js';
import { eventTable } from './event-table.js';

const text = { type: 'string' };
const SHAPE = {
  takesLots: true,
  makesLot: true,
  schema: {
    type: 'object',
    required: ['variety'],
    properties: {
      variety: text,
      quantity: { type: 'object', properties: { value: { type: 'number' }, uom: text } },
      harvestedOn: { type: 'string', format: 'date' },
      documents: { type: 'array', items: { type: 'object', properties: { type: text, number: text } } },
      organic: { type: 'boolean' },
    },
  },
};
const lot = (tlc: string) => ({ tokenId: 1, tlc, gtin: null, serial: null, assetType: null, quantity: 1, uom: 'KGM' });
const event = (metadata: object): RecordedEvent =>
  ({
    ...{ id: 'e-1', status: 'recorded', processMapVersion: '1.0.0', actor: { orgId: 'o', address: '0x', did: null } },
    ...{ recordTime: 'r', landedAt: 'l', dataHash: 'h', txHash: 't', supersedes: null, location: null },
    ...{ inputs: [lot('A'), lot('B'), lot('C')], outputs: [lot('OUT')], metadata },
  }) as unknown as RecordedEvent;

describe('the table of the events of a process', () => {
  const fields = fieldsOf(SHAPE);
  const table = eventTable(fields);
  const metadata = {
    variety: '=Jasmine',
    quantity: { value: 1234.5, uom: 'KGM' },
    harvestedOn: '2026-05-13',
    organic: false,
    documents: [
      { type: 'WAYBILL', number: '1' },
      { type: 'PHOTO', number: '2', pages: [1, 2] },
    ],
    own: { note: 'x', line: [[1, 2]] },
  };

  it('has a line for each further item, which repeats nothing but the key', () => {
    const [first, ...others] = table.linesOf(event(metadata));
    expect(first).toMatchObject({
      ...{ 'event id': 'e-1', outputTlc: 'OUT', 'inputTokenIds.0': 'A', variety: '=Jasmine', 'quantity.value': 1234.5, organic: false },
      ...{
        'documents.0.type': 'WAYBILL',
        'further values':
          '{"/metadata/documents/1/pages/0":1,"/metadata/documents/1/pages/1":2,"/metadata/own/note":"x","/metadata/own/line/0/0":1,"/metadata/own/line/0/1":2}',
      },
    });
    expect(others).toEqual([
      { 'event id': 'e-1', 'inputTokenIds.0': 'B', 'documents.0.type': 'PHOTO', 'documents.0.number': '2' },
      { 'event id': 'e-1', 'inputTokenIds.0': 'C' },
    ]);
    expect(Object.keys(first!).filter((name) => !table.columns.includes(name))).toEqual([]);
  });

  it('is imported again as the same event, by the mapping that is proposed', () => {
    const lines = table.linesOf(event(metadata));
    const headers = table.columns.map((header, column) => ({ header, column, letter: `C${column}` }));
    const cellsOf = (line: (typeof lines)[number]) =>
      table.columns.map((name) => {
        const value = line[name];
        return value === undefined || value === null
          ? null
          : { kind: typeof value === 'string' ? 'text' : typeof value, text: String(value) };
      });
    const proposed = proposeColumns(headers, lines.map(cellsOf), fields);
    expect(proposed.map(({ to }) => to).toSorted()).toEqual(['/metadata', ...fields.map(({ pointer }) => pointer)].toSorted());
    expect(proposed.flatMap(({ questions }) => questions)).toEqual([]);
    const columns = proposed.map((one): BoundColumn => ({
      ...(one as ColumnMapping),
      letter: one.letter,
      index: Number(one.letter.slice(1)),
    }));
    const read = eventOfRows(
      lines.map((line, i) => ({ row: i + 2, cells: cellsOf(line) })),
      columns,
    );
    expect(read).toMatchObject({ outputTlc: 'OUT', metadata });
    expect((read as RowEvent).lots.map(({ code }) => code)).toEqual(['A', 'B', 'C']);
  });

  it('names the cell of further values that do not fit the others, or are none', () => {
    const columns: BoundColumn[] = [
      { index: 0, letter: 'A', column: 'variety', to: '/metadata/variety', as: 'text' },
      { index: 1, letter: 'B', column: 'further values', to: '/metadata', as: 'further' },
    ];
    const codes = (further: string): unknown => {
      const cells = ['x', further].map((said) => ({ kind: 'text', text: said }));
      const read = eventOfRows([{ row: 2, cells }], columns);
      return 'metadata' in read ? read.metadata : read.map(({ column, code }) => `${column} ${code}`);
    };
    expect(codes('{"/metadata/own/a":1}')).toEqual({ variety: 'x', own: { a: 1 } });
    for (const wrong of [
      '{"/metadata/variety/a":1}',
      '{"/outputTlc":"x"}',
      '{"/metadata/__proto__/a":1}',
      '[]',
      'x',
      '{"/metadata/a":{"b":1}}',
    ])
      expect(codes(wrong)).toEqual(['B not_further_values']);
  });

  it('of several processes has the metadata as JSON', () => {
    const [line] = eventTable(null).linesOf(event({ variety: 'x' }));
    expect(line).toMatchObject({ eventId: 'e-1', inputs: ['A', 'B', 'C'], outputs: ['OUT'], metadata: '{"variety":"x"}' });
  });
});
