import { describe, expect, it } from '@jest/globals';
import { type SheetEvent, type SheetLot, localDate, sheetRows } from './fsma-sheet.js';

const FARM = {
  name: 'Green Farm',
  phone: '+1 555 0100',
  street: '1 Field Road',
  city: 'Salinas',
  region: 'CA',
  postalCode: '93901',
  country: 'US',
};
const PACKER = { ...FARM, name: 'Packer', country: 'US' };
const event = (words: Partial<SheetEvent>): SheetEvent => ({
  id: 'e1',
  cte: null,
  kind: 'creation',
  eventTime: new Date('2026-05-01T23:30:00Z'),
  eventTimeZoneOffset: '-07:00',
  location: FARM,
  metadata: {},
  documents: [],
  fields: {},
  inputs: [],
  outputs: [],
  ...words,
});
const line = (tokenId: number, quantity: number | null = null, uom: string | null = 'KGM') => ({ tokenId, quantity, uom });
const lot = (tlc: string, words: Partial<SheetLot> = {}): SheetLot => ({
  tlc,
  description: 'Romaine',
  gtin: null,
  quantity: 500,
  uom: 'KGM',
  assigned: true,
  source: PACKER,
  sourceReference: null,
  ...words,
});
const HARVESTED = lot('GH-1', { assigned: false, source: FARM });
const rowsOf = (of: SheetEvent, lots: [number, SheetLot][], inside: [number, number[]][] = []) => [
  ...sheetRows(of, new Map(lots), new Map(inside)),
];

describe('the sortable sheet', () => {
  it('keeps the code of a harvest out of the TLC column, and names the recipient', () => {
    const metadata = {
      recipient: PACKER,
      fieldName: 'North 4',
      harvestedOn: '2026-05-01',
      harvester: { name: 'Crew 7', phone: '+1 555 0107' },
      quantity: { value: 500, uom: 'KGM' },
    };
    const fields = { destination: '/recipient' };
    const harvest = event({
      cte: 'harvesting',
      metadata,
      fields,
      outputs: [line(1, 500)],
      documents: [{ type: 'FIELD_TAG', number: 'F-1' }],
    });
    expect(rowsOf(harvest, [[1, HARVESTED]])).toMatchObject([
      {
        cte: 'harvesting',
        eventDate: '2026-05-01',
        eventTimeZone: '-07:00',
        tlc: null,
        internalLotCode: 'GH-1',
        quantity: 500,
        unit: 'KGM',
        locationName: 'Green Farm',
        locationPostalCode: '93901',
        subsequentRecipientName: 'Packer',
        tlcSourceName: null,
        harvestDate: '2026-05-01',
        fieldName: 'North 4',
        harvesterName: 'Crew 7',
        harvesterPhone: '+1 555 0107',
        referenceDocumentType: 'FIELD_TAG',
        referenceDocumentNumber: 'F-1',
        inputTlc: null,
      },
    ]);
  });

  it('gives a transformation of three inputs three rows under one event', () => {
    const made = event({
      kind: 'transformation',
      cte: 'transformation',
      inputs: [line(1, 100), line(2, 40), line(3, 60)],
      outputs: [line(4, 190)],
      metadata: { productDescription: 'Salad mix' },
    });
    const rows = rowsOf(made, [
      [1, lot('A')],
      [2, lot('B')],
      [3, lot('C')],
      [4, lot('MIX')],
    ]);
    expect(
      rows.map(({ eventId, tlc, productDescription, inputTlc, inputQuantity, inputUnit }) => [
        eventId,
        tlc,
        productDescription,
        inputTlc,
        inputQuantity,
        inputUnit,
      ]),
    ).toEqual([
      ['e1', 'MIX', 'Salad mix', 'A', 100, 'KGM'],
      ['e1', 'MIX', 'Salad mix', 'B', 40, 'KGM'],
      ['e1', 'MIX', 'Salad mix', 'C', 60, 'KGM'],
    ]);
  });

  it('names the food in a container that was shipped, with the quantity of each lot', () => {
    const shipped = event({
      kind: 'transfer',
      cte: 'shipping',
      inputs: [line(9)],
      metadata: { recipient: PACKER, quantity: { value: 1, uom: 'XPX' } },
      fields: { source: '/location', destination: '/recipient' },
    });
    const rows = rowsOf(
      shipped,
      [
        [4, lot('MIX', { quantity: 190 })],
        [5, lot('HEADS', { quantity: 20, uom: 'H87' })],
        [9, lot('SSCC', { assigned: false })],
      ],
      [[9, [4, 5]]],
    );
    expect(
      rows.map(({ tlc, quantity, unit, previousSourceName, subsequentRecipientName }) => [
        tlc,
        quantity,
        unit,
        previousSourceName,
        subsequentRecipientName,
      ]),
    ).toEqual([
      ['MIX', 190, 'KGM', null, 'Packer'],
      ['HEADS', 20, 'H87', null, 'Packer'],
    ]);
  });

  it('takes what a shipment says about its one lot over what is known of it', () => {
    const shipped = event({
      kind: 'transfer',
      inputs: [line(4, 0)],
      metadata: {
        quantity: { value: 120, uom: 'KGM' },
        productDescription: 'Mix, chilled',
        tlcSource: FARM,
        tlcSourceReference: 'https://tlc.example/1',
      },
    });
    expect(rowsOf(shipped, [[4, lot('MIX')]])).toMatchObject([
      {
        tlc: 'MIX',
        quantity: 120,
        unit: 'KGM',
        productDescription: 'Mix, chilled',
        tlcSourceName: 'Green Farm',
        tlcSourceReference: 'https://tlc.example/1',
      },
    ]);
  });

  it('says nothing where nothing is known: an event without a place, a lot without a unit, words of another shape', () => {
    const odd = event({
      eventTime: null,
      eventTimeZoneOffset: null,
      location: null,
      outputs: [line(1, null, null)],
      metadata: { harvester: 'Joe', recipient: 7, quantity: 'much' },
    });
    const [row] = rowsOf(odd, [[1, lot('X', { quantity: null, uom: null, source: null, description: null })]]);
    expect(row).toMatchObject({
      tlc: 'X',
      eventDate: null,
      eventTimeZone: null,
      quantity: null,
      unit: null,
      locationName: null,
      harvesterName: null,
      subsequentRecipientName: null,
      productDescription: null,
    });
    expect(Object.values(row!).filter((value) => Number.isNaN(value) || value === undefined)).toEqual([]);
    expect(rowsOf(event({ inputs: [line(77)] }), [])).toEqual([]);
  });

  it('dates an event by the calendar of its place', () => {
    const at = new Date('2026-05-01T23:30:00Z');
    expect([localDate(at, '-07:00'), localDate(at, '+05:30'), localDate(at, null), localDate(null, '+01:00')]).toEqual([
      '2026-05-01',
      '2026-05-02',
      '2026-05-01',
      null,
    ]);
  });
});
