import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keccakOf } from '#kernel';
import { World } from '../harness/world.js';
import { type Goods, type Json, RiceTrade } from './rice-trade.js';

/** Right ones, and the same with another check digit. */
const [BAGS, OTHER, BAD_GTIN] = ['09520123450014', '09520123450021', '09520123450022'];
const [SSCC, BAD_SSCC] = ['095200000000000011', '095200000000000012'];
const [GLN, BAD_GLN] = ['9520000100032', '9520000100033'];
const GS1 = 'https://id.gs1.org';

/** Names that contradict each other or cannot be, at every entrance: each is refused, and the pointer leads to it. */
const POINT = { type: 'Point', coordinates: [107.58, 16.46] };
const RING = [
  ...[
    [107, 16],
    [107, 17],
    [108, 17],
  ],
  [107, 16],
];
const WRONG_SHAPES: readonly Json[] = [
  { type: 'warehouse' },
  { ...POINT, type: 'point' },
  { coordinates: POINT.coordinates },
  { type: 'Point' },
  { type: 'Point', coordinates: [16.46, 107.58] },
  { type: 'Point', coordinates: ['107', '16'] },
  { type: 'LineString', coordinates: RING },
  { type: 'Polygon', coordinates: [] },
  { type: 'Polygon', coordinates: [RING.slice(0, 3)] },
  { type: 'MultiPolygon', coordinates: [RING] },
];

