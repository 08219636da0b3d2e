import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '../epcis/json.js';
import { LotKey } from '#kernel';
import { type KnownLot, KnownLots, type KnownProcess } from './captured-goods.js';
import { type CaptureContext, mapEvent } from './event-mapping.js';

interface ProcessMap {
  readonly key: string;
  readonly assetTypes: Readonly<Record<string, { readonly gtin?: string }>>;
  readonly processes: Readonly<
    Record<
      string,
      {
        readonly epcis: KnownProcess['epcis'];
        readonly inputs: { readonly assetTypes: readonly string[] };
        readonly outputs: { readonly assetType?: string; readonly coProducts?: readonly string[] };
        readonly fields?: Readonly<Record<string, string>>;
      }
    >
  >;
}

const root = new URL('../../../../../', import.meta.url);
const processesOf = (name: string): KnownProcess[] => {
  const map = JSON.parse(readFileSync(new URL(`libs/traceability/src/templates/${name}.json`, root), 'utf8')) as ProcessMap;
  const gtins = new Map(Object.entries(map.assetTypes).flatMap(([key, { gtin }]): [string, string][] => (gtin ? [[gtin, key]] : [])));
  return Object.entries(map.processes).map(([processType, { epcis, inputs, outputs, fields = {} }]) => ({
    processType,
    mapName: map.key,
    epcis,
    inputAssetTypes: inputs.assetTypes,
    outputAssetType: outputs.assetType ?? null,
    coProducts: outputs.coProducts ?? [],
    fields,
    gtins,
  }));
};

const lot = (tokenId: bigint, code: string, assetType: string, gtin: string | null = null): KnownLot => ({
  tokenId,
  code,
  key: LotKey.of({ tlc: code, gtin, isContainer: assetType.endsWith('PALLET') }).text,
  assetType,
  gtin,
  serial: null,
});
const context: CaptureContext = {
  tenant: 'demo',
  processes: processesOf('rice'),
  made: new Map([['made-before', 0]]),
  lots: new KnownLots([
    lot(1n, 'RH-1', 'RICE_PADDY_WET'),
    lot(2n, 'RD-1', 'RICE_PADDY_DRY'),
    lot(3n, 'RM-1', 'RICE_MILLED'),
    lot(4n, 'RP-1', 'RICE_PACKED_5KG', '09520123450014'),
    lot(5n, '095200000000000011', 'RICE_PALLET'),
  ]),
  sites: new Map([['9520000100032', { name: 'Example Mill', country: 'VN' }]]),
};
const ours = (code: string): string => `https://trace.example/id/demo/lot/${code}`;
const when = { eventTime: '2026-09-17T20:00:00Z', eventTimeZoneOffset: '+07:00' };
const at = '/epcisBody/eventList/7';
const mapped = (event: Json) => {
  const found = mapEvent({ ...when, ...event }, at, context, 7);
  if (!('processType' in found)) throw new Error(JSON.stringify(found));
  return found;
};
const refused = (event: Json): string[] => {
  const found = mapEvent({ ...when, ...event }, at, context, 7);
  return 'processType' in found ? [] : found.map(({ pointer, code }) => `${code} ${pointer}`);
};

const packing = {
  type: 'TransformationEvent',
  bizStep: 'commissioning',
  disposition: 'active',
  readPoint: { id: 'https://id.gs1.org/414/9520000100032' },
  bizTransactionList: [
    { type: 'testres', bizTransaction: 'urn:epcglobal:cbv:bt:9520000100032:LAB-1' },
    { type: 'prodorder', bizTransaction: 'https://trace.example/id/demo/doc/BATCH_LOG/BL-1%2F2' },
  ],
  inputQuantityList: [{ epcClass: ours('RM-1'), quantity: 500, uom: 'KGM' }],
  outputQuantityList: [{ epcClass: 'https://id.gs1.org/01/09520123450014/10/RP-2', quantity: 100, uom: 'H87' }],
  ilmd: { 'cbvmda:bestBeforeDate': '2028-03-21', 'cbvmda:descriptionShort': 'Rice' },
  'trc:metadata': { packedOn: '2026-09-17' },
};

