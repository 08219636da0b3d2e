import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ProcessMapDocumentView } from '#client';
import { processMapTemplate } from '#traceability';
import { doubtsOf, withDoubts } from '../../apps/portal/src/record/doubts.js';
import { againFrom, emptyDraft, withoutWallet } from '../../apps/portal/src/record/draft.js';
import { type Filled, documentOf, filledOf, withAt } from '../../apps/portal/src/record/filled.js';
import { placed } from '../../apps/portal/src/record/issues.js';
import { beginning, neededBy, processOf } from '../../apps/portal/src/record/process.js';
import { reviewOf } from '../../apps/portal/src/record/review.js';
import { shapeOf } from '../../apps/portal/src/record/shape.js';
import { inWords, patternInWords } from '../../apps/portal/src/record/words.js';
import { readNumber, writeNumber } from '../../apps/portal/src/state/numbers.js';
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

describe('a number', () => {
  const of = (value: number) => ({ kind: 'number', value });
  const asked = (...readings: [number, number]) => ({ kind: 'ambiguous', readings });
  it.each([
    ['8000', of(8000)],
    ['12.5', of(12.5)],
    ['12,5', of(12.5)],
    [',5', of(0.5)],
    ['-1,25', of(-1.25)],
    ['0,125', of(0.125)],
    ['0.125', of(0.125)],
    ['1,200', asked(1200, 1.2)],
    ['1.200', asked(1200, 1.2)],
    ['-12.345', asked(-12_345, -12.345)],
    ['1234,567', of(1234.567)],
    ['1,200.5', of(1200.5)],
    ['1.200,5', of(1200.5)],
    ['1.200.000', of(1_200_000)],
    ['1,200,000.125', of(1_200_000.125)],
    ['1 200', of(1200)],
    ['1\u202f200,5', of(1200.5)],
    ["1'200.5", of(1200.5)],
    ['1.2.3', { kind: 'text' }],
    ['1,20,000', { kind: 'text' }],
    ['1,2.3,4', { kind: 'text' }],
    ['12 kg', { kind: 'text' }],
    ['1,', { kind: 'text' }],
    ['', { kind: 'text' }],
    ['١٢٫٥', of(12.5)],
    ['1e3', of(1000)],
    ['1e999', { kind: 'text' }],
  ])('%s', (typed, read) => {
    expect(readNumber(typed)).toEqual(read);
  });

  it('is not asked about where the field takes no thousands, as a longitude', () => {
    expect(readNumber('105.783', { most: 180 })).toEqual(of(105.783));
    expect(readNumber('1,200', { most: 5000 })).toEqual(asked(1200, 1.2));
  });

  it('is written so that it is read as the same number, in every language', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
        fc.constantFrom('en', 'de', 'fr', 'vi', 'ar-EG'),
        (value, locale) => {
          const rounded = Number(value.toFixed(6));
          expect(readNumber(writeNumber(rounded, locale))).toEqual(of(rounded));
        },
      ),
    );
    expect(writeNumber(1.125, 'en')).toBe('1.1250');
    expect(writeNumber(1.125, 'de')).toBe('1,1250');
  });
});

describe('a pattern of the process map', () => {
  it.each([
    ['^[A-Z]{2}$', 'Two letters, as in VN'],
    ['^\\d{14}$', '14 digits'],
    ['^RH-\\d{8}-[A-Z0-9]{2,8}$', 'RH-, 8 digits, -, 2 to 8 capital letters or digits'],
    ['^[A-Z0-9-]{4,20}$', '4 to 20 capital letters, digits or -'],
    ['^(a|b)$', null],
    ['^[^x]{2}$', null],
  ])('%s in words', (pattern, said) => {
    expect(patternInWords(pattern)).toBe(said);
  });

  it('is said in words where the service refuses a value', () => {
    expect(inWords('must match ^[A-Z]{2}$')).toBe('is not written as expected: Two letters, as in VN');
    expect(inWords('is required')).toBe('is required');
  });
});