describe('the identity of a lot', () => {
  let world: World;
  let trade: RiceTrade;
  let milled: Goods;
  let packed: Goods;
  let dried: Goods;

  beforeAll(async () => {
    world = await World.start();
    await world.play('rice');
    trade = await RiceTrade.of(world);
    const { lot } = await trade.dried();
    dried = lot;
    const { outputTlc: tlc } = await trade.land(trade.mill, trade.event(trade.mill, trade.milling(lot)));
    milled = { tlc: tlc as string, tokenId: await trade.tokenOf(tlc as string) };
    await trade.land(trade.mill, trade.event(trade.mill, trade.packing(milled, 'RP-FAULTS-1', '2028-03-21')));
    packed = { tlc: 'RP-FAULTS-1', tokenId: await trade.tokenOf('RP-FAULTS-1') };
  });
  afterAll(() => world?.close());

  /** What was refused, as `code pointer`; `taken` where nothing was. */
  const faultsOf = async (sent: Promise<unknown>): Promise<string[]> => {
    try {
      await sent;
      return ['taken'];
    } catch (error) {
      const { status, code, body } = error as { status: number; code: string; body: Json };
      const errors = body['errors'] as Json[] | undefined;
      return errors ? errors.map((one) => `${one['code']} ${one['pointer']}`) : [`${status} ${code}`];
    }
  };
  const packing = (metadata: Json, outputTlc = 'RP-FAULTS-2'): Json => {
    const event = trade.packing(milled, outputTlc, '2028-03-21');
    return { ...event, metadata: { ...(event['metadata'] as Json), ...metadata } };
  };
  const pallet = (metadata: Json, outputTlc = SSCC): Json => ({
    processType: 'RICE_PALLETIZING',
    inputTokenIds: [packed.tokenId],
    outputTlc,
    metadata: { ...trade.metadataOf('RICE_PALLETIZING'), sscc: SSCC, ...metadata },
  });
  const milling = (metadata: Json): Json => {
    const event = trade.milling(dried);
    return { ...event, metadata: { ...(event['metadata'] as Json), ...metadata } };
  };
  const husk = (more: Json): Json => ({
    coProducts: [{ assetType: 'RICE_HUSK', tlc: 'RM-FAULTS-H', quantity: { value: 1, uom: 'KGM' }, ...more }],
  });

  /** Of events, by what is wrong with them. */
  const EVENTS: readonly (readonly [what: string, event: () => Json, fault: string])[] = [
    ['a wrong check digit of the GTIN', () => packing({ gtin: BAD_GTIN }), 'wrong_check_digit /metadata/gtin'],
    ['the GTIN of nothing in the map', () => packing({ gtin: OTHER }), 'gtin_mismatch /metadata/gtin'],
    ['the GTIN of the bags for milled rice', () => milling({ gtin: BAGS }), 'gtin_mismatch /metadata/gtin'],
    ['the GTIN of the bags for a co-product', () => milling(husk({ gtin: BAGS })), 'gtin_mismatch /metadata/coProducts/0/gtin'],
    ['a wrong check digit of a co-product', () => milling(husk({ gtin: BAD_GTIN })), 'wrong_check_digit /metadata/coProducts/0/gtin'],
    ['a serial number without a GTIN', () => milling({ serial: 'S9' }), 'serial_without_gtin /metadata/serial'],
    ['a serial number of many bags', () => packing({ serial: 'S9' }), 'serial_of_several /metadata/serial'],
    ['a Digital Link for a code', () => packing({}, `${GS1}/01/${BAGS}/10/A`), 'tlc_is_link /outputTlc'],
    ['the IRI of a lot for a code', () => packing({}, 'https://t.example/id/rice/lot/A'), 'tlc_is_link /outputTlc'],
    ['an SSCC with a GTIN', () => pallet({ gtin: BAGS }), 'sscc_with_gtin /metadata/gtin'],
    ['an SSCC with a serial number', () => pallet({ serial: 'S9' }), 'sscc_with_serial /metadata/serial'],
    ['two SSCCs', () => pallet({}, '095200000000000028'), 'sscc_mismatch /outputTlc'],
    ['a wrong check digit of the SSCC', () => pallet({ sscc: BAD_SSCC }, BAD_SSCC), 'wrong_check_digit /outputTlc'],
    ['a wrong check digit of the SSCC in the metadata', () => pallet({ sscc: BAD_SSCC }), 'wrong_check_digit /metadata/sscc'],
    [
      'a wrong check digit of a GLN',
      () => packing({ location: { name: 'Mill', country: 'VN', gln: BAD_GLN } }),
      'wrong_check_digit /metadata/location/gln',
    ],
    [
      'a wrong GLN in the id of a place',
      () => packing({ location: { name: 'Mill', country: 'VN', id: `${GS1}/414/${BAD_GLN}` } }),
      'wrong_check_digit /metadata/location/id',
    ],
  ];

  it.each(EVENTS)('is refused by prepare and by validate: %s', async (_, event, fault) => {
    expect(await faultsOf(trade.event(trade.mill, event()))).toContain(fault);
    const verdict = await trade.mill.api.post<Json>('/api/v1/events/validate', event());
    // Its sentences begin with the pointer into the metadata.
    expect(verdict['errors'].join()).toContain(fault.split(' ')[1]!.replace('/metadata', ''));
  });

  it('is refused by a batch, event by event', async () => {
    const { data } = await trade.mill.api.post<Json>('/api/v1/events/prepare/batch', { events: EVENTS.map(([, event]) => event()) });
    const faults = (data as Json[]).map(({ problem }) =>
      ((problem?.['errors'] ?? []) as Json[]).map((one) => `${one['code']} ${one['pointer']}`),
    );
    for (const [i, [, , fault]] of EVENTS.entries()) expect(faults[i]).toContain(fault);
  });

  const packed2 = { gtin: BAGS };
  it.each<[string, Json, string]>([
    ['the GTIN of nothing in the map', { tlc: 'RP-FAULTS-3', gtin: OTHER }, 'gtin_mismatch /outputs/0/gtin'],
    ['a wrong check digit', { tlc: 'RP-FAULTS-3', gtin: BAD_GTIN }, 'wrong_check_digit /outputs/0/gtin'],
    ['a Digital Link for a code', { tlc: `${GS1}/01/${BAGS}/10/A`, ...packed2 }, 'tlc_is_link /outputs/0/tlc'],
  ])('is refused in outputs of a free call: %s', async (_, output, fault) => {
    const { metadata, inputTokenIds } = packing({});
    const { gtin: _own, ...words } = metadata as Json;
    const body = {
      ...{ method: 'recordEvent', processId: keccakOf('RICE_PACKING'), inputTokenIds, metadata: words },
      outputs: [{ assetType: 'RICE_PACKED_5KG', custodian: trade.mill.address, ...output }],
    };
    expect(await faultsOf(trade.call(trade.mill, body))).toContain(fault);
  });

  it.each<[string, Json, string]>([
    [
      'a wrong check digit of a product',
      { quantityList: [{ epcClass: `${GS1}/01/${BAD_GTIN}/10/A`, quantity: 1 }] },
      'bad_check_digit /quantityList/0',
    ],
    ['a wrong check digit of a container', { epcList: [`${GS1}/00/${BAD_SSCC}`] }, 'bad_check_digit /epcList/0'],
    ['an SSCC with a lot number', { epcList: [`${GS1}/00/${SSCC}/10/A`] }, 'sscc_with_lot /epcList/0'],
    ['a GTIN without a lot', { quantityList: [{ epcClass: `${GS1}/01/${BAGS}`, quantity: 1 }] }, 'no_lot_name /quantityList/0'],
    [
      'a wrong check digit of a place',
      { epcList: [`${GS1}/00/${SSCC}`], readPoint: { id: `${GS1}/414/${BAD_GLN}` } },
      'wrong_check_digit /readPoint',
    ],
  ])('is refused by capture: %s', async (_, members, fault) => {
    const event = {
      ...{ type: 'ObjectEvent', action: 'OBSERVE', bizStep: 'shipping', disposition: 'in_transit' },
      ...{ eventTime: '2026-11-20T08:00:00Z', eventTimeZoneOffset: '+07:00', readPoint: { id: `${GS1}/414/${GLN}` } },
      ...members,
    };
    const { data } = await trade.mill.api.post<Json>('/api/v1/epcis/capture', {
      ...{ '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'], type: 'EPCISDocument' },
      ...{ schemaVersion: '2.0', creationDate: '2026-11-28T00:00:00Z', epcisBody: { eventList: [event] } },
    });
    const [code, pointer] = fault.split(' ');
    const { errors } = (data as Json[])[0]!['problem'] as Json;
    expect((errors as Json[]).map((one) => `${one['code']} ${one['pointer']}`)).toContain(`${code} /epcisBody/eventList/0${pointer}`);
  });

  const link = (path: string): string => encodeURIComponent(GS1 + path);
  it.each<[string, string]>([
    [`nfts/by-tlc/A?gtin=${BAD_GTIN}`, 'wrong_check_digit /gtin'],
    [`nfts/by-tlc/${link(`/01/${BAD_GTIN}/10/A`)}`, 'wrong_check_digit /tlc'],
    [`nfts/by-tlc/${link(`/00/${BAD_SSCC}`)}`, 'wrong_check_digit /tlc'],
    [`nfts/by-tlc/${link(`/00/${SSCC}/10/A`)}`, 'sscc_with_lot /tlc'],
    [`nfts/by-tlc/${link(`/01/${BAGS}`)}`, 'no_lot_name /tlc'],
    [`nfts?gtin=${BAD_GTIN}`, 'wrong_check_digit /gtin'],
    [`nfts?tlc=${link(`/01/${BAD_GTIN}/10/A`)}`, 'wrong_check_digit /tlc'],
    [`events?tlc=${link(`/00/${SSCC}/21/A`)}`, 'sscc_with_lot /tlc'],
    [`events?format=epcis&tlc=${link(`/01/${BAD_GTIN}/10/A`)}`, 'wrong_check_digit /tlc'],
    [`reports/fsma204?tlc=${link(`/01/${BAD_GTIN}/10/A`)}`, 'wrong_check_digit /tlc'],
  ])('is refused in a query: %s', async (path, fault) => {
    expect(await faultsOf(trade.api.get(`/api/v1/${path}`))).toContain(fault);
  });

  it.each<[string, number, string]>([
    [`/01/${BAD_GTIN}/10/A`, 400, 'digital_link_malformed'],
    [`/01/${BAD_GTIN}/21/A`, 400, 'digital_link_malformed'],
    [`/01/${BAD_GTIN}/10/A/21/B`, 400, 'digital_link_malformed'],
  ])('is refused as a Digital Link: %s', async (path, status, code) => {
    const answer = await fetch(world.baseUrl + path, { headers: { accept: 'application/json' } });
    expect([answer.status, ((await answer.json()) as Json)['code']]).toEqual([status, code]);
  });

  it('of a place is refused with organisations, sites and hand-overs', async () => {
    const { api } = trade;
    expect(await faultsOf(api.post('/api/v1/organisations', { name: 'Wrong', gln: BAD_GLN }))).toContain('wrong_check_digit /gln');
    const { id } = await api.post<{ id: string }>('/api/v1/organisations', { name: 'Right' });
    expect(await faultsOf(api.post(`/api/v1/organisations/${id}/sites`, { name: 'Shed', gln: BAD_GLN }))).toContain(
      'wrong_check_digit /gln',
    );
    const shed = (location: Json): Promise<string[]> => faultsOf(api.post(`/api/v1/organisations/${id}/sites`, { name: 'Shed', location }));
    for (const shape of WRONG_SHAPES) {
      expect(await shed(shape)).toEqual(['wrong_geometry /location']);
      expect(await shed({ city: 'Huế', geo: shape })).toEqual(['wrong_geometry /location/geo']);
    }
    for (const location of [POINT, { geo: POINT }, { type: 'Polygon', coordinates: [RING] }, { city: 'Huế' }])
      await api.post(`/api/v1/organisations/${id}/sites`, { name: 'Shed', location });
    const note = { tokenIds: [packed.tokenId], to: trade.dist.address, metadata: { location: { gln: BAD_GLN } } };
    expect(await faultsOf(trade.custody(trade.mill, note))).toEqual(['wrong_check_digit /metadata/location/gln']);
  });
});
