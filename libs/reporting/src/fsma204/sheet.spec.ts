import { describe, expect, it } from '@jest/globals';
import { processMapTemplate } from '#traceability';
import { type OwnEvent, type SheetProcess, extraColumns, sheetProcess, sheetsOf } from './kde.js';
import { type Cte, type SheetFacts, type SheetLot, sheetRows } from './sheet.rules.js';

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
const OTHER_FARM = { ...FARM, name: 'Blue Farm', city: 'Gilroy' };

/** Processes as the templates declare them. */
const PROCESSES = new Map(
  ['leafy-greens', 'seafood'].flatMap((key) =>
    Object.entries(processMapTemplate(key).processes).map(([processType, process]): [string, SheetProcess] => [
      processType,
      sheetProcess({
        processType,
        kind: process.kind,
        fsma204: process.fsma204 ?? null,
        fields: process.fields ?? {},
        publicPointers: process.visibility?.public ?? [],
        kdes: process.kdes ?? [],
      }),
    ]),
  ),
);
const event = (processType: string | null, words: Partial<Cte>): Cte => ({
  id: 'e1',
  process: PROCESSES.get(processType ?? '') ?? null,
  kind: 'creation',
  eventTime: new Date('2026-05-01T23:30:00Z'),
  eventTimeZoneOffset: '-07:00',
  location: FARM,
  metadata: {},
  documents: [],
  inputs: [],
  outputs: [],
  ...words,
});
const line = (tokenId: number, quantity: number | null = null, uom: string | null = 'KGM') => ({ tokenId, quantity, uom });
const lot = (tlc: string, words: Partial<SheetLot> = {}): SheetLot => ({
  tlc,
  description: 'Romaine',
  gtin: null,
  assigned: true,
  source: PACKER,
  sourceReference: null,
  ...words,
});
const HARVESTED = lot('GH-1', { assigned: false, source: FARM });
const state = (tokenId: number, tlc: string, remaining: string | null, uom: string | null = 'KGM') => ({
  tokenId,
  tlc,
  remaining,
  uom,
  gtin: null,
  isContainer: false,
  assetType: null,
});
const rowsOf = (
  of: Cte,
  lots: [number, SheetLot][],
  { states = [], contents = [], own = [] }: { states?: ReturnType<typeof state>[]; contents?: [number, number[]][]; own?: OwnEvent[] } = {},
) => {
  const facts: SheetFacts = {
    lots: new Map(lots),
    states: new Map(states.map((one) => [one.tokenId, one])),
    contents: new Map(contents),
    own: new Map([...new Set(own.map(({ tokenId }) => tokenId))].map((id) => [id, own.filter(({ tokenId }) => tokenId === id)])),
  };
  return [...sheetRows(of, facts)];
};
const ownEvent = (tokenId: number, processType: string, metadata: object, readable = true): OwnEvent => ({
  tokenId,
  block: 1,
  logIndex: 0,
  process: PROCESSES.get(processType)!,
  metadata,
  readable,
});
const harvestOf = (tokenId: number, farm: object, field: string, crew: string): OwnEvent =>
  ownEvent(tokenId, 'GREENS_HARVESTING', {
    location: farm,
    commodity: 'Romaine lettuce',
    fieldName: field,
    harvestedOn: '2026-05-01',
    harvester: { name: crew, phone: '+1 555 0107' },
  });