describe('a captured event', () => {
  it('reads names of the seafood dialogue as codes of their own', () => {
    const named = 'urn:gdst:fishers.example:product:lot:class:TUNA.L-1';
    const harvest = {
      type: 'ObjectEvent',
      action: 'ADD',
      bizStep: 'commissioning',
      quantityList: [{ epcClass: named, quantity: 5, uom: 'KGM' }],
    };
    expect(mapped({ ...harvest, 'trc:processType': 'RICE_HARVESTING' }).outputTlc).toBe(named);
    const product = 'urn:gdst:fishers.example:product:class:TUNA';
    expect(refused({ ...harvest, 'trc:processType': 'RICE_HARVESTING', quantityList: [{ epcClass: product }] })).toEqual([
      `no_lot_name ${at}/quantityList/0`,
    ]);
  });

  it('reads one value in the place of a list of it', () => {
    const { bizTransactionList, ...rest } = packing as Json;
    const [one] = bizTransactionList as unknown[];
    expect(mapped({ ...rest, bizTransactionList: one }).metadata['documents']).toHaveLength(1);
  });

  it('becomes an event of the process that makes what it makes', () => {
    const { pointer: _, ...found } = mapped(packing);
    expect(found).toEqual({
      processType: 'RICE_PACKING',
      inputTokenIds: [3n],
      outputTlc: 'RP-2',
      metadata: {
        ...when,
        location: { name: 'Example Mill', country: 'VN', id: 'https://id.gs1.org/414/9520000100032', gln: '9520000100032' },
        quantity: { value: 100, uom: 'H87' },
        inputs: [{ tlc: 'RM-1', quantity: { value: 500, uom: 'KGM' } }],
        documents: [
          { type: 'TEST_REPORT', number: 'LAB-1', issuer: '9520000100032' },
          { type: 'BATCH_LOG', number: 'BL-1/2' },
        ],
        gtin: '09520123450014',
        bestBefore: '2028-03-21',
        productDescription: 'Rice',
        packedOn: '2026-09-17',
      },
    });
  });

  it('keeps the part of a place that an extension names', () => {
    expect(mapped({ ...packing, readPoint: { id: 'urn:epc:id:sgln:952000010.003.cold%20store' } }).metadata['location']).toMatchObject({
      id: 'https://id.gs1.org/414/9520000100032/254/cold%20store',
      gln: '9520000100032',
    });
  });

  it('keeps the name of a document whose percent signs escape nothing', () => {
    const bizTransactionList = [{ type: 'prodorder', bizTransaction: 'https://trace.example/id/demo/doc/%E0%A4%A/100%' }];
    expect(mapped({ ...packing, bizTransactionList }).metadata['documents']).toEqual([{ type: '%E0%A4%A', number: '100%' }]);
  });

  it('cuts the number of a document between characters', () => {
    const bizTransactionList = [
      { type: 'testres', bizTransaction: `urn:epcglobal:cbv:bt:9520000100032:${'x'.repeat(119)}${'🌾'.repeat(20)}` },
    ];
    const [{ number }] = mapped({ ...packing, bizTransactionList }).metadata['documents'] as [{ number: string }];
    expect(number).toMatch(/^x{119}🌾$/u);
  });

  it.each([
    ['/metadata/quantity/uom', '/outputQuantityList/0'],
    ['/metadata/inputs/0/quantity', '/inputQuantityList/0'],
    ['/inputTokenIds/0', '/inputQuantityList/0'],
    ['/outputTlc', '/outputQuantityList/0'],
    ['/metadata/location/country', '/readPoint'],
    ['/metadata/documents/1', '/bizTransactionList/1'],
    ['/metadata/bestBefore', '/ilmd/cbvmda:bestBeforeDate'],
    ['/metadata/packedOn', '/trc:metadata/packedOn'],
    ['/metadata/moisturePercent', '/trc:metadata/moisturePercent'],
    ['/metadata', ''],
  ])('has what is wrong at %s of the submission at %s', (submitted, pointer) => {
    expect(mapped(packing).pointer(submitted)).toBe(at + pointer);
  });

  it.each<[string, Json, string, object]>([
    [
      'by what goes in',
      { type: 'TransformationEvent', bizStep: 'commissioning', inputEPCList: [ours('RD-1')], outputEPCList: [ours('RM-2')] },
      'RICE_MILLING',
      { inputTokenIds: [2n] },
    ],
    [
      'by its name',
      { type: 'TransformationEvent', 'trc:processType': 'RICE_DRYING', inputEPCList: [ours('RH-1')], outputEPCList: [ours('RD-2')] },
      'RICE_DRYING',
      { outputTlc: 'RD-2' },
    ],
    [
      'of packing a container',
      {
        type: 'AggregationEvent',
        action: 'ADD',
        bizStep: 'urn:epcglobal:cbv:bizstep:packing',
        parentID: 'urn:epc:id:sscc:9520000.0000000002',
        childQuantityList: [{ epcClass: 'https://id.gs1.org/01/09520123450014/10/RP-1' }],
      },
      'RICE_PALLETIZING',
      { inputTokenIds: [4n] },
    ],
    [
      'of breaking one up',
      { type: 'AggregationEvent', action: 'DELETE', bizStep: 'unpacking', parentID: 'https://id.gs1.org/00/095200000000000011' },
      'RICE_DEPALLETIZING',
      { inputTokenIds: [5n], outputTlc: null },
    ],
    [
      'of receiving',
      {
        type: 'ObjectEvent',
        action: 'OBSERVE',
        bizStep: 'receiving',
        epcList: ['https://id.gs1.org/00/095200000000000011'],
        sourceList: [{ type: 'possessing_party', source: 'https://id.gs1.org/417/9520000100032' }],
      },
      'RICE_RECEIVING',
      { inputTokenIds: [5n] },
    ],
  ])('%s', (_, event, processType, more) => {
    expect(mapped(event)).toMatchObject({ processType, ...more });
  });

  it.each<[Json, string[]]>([
    [
      { type: 'ObjectEvent', action: 'ADD', bizStep: 'creating_class_instance', quantityList: [{ epcClass: ours('X') }] },
      [`process_missing ${at}/bizStep`],
    ],
    [{ type: 'ObjectEvent', action: 'OBSERVE', epcList: [ours('RH-1')] }, [`required ${at}/bizStep`]],
    [
      { type: 'ObjectEvent', 'trc:processType': 'nothing', action: 'OBSERVE', epcList: [ours('RH-1')] },
      [`process_missing ${at}/trc:processType`],
    ],
    [
      { type: 'TransformationEvent', bizStep: 'commissioning', inputEPCList: [ours('?')], outputEPCList: [ours('Y')] },
      [`process_ambiguous ${at}/bizStep`, `no_lot_name ${at}/inputEPCList/0`],
    ],
    [{ ...packing, inputEPCList: [ours('made-before')] }, [`lot_not_landed ${at}/inputEPCList/0`]],
    [{ ...packing, inputEPCList: [ours('gone')] }, [`lot_not_found ${at}/inputEPCList/0`]],
    [{ ...packing, inputEPCList: [ours('RM-1')] }, [`repeated ${at}/inputEPCList/0`]],
    [
      { ...packing, outputQuantityList: [{ epcClass: 'https://id.gs1.org/01/09520123450015/10/RP-2' }] },
      [`bad_check_digit ${at}/outputQuantityList/0`],
    ],
    [
      { ...packing, outputQuantityList: [{ epcClass: 'https://id.gs1.org/01/09520123450014' }] },
      [`no_lot_name ${at}/outputQuantityList/0`],
    ],
    [
      { ...packing, inputQuantityList: [{ epcClass: 'https://id.gs1.org/01/09520223450013/10/RP-1' }] },
      [`other_product ${at}/inputQuantityList/0`],
    ],
    [{ ...packing, 'trc:processType': 'RICE_MILLING', outputEPCList: [ours('other')] }, [`asset_type_unknown ${at}/outputEPCList/0`]],
  ])('%j is refused: %j', (event, codes) => {
    expect(refused(event).toSorted()).toEqual(expect.arrayContaining(codes));
  });
});

const given = new URL('../../../../../../shared/data/epcis/', import.meta.url);

(existsSync(given) ? describe : describe.skip)('documents of the field', () => {
  it.each([
    'fsma204-harvest-cte.jsonld',
    'fsma204-initial-packing-cte.jsonld',
    'fsma204-cooling-cte.jsonld',
    'fsma204-transformation-cte.jsonld',
  ])('%s: each event is placed, or says which process is missing', (name) => {
    const document = JSON.parse(readFileSync(new URL(name, given), 'utf8')) as { epcisBody: { eventList: Json[] } };
    for (const [i, event] of document.epcisBody.eventList.entries()) {
      const found = mapEvent(event, `/epcisBody/eventList/${i}`, context, i);
      const missing = 'processType' in found ? [] : found.filter(({ code }) => code === 'process_missing').map(({ message }) => message);
      // Receiving is a process of the rice map; only the lot is not known.
      const steps = event['bizStep'] === 'receiving' ? [] : [event['bizStep']];
      expect(missing.map((message) => / with bizStep (\w+)/.exec(message)?.[1])).toEqual(steps);
    }
  });
});
