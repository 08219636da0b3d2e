import { describe, expect, it } from '@jest/globals';
import type { ProcessMapDocumentView } from '#client';
import { processMapTemplate } from '#traceability';
import { documentOf, filledOf, withAt } from '../../apps/portal/src/record/filled.js';
import { placed } from '../../apps/portal/src/record/issues.js';
import { beginning, processOf } from '../../apps/portal/src/record/process.js';
import { shapeOf } from '../../apps/portal/src/record/shape.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';

const processIn = (map: string, processType: string) =>
  processOf({ document: processMapTemplate(map) } as unknown as ProcessMapDocumentView, processType)!;

describe('the form of a process', () => {
  const events = ['rice', 'wool'].flatMap((map) =>
    readScenario(map).steps.flatMap((stage) =>
      'processType' in stage && stage.processType ? [[map, stage.processType, stage.metadata ?? {}] as const] : [],
    ),
  );

  it.each(events)('can express every field of an event of %s: %s', (map, processType, metadata) => {
    const { shape } = processIn(map, processType);
    // The page writes the lines of `inputs` from the lots that were chosen.
    const { inputs: _, ...recorded } = metadata as Record<string, unknown>;
    const document = documentOf(shape, filledOf(shape, recorded), true);
    expect(document).toEqual({ ...recorded, eventTime: new Date(String(recorded['eventTime'])).toISOString() });
  });

  it('is filled in advance with the time, the unit and the GTIN of the product', () => {
    const filled = beginning(processIn('rice', 'RICE_PACKING'), new Date('2026-11-28T10:00:00Z'));
    expect(filled).toMatchObject({ quantity: { uom: 'H87' }, gtin: '09520123450014' });
  });

  it('shows required fields first, in the order of the process map', () => {
    const { shape } = processIn('rice', 'RICE_HARVESTING');
    expect(shape.fields.filter(({ required }) => required).map(({ key }) => key)).toEqual([
      'eventTime',
      'eventTimeZoneOffset',
      'location',
      'variety',
      'plot',
      'harvestedOn',
      'quantity',
      'moisturePercent',
    ]);
  });

  it('offers the co-products of the process, and has no field for the lines of its input lots', () => {
    const { shape, hasLines } = processIn('rice', 'RICE_MILLING');
    const coProducts = shape.fields.find(({ key }) => key === 'coProducts')!.shape;
    expect(coProducts).toMatchObject({ kind: 'list', item: { kind: 'object' } });
    expect(JSON.stringify(coProducts)).toContain('"of":["RICE_BROKEN","RICE_BRAN","RICE_HUSK"]');
    expect(hasLines).toBe(true);
    expect(shape.fields.map(({ key }) => key)).not.toContain('inputs');
  });
});

describe('what is filled in', () => {
  const shape = shapeOf(
    {
      type: 'object',
      required: ['amount', 'place'],
      properties: {
        amount: { type: 'number' },
        place: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        note: { type: 'object', properties: { kind: { const: 'note' }, text: { type: 'string' } }, required: ['text'] },
        organic: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
    {},
  );

  it.each([
    ['nothing: a required object is sent empty, so that the service asks for its members', {}, { place: {} }],
    ['a number', { amount: '12.5' }, { amount: 12.5, place: {} }],
    ['a number with a comma', { amount: '12,5' }, { amount: 12.5, place: {} }],
    ['text in a number field: it is sent as it is, and refused at its field', { amount: 'many' }, { amount: 'many', place: {} }],
    ['spaces', { amount: '  ' }, { place: {} }],
    ['no', { organic: 'false' }, { organic: false, place: {} }],
    ['a part with a fixed member', { note: { text: 'wet' } }, { note: { kind: 'note', text: 'wet' }, place: {} }],
    ['an empty row, which keeps its place', { tags: ['a', '', 'b'] }, { tags: ['a', null, 'b'], place: {} }],
  ])('%s', (_, filled, document) => {
    expect(documentOf(shape, filled, true)).toEqual(document);
  });

  it('is changed at one place; missing objects and lists on the way are created', () => {
    expect(withAt(undefined, ['a', '1', 'b'], 'x')).toEqual({ a: ['', { b: 'x' }] });
    expect(withAt({ a: ['1', '2'], c: 'y' }, ['a', '0'], '3')).toEqual({ a: ['3', '2'], c: 'y' });
  });

  it('is one JSON field where a schema refers to itself', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } };
    expect(JSON.stringify(shapeOf(tree, { tree }))).toContain('"kind":"json"');
  });
});

describe('an issue that the service reports', () => {
  it('is shown at its field, at the nearest part that contains it, or above the form', () => {
    const said = (pointer: string) => ({ pointer, message: 'm', severity: 'error' as const });
    const at = placed([said('/metadata/a/b'), said('/metadata/a/c/0'), said('/from'), said('')], new Set(['/metadata/a', '/metadata/a/b']));
    expect([...at.keys()]).toEqual(['/metadata/a/b', '/metadata/a', '']);
    expect(at.get('')).toHaveLength(2);
  });
});