describe('the sortable sheet', () => {
  it('keeps the code of a harvest out of the TLC column, and names the recipient', () => {
    const metadata = {
      recipient: PACKER,
      location: FARM,
      commodity: 'Romaine lettuce',
      variety: 'Parris Island',
      fieldName: 'North 4',
      harvestedOn: '2026-05-01',
      harvester: { name: 'Crew 7', phone: '+1 555 0107' },
      quantity: { value: 500, uom: 'KGM' },
    };
    const harvest = event('GREENS_HARVESTING', {
      metadata,
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
        commodity: 'Romaine lettuce',
        variety: 'Parris Island',
        locationName: 'Green Farm',
        locationPostalCode: '93901',
        farmName: 'Green Farm',
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

  it('tells of two harvests in one packed lot each its own farm, field, product, harvester and cooling', () => {
    const packed = event('GREENS_INITIAL_PACKING', {
      kind: 'transformation',
      inputs: [line(1, 100), line(2, 40)],
      outputs: [line(3, 13, 'XCS')],
      metadata: {
        productDescription: 'Hearts, case of 24',
        packedOn: '2026-05-02',
        // What the packer says of all is true of neither where each says it for itself.
        fieldName: 'North 4',
        receivedOn: '2026-05-02',
        inputs: [
          { tlc: 'GH-1', quantity: { value: 100, uom: 'KGM' }, quantityReceived: { value: 110, uom: 'KGM' } },
          { tlc: 'BH-1', quantity: { value: 40, uom: 'KGM' }, variety: 'Little Gem' },
        ],
      },
    });
    const own = [
      harvestOf(1, FARM, 'North 4', 'Crew 7'),
      ownEvent(2, 'GREENS_COOLING', { location: PACKER, cooledOn: '2026-05-02', growingFarm: OTHER_FARM }),
      harvestOf(2, OTHER_FARM, 'Hill 1', 'Crew 9'),
    ];
    const rows = rowsOf(
      packed,
      [
        [1, HARVESTED],
        [2, lot('BH-1', { assigned: false, description: 'Little gem, field harvested' })],
        [3, lot('P1')],
      ],
      { own },
    );
    expect(rows).toMatchObject([
      {
        ...{ tlc: 'P1', productDescription: 'Hearts, case of 24', packingDate: '2026-05-02', quantity: 13, unit: 'XCS' },
        ...{ inputTlc: 'GH-1', inputProduct: 'Romaine', inputQuantity: 100, farmName: 'Green Farm', fieldName: 'North 4' },
        ...{ harvesterName: 'Crew 7', coolingDate: null, coolingLocationName: null, variety: null, dateReceived: '2026-05-02' },
        ...{ quantityReceived: 110, unitReceived: 'KGM' },
      },
      {
        ...{ tlc: 'P1', productDescription: 'Hearts, case of 24', packingDate: '2026-05-02' },
        ...{ inputTlc: 'BH-1', inputProduct: 'Little gem, field harvested', inputQuantity: 40, farmName: 'Blue Farm', fieldName: 'Hill 1' },
        ...{ harvesterName: 'Crew 9', coolingDate: '2026-05-02', coolingLocationName: 'Packer', variety: 'Little Gem' },
        ...{ dateReceived: '2026-05-02', quantityReceived: null },
      },
    ]);
  });

  it('takes what the event says of its inputs where they say nothing, and shows of others only what is public', () => {
    const packed = (own: OwnEvent[]) =>
      rowsOf(
        event('GREENS_INITIAL_PACKING', {
          kind: 'transformation',
          inputs: [line(1, 100)],
          outputs: [line(3, 13, 'XCS')],
          metadata: { fieldName: 'As told', harvestedOn: '2026-04-30', commodity: 'Romaine' },
        }),
        [
          [1, HARVESTED],
          [3, lot('P1')],
        ],
        { own },
      )[0]!;
    expect(packed([])).toMatchObject({ fieldName: 'As told', harvestDate: '2026-04-30', commodity: 'Romaine' });
    const { metadata, ...hidden } = harvestOf(1, FARM, 'North 4', 'Crew 7');
    expect(packed([{ ...hidden, metadata, readable: false }])).toMatchObject({
      fieldName: 'As told',
      harvesterName: null,
      harvestDate: '2026-05-01',
      commodity: 'Romaine lettuce',
    });
  });

  it('gives a transformation of three inputs three rows under one event', () => {
    const made = event('GREENS_TRANSFORMATION', {
      kind: 'transformation',
      inputs: [line(1, 100), line(2, 40), line(3, 60)],
      outputs: [line(4, 190)],
      metadata: { productDescription: 'Salad mix', completedOn: '2026-05-03' },
    });
    const rows = rowsOf(made, [
      [1, lot('A')],
      [2, lot('B')],
      [3, lot('C')],
      [4, lot('MIX')],
    ]);
    expect(
      rows.map(({ eventId, tlc, productDescription, transformationDate, inputTlc, inputQuantity, inputUnit }) => [
        ...[eventId, tlc, productDescription, transformationDate],
        ...[inputTlc, inputQuantity, inputUnit],
      ]),
    ).toEqual([
      ['e1', 'MIX', 'Salad mix', '2026-05-03', 'A', 100, 'KGM'],
      ['e1', 'MIX', 'Salad mix', '2026-05-03', 'B', 40, 'KGM'],
      ['e1', 'MIX', 'Salad mix', '2026-05-03', 'C', 60, 'KGM'],
    ]);
  });

  it('says of each lot that was shipped how much of it there was then, also in a container', () => {
    const metadata = { recipient: PACKER, quantity: { value: 1, uom: 'XPX' } };
    const lots: [number, SheetLot][] = [
      [4, lot('MIX')],
      [5, lot('HEADS')],
      [9, lot('SSCC', { assigned: false })],
    ];
    const states = [state(4, 'MIX', '70'), state(5, 'HEADS', '20', 'H87'), state(9, 'SSCC', null, null)];
    const shipped = (inputs: number[], contents: [number, number[]][]) =>
      rowsOf(event('GREENS_SHIPPING', { kind: 'transfer', inputs: inputs.map((tokenId) => line(tokenId, null, null)), metadata }), lots, {
        states,
        contents,
      }).map(({ tlc, quantity, unit, previousSourceName, subsequentRecipientName }) => [
        ...[tlc, quantity, unit],
        ...[previousSourceName, subsequentRecipientName],
      ]);
    const expected = [
      ['MIX', 70, 'KGM', null, 'Packer'],
      ['HEADS', 20, 'H87', null, 'Packer'],
    ];
    expect(shipped([4, 5], [])).toEqual(expected);
    expect(shipped([9], [[9, [4, 5]]])).toEqual(expected);
  });

  it('takes what a shipment says about its one lot over what is known of it, and of several what is known of each', () => {
    const words = { tlcSource: FARM, tlcSourceReference: 'https://tlc.example/1', productDescription: 'Mix, chilled' };
    const metadata = { quantity: { value: 120, uom: 'KGM' }, ...words };
    const shipped = (...tokenIds: number[]) =>
      rowsOf(
        event('GREENS_SHIPPING', { kind: 'transfer', inputs: tokenIds.map((tokenId) => line(tokenId, 0)), metadata }),
        [
          [4, lot('MIX')],
          [5, lot('HEADS', { sourceReference: 'R-5' })],
        ],
        { states: [state(4, 'MIX', '190'), state(5, 'HEADS', '20')] },
      );
    expect(shipped(4)).toMatchObject([
      {
        ...{ tlc: 'MIX', quantity: 120, unit: 'KGM', productDescription: 'Mix, chilled' },
        ...{ tlcSourceName: 'Green Farm', tlcSourceReference: 'https://tlc.example/1' },
      },
    ]);
    expect(shipped(4, 5)).toMatchObject([
      { tlc: 'MIX', quantity: 190, productDescription: 'Romaine', tlcSourceName: 'Packer' },
      { tlc: 'HEADS', quantity: 20, productDescription: 'Romaine', tlcSourceName: 'Packer', tlcSourceReference: 'R-5' },
    ]);
  });

  it('has the trip of each landed catch, and the columns that a map adds', () => {
    const landed = event('SEAFOOD_LANDING', {
      kind: 'transformation',
      inputs: [line(1, 900)],
      outputs: [line(2, 890)],
      metadata: { species: 'Gadus morhua', landedOn: '2026-05-01' },
    });
    const trip = {
      species: 'Gadus morhua',
      harvestedFrom: '2026-04-20',
      harvestedTo: '2026-04-27',
      catchLocations: ['FAO 27.2.a', 'FAO 27.1'],
    };
    expect(
      rowsOf(
        landed,
        [
          [1, lot('TRIP')],
          [2, lot('L1')],
        ],
        { own: [ownEvent(1, 'SEAFOOD_VESSEL_HARVEST', trip)] },
      ),
    ).toMatchObject([
      {
        ...{ cte: 'first_land_based_receiving', species: 'Gadus morhua', landingDate: '2026-05-01', harvestDate: '2026-04-20' },
        ...{ harvestDateEnd: '2026-04-27', catchLocations: 'FAO 27.2.a; FAO 27.1', inputTlc: 'TRIP' },
      },
    ]);
    const sprouts = event('SPROUTS_INITIAL_PACKING', {
      outputs: [line(2, 10)],
      metadata: { seedSupplier: { name: 'Seeds Ltd', country: 'US' }, seedLot: 'S-1', seedPackedOn: '2026-01-01' },
    });
    expect(rowsOf(sprouts, [[2, lot('SP1')]])[0]!.kdes).toEqual({
      'Seed supplier': 'Seeds Ltd, US',
      'Seed lot code of the sprouter': 'S-1',
      'Date of seed packing': '2026-01-01',
    });
    expect(extraColumns(PROCESSES.values())).toContain('Description of the seeds');
  });

  it('has a worksheet for each critical tracking event, with the columns of its key data elements', () => {
    const sheets = new Map(sheetsOf([...PROCESSES.values()]).map(({ name, columns }) => [name, columns]));
    expect([...sheets.keys()]).toEqual([
      ...['harvesting', 'cooling', 'initial_packing', 'first_land_based_receiving'],
      ...['shipping', 'receiving', 'transformation'],
    ]);
    expect(sheets.get('harvesting')).toEqual(expect.arrayContaining(['Internal lot code', 'Farm name', 'Field name', 'Harvester phone']));
    expect(sheets.get('harvesting')).not.toContain('Input TLC');
    expect(sheets.get('initial_packing')).toEqual(expect.arrayContaining(['Input TLC', 'Cooling location city', 'Seed supplier']));
    expect(sheets.get('shipping')).toEqual(expect.arrayContaining(['Subsequent recipient name', 'TLC source name', 'Shipping date']));
    expect(sheets.get('receiving')).toEqual(expect.arrayContaining(['Previous source name', 'TLC source reference', 'Date received']));
  });

  it('says nothing where nothing is known: an event without a place, a lot without a unit, words of another shape', () => {
    const odd = event('GREENS_HARVESTING', {
      eventTime: null,
      eventTimeZoneOffset: null,
      location: null,
      outputs: [line(1, null, null)],
      metadata: { harvester: 'Joe', recipient: 7, quantity: 'much', commodity: '' },
    });
    const [row] = rowsOf(odd, [[1, lot('X', { source: null, description: null })]]);
    expect(row).toMatchObject({
      ...{ tlc: 'X', eventDate: null, eventTimeZone: null, quantity: null, unit: null, locationName: null },
      ...{ harvesterName: null, subsequentRecipientName: null, productDescription: null, commodity: null },
    });
    expect(Object.values(row!).filter((value) => Number.isNaN(value) || value === undefined)).toEqual([]);
    expect(rowsOf(event(null, { inputs: [line(77)] }), [])).toEqual([]);
    expect(rowsOf(event(null, { metadata: null, outputs: [line(1, 5)] }), [[1, lot('X')]])).toMatchObject([{ cte: null, quantity: 5 }]);
  });
});
