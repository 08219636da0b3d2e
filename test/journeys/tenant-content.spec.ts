import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keccakOf } from '#kernel';
import { processMapTemplate } from '#traceability';
import { ATTACKS, type Json } from '../harness/costly-schemas.js';
import { neverStops } from '../harness/loop-stops.js';
import { World } from '../harness/world.js';
import { RiceTrade } from './rice-trade.js';

const rice = processMapTemplate('rice');
const { RICE_HARVESTING: harvesting, RICE_SHIPPING: shipping } = rice.processes;
/** A process that makes a lot and one that ships it, with a schema of their own. */
const mapOf = (version: string, metadataSchema: Json): Json => ({
  ...{ ...rice, key: 'attack', version },
  processes: {
    ATTACK: { ...harvesting, label: 'Attack', tlc: {}, metadataSchema },
    ATTACK_SHIPPING: { ...shipping, label: 'Ship', metadataSchema },
  },
});
const numbers = (length: number): Json => ({ list: Array.from({ length }, () => 1) });

/** Every request whose content is held against a schema of the tenant, on the whole service. */
describe('content that is expensive for its schema', () => {
  let world: World;
  let trade: RiceTrade;
  let tokenId: number;
  let eventId: string;
  let token: string;
  let corrector: string;

  beforeAll(async () => {
    world = await World.start();
    trade = await RiceTrade.of(world);
    await trade.api.post('/api/v1/process-maps', mapOf('1.0.0', {}));
    const { outputTlc, ...recorded } = await trade.land(trade.farmA, trade.event(trade.farmA, event('A-1')));
    [tokenId, eventId] = [await trade.tokenOf(outputTlc as string), recorded['eventId'] as string];
    await trade.api.post('/api/v1/process-maps', mapOf('2.0.0', ATTACKS['700 parts for each of 125,000 numbers']!.schema as Json));
    const { actors, admin } = world.tenant('rice');
    [token, corrector] = [await tokenOf(actors['farmA']!), await tokenOf(admin)];
  });
  afterAll(() => world?.close());

  const tokenOf = async ({ email, password }: { readonly email: string; readonly password: string }): Promise<string> =>
    (await trade.api.post<{ accessToken: string }>('/api/v2/auth/login', { email, password, tenantId: 'rice' })).accessToken;
  const metadata = (more: Json = {}): Json => ({ ...trade.metadataOf('RICE_HARVESTING'), ...more });
  const event = (outputTlc: string, more: Json = {}): Json => ({ processType: 'ATTACK', outputTlc, metadata: metadata(more) });
  /** An event in EPCIS has at most 20,000 values. */
  const captured = (lot: string): Json => {
    const { eventTime, eventTimeZoneOffset, location } = trade.metadataOf('RICE_HARVESTING');
    return {
      ...{ type: 'ObjectEvent', action: 'ADD', bizStep: 'commissioning', disposition: 'active', eventTime, eventTimeZoneOffset },
      quantityList: [{ epcClass: `${world.baseUrl}/id/rice/lot/${lot}`, quantity: 8000, uom: 'KGM' }],
      ...{ 'trc:processType': 'ATTACK', 'trc:metadata': { location, ...numbers(15_000) } },
    };
  };
  const document = (...eventList: Json[]): Json => ({
    '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { trc: `${world.baseUrl}/ns/trc#` }],
    ...{ type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-11-20T00:00:00Z', epcisBody: { eventList } },
  });
  const send = async (path: string, body: string, bearer = token): Promise<Json> => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    return (await (await fetch(`${world.baseUrl}/api/v1${path}`, { method: 'POST', headers, body })).json()) as Json;
  };
  const codesOf = (errors: readonly Json[] | undefined): [string, string][] => (errors ?? []).map(({ code, pointer }) => [code, pointer]);

  const requests: readonly [string, () => Json, string][] = [
    ['/events/validate', () => event('A-2', numbers(120_000)), '/metadata'],
    ['/events/prepare', () => event('A-2', numbers(120_000)), '/metadata'],
    ['/events/{id}/supersede/prepare', () => ({ reason: 'incorrect_data', metadata: metadata(numbers(120_000)) }), '/metadata'],
    [
      '/tx/prepare',
      () => {
        const outputs = [{ tlc: 'A-2', assetType: harvesting!.outputs.assetType, custodian: trade.farmA.address }];
        return { method: 'recordEvent', processId: keccakOf('ATTACK'), outputs, metadata: metadata(numbers(120_000)) };
      },
      '/metadata',
    ],
    [
      '/custody/prepare',
      () => ({ tokenIds: [tokenId], to: trade.mill.address, processType: 'ATTACK_SHIPPING', metadata: metadata(numbers(120_000)) }),
      '/metadata',
    ],
  ];
  it.each(requests)('does not stop the others: %s', async (path, make, pointer) => {
    const body = JSON.stringify(make());
    const answer = await neverStops(() => send(path.replace('{id}', eventId), body, path.includes('supersede') ? corrector : token));
    const refusals = (answer['errors'] as (string | Json)[]).filter((error) => typeof error !== 'string');
    expect(codesOf((answer['issues'] ?? refusals) as Json[])).toContainEqual(['validation_too_long', pointer]);
  });

  it('does not stop the others in a batch, nor in a captured document', async () => {
    const batch = JSON.stringify({ events: [1, 2, 3, 4].map((i) => event(`A-${i + 2}`, numbers(15_000))) });
    const { data: prepared } = await neverStops(() => send('/events/prepare/batch', batch));
    const capture = JSON.stringify(document(...Array.from({ length: 12 }, (_, i) => captured(`B-${i}`))));
    const { data } = await neverStops(() => send('/epcis/capture', capture));
    for (const { problem } of [...prepared, ...data] as Json[]) expect(codesOf(problem?.errors)[0]?.[0]).toBe('validation_too_long');
    expect([prepared.length, data.length]).toEqual([4, 12]);
  });

  const long = (length: number, item: (i: number) => unknown): unknown[] => Array.from({ length }, (_, i) => item(i));
  it.each<[string, () => Json]>([
    ['inputs by number', () => event('A-9', { inputs: long(9_000, (i) => ({ tokenId: i + 1000 })) })],
    [
      'inputs by code',
      () => ({ ...event('A-9', { inputs: long(9_000, (i) => ({ tlc: `C-${i}` })) }), inputTokenIds: long(500, (i) => i + 1) }),
    ],
    ['token ids', () => ({ ...event('A-9'), inputTokenIds: long(100_000, (i) => i + 1) })],
    ['co-products', () => event('A-9', { coProducts: long(4_000, (i) => ({ assetType: 'X', tlc: `C-${i}` })) })],
    ['losses', () => event('A-9', { losses: long(4_000, () => ({ kind: 'process', quantity: { value: 1e-9, uom: 'KGM' } })) })],
    ['documents', () => event('A-9', { documents: long(6_000, (i) => ({ type: `T${i}`, validTo: '2001-01-01' })) })],
    ['unknown fields', () => ({ ...event('A-9'), ...Object.fromEntries(long(60_000, (i) => [`outputTl${i}`, 1]) as [string, number][]) })],
  ])('does not stop the others by a long list of %s', async (_, make) => {
    const body = JSON.stringify(make());
    for (const path of ['/events/validate', '/events/prepare'])
      expect(await neverStops(() => send(path, body))).not.toMatchObject({ status: 500 });
  });

  it('does not stop the others by an event with as many lots as a captured one may have', async () => {
    const epcList = long(19_000, (i) => `${world.baseUrl}/id/rice/lot/A-${i % 2 ? 1 : i}`);
    const observed = { ...captured('A-1'), action: 'OBSERVE', quantityList: undefined, epcList, 'trc:metadata': {} };
    const body = JSON.stringify(document(observed));
    expect(await neverStops(() => send('/epcis/capture', body))).toMatchObject({ prepared: 0, refused: 1 });
  });
});
