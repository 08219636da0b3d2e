import { describe, expect, it } from '@jest/globals';
import { processMapTemplates } from '#traceability';
import type { HeaderCell } from './import-mapping.js';
import { headerOf, proposeColumns } from './mapping-proposal.js';
import { fieldsOf } from './process-fields.js';

const rice = processMapTemplates.find(({ key }) => key === 'rice')!;
const shapeOf = (processType: string): Parameters<typeof fieldsOf>[0] => ({
  schema: { ...(rice.processes[processType]!.metadataSchema as object), $defs: rice.$defs },
  takesLots: rice.processes[processType]!.inputs.max !== 0,
  makesLot: rice.processes[processType]!.outputs.max > 0,
});
const headers = (...names: string[]): HeaderCell[] =>
  names.map((header, column) => ({ column, letter: String.fromCharCode(65 + column), header }));
const texts = (...rows: string[][]) => rows.map((row) => row.map((text) => ({ kind: 'text', text })));

describe('a proposed mapping', () => {
  const fields = fieldsOf(shapeOf('RICE_HARVESTING'));

  it('finds German headers, dates and decimal signs', () => {
    const found = proposeColumns(
      headers('Chargennummer', 'Erntedatum', 'Menge', 'Einheit', 'Sorte', 'Feuchte (%)', 'Kommentar intern'),
      texts(['A-1', '13.05.2026', '1.234,5', 'kg', 'Jasmine 85', '22', 'x'], ['A-2', '14.05.2026', '12,5', 'kg', 'ST 25', '21,5', 'y']),
      fields,
    );
    const by = new Map(found.map((one) => [one.column, one]));
    expect(by.get('Chargennummer')).toMatchObject({ to: '/outputTlc', as: 'text' });
    expect(by.get('Erntedatum')).toMatchObject({ to: '/metadata/harvestedOn', as: 'date', dateForm: 'DD.MM.YYYY', questions: [] });
    expect(by.get('Menge')).toMatchObject({ to: '/metadata/quantity/value', as: 'number', decimal: ',' });
    expect(by.get('Einheit')).toMatchObject({ to: '/metadata/quantity/uom', as: 'unit' });
    expect(by.get('Sorte')).toMatchObject({ to: '/metadata/variety' });
    expect(by.get('Feuchte (%)')).toMatchObject({ to: '/metadata/moisturePercent', as: 'number', decimal: ',' });
  });

  it('asks what the values leave open, and decides nothing', () => {
    const [date, amount] = proposeColumns(headers('harvestedOn', 'quantity.value'), texts(['03/04/2026', '1.234']), fields);
    expect(date!.dateForm).toBeUndefined();
    expect(date!.questions[0]).toMatch(/DD\/MM\/YYYY or MM\/DD\/YYYY/);
    expect(amount!.decimal).toBeUndefined();
    expect(amount!.questions).toHaveLength(1);
  });

  it('of a template names every column, for every process of every map that comes with the service', () => {
    for (const map of processMapTemplates)
      for (const [key, process] of Object.entries(map.processes)) {
        const own = fieldsOf({
          schema: { ...(process.metadataSchema as object), $defs: map.$defs },
          takesLots: process.inputs.max !== 0,
          makesLot: process.outputs.max > 0,
        });
        const names = own.map(headerOf);
        const found = proposeColumns(
          names.map((header, column) => ({ column, letter: `C${column}`, header })),
          [],
          own,
        );
        expect([key, found.map(({ to }) => to)]).toEqual([key, own.map(({ pointer }) => pointer)]);
      }
  });

  it('has nothing for a header that would take the square of its length to read', () => {
    const found = proposeColumns(headers('('.repeat(300_000), 'Erntedatum'), texts(['x', '13.05.2026']), fields);
    expect(found.map(({ column }) => column)).toEqual(['Erntedatum']);
  });
});