describe('the review of an event', () => {
  const harvest = processIn('rice', 'RICE_HARVESTING');
  const draftWith = (filled: Filled, outputTlc = 'RH-20260915-1') => ({ ...emptyDraft(harvest, filled), outputTlc });
  const filled = filledOf(harvest.shape, {
    variety: 'Jasmine 85',
    harvestedOn: '2026-09-15',
    moisturePercent: 22.125,
    quantity: { value: 1.2, uom: 'KGM' },
    location: { name: 'Example Farm A', country: 'VN', geo: { type: 'Point', coordinates: [105.783412, 10.034518] } },
  });

  it('says what will be recorded in words, from the document that is sent', () => {
    const { sentences, facts } = reviewOf(harvest, draftWith(filled), null);
    expect(sentences).toEqual(['1.2 kg of Paddy, as harvested, lot RH-20260915-1.']);
    expect(facts).toEqual(
      expect.arrayContaining([
        ['Variety', 'Jasmine 85'],
        ['Harvest date', 'Sep 15, 2026'],
        ['Moisture percent', '22.125 %'],
        ['Farm location', 'Example Farm A, Vietnam, 10.034518, 105.783412'],
      ]),
    );
  });

  it('is not made of a company that was typed and not found', () => {
    const shipping = processIn('rice', 'RICE_SHIPPING');
    const at = (to: string, outputCustodian = '') =>
      withoutWallet({ ...emptyDraft(shipping, {}), to, outputCustodian }).map(({ pointer }) => pointer);
    expect(at('Example Mill', 'Mill')).toEqual(['/to', '/outputCustodian']);
    expect(at('')).toEqual(['/to']);
    expect(at(`0x${'a'.repeat(40)}`)).toEqual([]);
    expect(withoutWallet(emptyDraft(harvest, {}))).toEqual([]);
  });

  it('asks about numbers that can be read in two ways, before the service is asked', () => {
    const doubts = doubtsOf(harvest, draftWith(withAt(filled, ['quantity', 'value'], '1,200')));
    expect(doubts).toEqual([{ pointer: '/metadata/quantity/value', typed: '1,200', readings: [1200, 1.2] }]);
    const said = { pointer: '/metadata/quantity/value', message: 'must be a number', severity: 'error' as const };
    expect(withDoubts([said], doubts).map(({ message }) => message)).toEqual(['1,200 can be read in two ways. Choose one.']);
    expect(doubtsOf(harvest, draftWith(filled))).toEqual([]);
  });

  it('asks about the quantities of input lots too', () => {
    const drying = processIn('rice', 'RICE_DRYING');
    const lot = { tokenId: 1, tlc: 'RH-1', name: 'Paddy', left: '8,000 kg', quantity: '6,000', uom: 'KGM' };
    const draft = { ...emptyDraft(drying, {}), lots: [lot] };
    expect(doubtsOf(drying, draft)).toEqual([{ pointer: '/metadata/inputs/0', typed: '6,000', readings: [6000, 6] }]);
    expect(reviewOf(drying, { ...draft, lots: [{ ...lot, quantity: '6000' }] }, null).sentences[0]).toBe(
      'Uses 6,000 kg of Paddy, lot RH-1 (8,000 kg left before).',
    );
  });

  it('keeps the values for another one, without what belongs to one event alone', () => {
    const again = againFrom(
      harvest,
      { ...draftWith({ ...(filled as object), documents: [{ type: 'X', number: '1' }] }) },
      new Date('2026-11-28T10:00:00Z'),
    );
    expect(again).toMatchObject({
      outputTlc: '',
      lots: [],
      filled: { variety: 'Jasmine 85', eventTime: expect.stringContaining('2026-11-28') },
    });
    expect(again.filled).not.toHaveProperty('documents');
  });
});

describe('what is needed although the schema lets it out', () => {
  it('is what the map calls required, and the words of the lot code', () => {
    const packing = processIn('rice', 'RICE_PACKING');
    expect([...neededBy(packing, false)]).toContain('/metadata/line');
    expect([...neededBy(packing, true)]).not.toContain('/metadata/line');
    expect([...neededBy(processIn('rice', 'RICE_HARVESTING'), false)]).toContain('/metadata/plot/geometry');
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
