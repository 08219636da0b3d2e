import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentFaults, eventFaults, eventHashId } from '#interchange/testing';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { dataFolder } from '../conformance/suites.js';
import { World } from '../harness/world.js';
import { type Read, captureBoundsSuite } from './epcis-bounds.suite.js';
import { lotExportsSuite } from './epcis-exports.suite.js';
import { RiceTrade } from './rice-trade.js';

type Json = Record<string, any>;

const expected = (JSON.parse(readFileSync(new URL('../../../test/harness/expected/rice.epcis.jsonld', import.meta.url), 'utf8')) as Json)[
  'epcisBody'
]['eventList'] as Json[];

describe('EPCIS', () => {
  let world: World;
  let trade: RiceTrade;
  let key: string;

  beforeAll(async () => {
    world = await World.start();
    await world.play('rice');
    trade = await RiceTrade.of(world);
    ({ secret: key } = await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads EPCIS', roles: ['COMPLIANCE'] }));
    const { tokenId } = await trade.harvest();
    await trade.handOver([tokenId]);
    await trade.land(
      trade.admin,
      trade.recall(trade.admin, tokenId, { reason: 'Cadmium', recallClass: 'I', depth: 'wholesale', propagation: 'none' }),
    );
  });
  afterAll(() => world?.close());

  const read = async (path: string, headers: Record<string, string> = {}): Promise<Read> => {
    const answer = await fetch(path.startsWith('http') ? path : `${world.baseUrl}/api/v1${path}`, {
      headers: { 'x-api-key': key, ...headers },
    });
    const document = (await answer.json()) as Json;
    const events = (document['epcisBody']?.['eventList'] ?? []) as Json[];
    if (answer.ok) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/ld\+json/);
      expect(documentFaults(document)).toEqual([]);
      expect(events.flatMap((event, i) => eventFaults(event, `/${i}`))).toEqual([]);
    }
    return { status: answer.status, events, headers: answer.headers, document };
  };
  const ids = ({ events }: Read): string[] => events.map((event) => event['eventID'] as string);
  /** As in the expected document, which has another tenant, host and time. */
  const comparable = (event: Json): Json => {
    const aside = ['eventID', 'recordTime', 'transformationID', 'trc:dataHash', 'trc:cid', 'trc:transaction', 'trc:footprint'];
    const text = JSON.stringify(Object.fromEntries(Object.entries(event).filter(([name]) => !aside.includes(name))));
    const same = text.replaceAll(`${world.baseUrl}/id/rice/`, 'https://trace.example/id/demo/').replaceAll(/\.000Z"/g, 'Z"');
    return JSON.parse(same) as Json;
  };

  it('writes the rice chain as the expected document does, and also its custody and a recall', async () => {
    const all = await read('/events?format=epcis&all=true');
    const written = all.events.map(comparable);
    for (const event of expected) expect(written).toContainEqual(comparable(event));
    expect(new Set(ids(all)).size).toBe(all.events.length);
    const custody = all.events.flatMap((event) => (event['trc:custody'] as string | undefined) ?? []);
    expect(custody).toEqual(expect.arrayContaining(['offered', 'accepted']));
    expect(all.events.filter((event) => event['trc:custody'] === undefined && event['trc:recall'] === undefined)).toHaveLength(
      expected.length + 1,
    );
    expect(all.events.find((event) => event['trc:recall'])).toMatchObject({
      bizStep: 'holding',
      disposition: 'recalled',
      persistentDisposition: { set: ['recalled'] },
      'trc:recallReason': 'Cadmium',
      quantityList: [{ quantity: 8000, uom: 'KGM' }],
    });
  });

  it('is paged; all pages together are the whole document', async () => {
    const all = await read('/events?format=epcis&all=true');
    const found: string[] = [];
    for (let next: string | undefined = `/events?limit=3`; next;) {
      const page: Read = await read(next, { accept: 'application/ld+json' });
      expect(page).toMatchObject({ status: 200 });
      expect(page.events.length).toBeLessThanOrEqual(3);
      found.push(...ids(page));
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(found).toEqual(ids(all));
  });

  it('of a lot has its events; of its tree, also those of its ancestors and descendants', async () => {
    const dried = await trade.tokenOf('RD-20260917-01');
    const own = await read(`/nfts/${dried}/events?format=epcis&all=true`);
    const tree = await read(`/nfts/${dried}/events?format=epcis&all=true&tree=true`);
    const processes = ({ events }: Read): string[] => events.flatMap((event) => (event['trc:processType'] as string | undefined) ?? []);
    expect(processes(own).toSorted()).toEqual(['RICE_DRYING', 'RICE_MILLING']);
    expect(new Set(processes(tree))).toEqual(new Set(expected.map((event) => event['trc:processType'] as string)));
    expect(ids(tree)).toEqual(expect.arrayContaining(ids(own)));
    expect(tree.events.find((event) => event['trc:recall'])).toBeUndefined();
  });

  it('of one event has that event only', async () => {
    const { events } = await read('/events?format=epcis&limit=1&processType=RICE_DRYING');
    const id = (events[0]!['eventID'] as string).slice('urn:uuid:'.length);
    const one = await read(`/events/${id}`, { accept: 'application/ld+json' });
    expect(one.events).toEqual(events);
    expect(one.headers.get('link')).toBeNull();
  });

  it.each([
    ['/events/00000000-0000-4000-8000-000000000000?format=epcis', 404, 'event_not_found'],
    ['/events?format=pdf', 400, 'unknown_format'],
    ['/events?format=epcis&page=2', 400, 'not_numbered'],
    ['/events?all=true', 400, 'not_as_json'],
    ['/events?format=epcis&cursor=nonsense', 400, 'invalid_cursor'],
    ['/nfts/999999/events?format=epcis', 404, 'lot_not_found'],
  ])('%s is refused: %s %s', async (path, status, code) => {
    const { status: given, document } = await read(path);
    expect([given, document['errors']?.[0]?.code ?? document['code']]).toEqual([status, code]);
  });

  it('without a match is a document without events', async () => {
    expect((await read('/events?format=epcis&from=2001-01-01&to=2001-01-02')).events).toEqual([]);
  });

  lotExportsSuite(() => ({ world, trade, key }));

  describe('capture', () => {
    interface Answer {
      readonly status: number;
      readonly body: Json;
    }
    const capture = async (company: Company, body: string | object, type = 'application/ld+json', more: object = {}): Promise<Answer> => {
      const answer = await fetch(`${world.baseUrl}/api/v1/epcis/capture`, {
        method: 'POST',
        headers: {
          ...(Reflect.get(company.api, 'headers') as () => Record<string, string>).call(company.api),
          'content-type': type,
          ...more,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    const documentOf = (...events: object[]): Json => ({
      '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { trc: `${world.baseUrl}/ns/trc#` }],
      type: 'EPCISDocument',
      schemaVersion: '2.0',
      creationDate: '2026-11-28T00:00:00Z',
      epcisBody: { eventList: events },
    });
    /** A harvest as a farm's own system would tell it. */
    const harvest = (code: string, more: object = {}): Json => {
      const { eventTime, eventTimeZoneOffset, quantity, location, footprint: _, ...rest } = trade.metadataOf('RICE_HARVESTING');
      return {
        type: 'ObjectEvent',
        action: 'ADD',
        bizStep: 'commissioning',
        disposition: 'active',
        eventTime: eventTime as string,
        eventTimeZoneOffset: eventTimeZoneOffset as string,
        readPoint: { id: 'https://id.gs1.org/414/9520000100018' },
        quantityList: [{ epcClass: `${world.baseUrl}/id/rice/lot/${code}`, quantity: 8000, uom: (quantity as Json)['uom'] as string }],
        'trc:metadata': { ...rest, location },
        ...more,
      };
    };
    const codes = ({ body }: Answer): string[] =>
      (body['data'] as Json[]).map(({ problem }) => (problem ? (problem['code'] as string) : 'prepared'));

    it('refuses an event with a text that nothing can store, and prepares the others', async () => {
      const named = (epcClass: string): Json => harvest('x', { quantityList: [{ epcClass, quantity: 8000, uom: 'KGM' }] });
      const link = 'https://id.gs1.org/01/09520000100018/10';
      const unreadable = [
        named(`${link}/%00`),
        named(`${link}/\ud800`),
        named(`${world.baseUrl}/id/rice/lot/%00`),
        harvest('x', { action: 'OBSERVE', quantityList: [{ epcClass: `${link}/a%00`, quantity: 1, uom: 'KGM' }] }),
        harvest('x', { eventID: 'https://farm.example/\u0000' }),
        harvest('x', { readPoint: { id: 'https://id.gs1.org/414/\udc00' } }),
        harvest('x', { 'trc:metadata': { 'a\u0000': 1 } }),
      ];
      const { status, body } = await capture(trade.farmA, documentOf(...unreadable, harvest('RH-20261120-E0')));
      expect([status, body['prepared'], body['refused']]).toEqual([200, 1, unreadable.length]);
      for (const [i, { problem }] of (body['data'] as Json[]).slice(0, -1).entries()) {
        const [{ pointer, code }] = problem['errors'] as [{ pointer: string; code: string }];
        expect(['nul_character', 'lone_surrogate']).toContain(code);
        expect(pointer.startsWith(`/epcisBody/eventList/${i}/`)).toBe(true);
      }
    });

    it('prepares an event that lands, is found by its eventID, and is not captured twice', async () => {
      const eventID = 'https://farm.example/events/1';
      const original = harvest('RH-20261120-E1', { eventID });
      const first = await capture(trade.farmA, documentOf(original));
      expect(first).toMatchObject({
        status: 200,
        body: { prepared: 1, refused: 0, data: [{ eventID, processType: 'RICE_HARVESTING', validation: { valid: true, errors: [] } }] },
      });
      const [{ event, eventHashID }] = first.body['data'] as [Json];
      expect(eventHashID).toMatch(/^ni:\/\/\/sha-256;[0-9a-f]{64}\?ver=CBV2\.0$/);
      await trade.farmA.land(event['preparedTx'] as never, 'test');
      const lot = await trade.tokenOf('RH-20261120-E1');
      const [landed] = (await read(`/nfts/${lot}/events?format=epcis`)).events;
      expect(landed).toMatchObject({ eventID, 'trc:metadata': original['trc:metadata'] as Json });

      // The same event with another spelling, with its id, and with the id that the service gave it.
      const again = {
        ...original,
        eventID: 'urn:uuid:00000000-0000-4000-8000-000000000001',
        bizStep: 'urn:epcglobal:cbv:bizstep:commissioning',
      };
      const own = { ...original, eventID: `urn:uuid:${event['eventId']}`, eventTime: '2026-09-15T08:30:01Z' };
      const repeated = await capture(trade.farmA, documentOf(again, { ...landed }, own));
      expect(codes(repeated)).toEqual(['event_captured', 'event_repeated', 'event_captured']);
      for (const i of [0, 2]) expect(repeated.body['data'][i]).toMatchObject({ status: 409, problem: { eventId: event['eventId'] } });

      // An error declaration with the same eventID voids it; this needs a role.
      const declaration = { ...original, errorDeclaration: { declarationTime: '2026-11-28T00:00:00Z', reason: 'did_not_occur' } };
      expect(codes(await capture(trade.farmA, documentOf(declaration)))).toEqual(['role_required']);
      const declared = await capture(trade.admin, documentOf(declaration));
      expect(declared.body['data'][0]).toMatchObject({ status: 200, event: null, declaration: { eventId: event['eventId'] } });
      await trade.land(trade.admin, declared.body['data'][0]['declaration'] as Json);
      const after = (await read('/events?format=epcis&all=true')).events.find((one) => one['eventID'] === landed!['eventID']);
      expect(after!['errorDeclaration']).toMatchObject({ reason: 'did_not_occur' });
    });

    it('gives out all that came in, as the same event: sensors, certificates, instance data, extensions, places and documents', async () => {
      const more = {
        eventTime: '2026-09-15T08:30:00.1234567Z',
        readPoint: { id: 'urn:epc:id:sgln:952000010.001.cold%20store', 'ext:temperature': 4 },
        bizLocation: { id: 'https://id.gs1.org/414/9520000100018/254/2' },
        certificationInfo: ['https://council.example/certificate/1'],
        persistentDisposition: { set: ['completeness_verified'] },
        bizTransactionList: [{ type: 'po', bizTransaction: 'urn:epcglobal:cbv:bt:9520000100032:PO-1' }],
        sensorElementList: [
          {
            sensorMetadata: { time: '2026-09-15T08:00:00Z', deviceID: 'urn:epc:id:giai:4000001.111' },
            sensorReport: [{ type: 'Temperature', value: 4.5, uom: 'CEL', component: 'x', 'ext:sealed': true }],
          },
        ],
        ilmd: { 'cbvmda:lotNumber': 'RH-20261120-G1', 'ext:field': { 'ext:name': 'north', 'ext:rows': [1, 2] } },
        'ext:remark': [{ 'ext:text': 'dry' }, 'warm'],
      };
      const original = harvest('RH-20261120-G1', more);
      const document = { ...documentOf(original), '@context': [...documentOf()['@context'], { ext: 'https://farm.example/ns/' }] };
      const { body } = await capture(trade.farmA, document);
      expect(codes({ status: 200, body })).toEqual(['prepared']);
      const [{ event, eventHashID }] = body['data'] as [Json];
      await trade.farmA.land(event['preparedTx'] as never, 'test');
      const lot = await trade.tokenOf('RH-20261120-G1');
      const answer = await read(`/nfts/${lot}/events?format=epcis`);
      const { recordTime, eventID, '@context': contexts, ...landed } = answer.events[0]!;
      expect(landed).toEqual(JSON.parse(JSON.stringify(original)));
      expect([eventID, typeof recordTime]).toEqual([`urn:uuid:${event['eventId']}`, 'string']);
      expect(contexts).toContainEqual({ ext: 'https://farm.example/ns/' });
      expect(eventHashId(answer.events[0]!, answer.document['@context'])).toBe(eventHashID);
      const { metadata } = await trade.api.get<Json>(`/api/v1/events/${event['eventId'] as string}`);
      expect(metadata).toMatchObject({
        documents: [{ type: 'PURCHASE_ORDER', number: 'PO-1', issuer: '9520000100032' }],
      });
      // Others see what is public, in the form of the service.
      const others = await trade.mill.api.get<Json>(`/api/v1/events/${event['eventId'] as string}?format=epcis`);
      expect(JSON.stringify(others)).not.toMatch(/certificate|farm\.example/);
    });

    captureBoundsSuite(() => ({ world, trade, capture, documentOf, harvest, read }));

    it('refuses each wrong event with pointers, and prepares the others', async () => {
      const sound = harvest('RH-20261120-E2');
      const answer = await capture(
        trade.farmA,
        documentOf(
          sound,
          sound,
          harvest('RH-20261120-E3', { bizStep: 'killing' }),
          harvest('RH-20261120-E4', { 'trc:metadata': {} }),
          { ...harvest('RH-20261120-E5'), bare: 1 },
          7 as never,
          harvest('RH-20261120-E6', {
            errorDeclaration: { declarationTime: '2026-11-28T00:00:00Z', reason: 'did_not_occur' },
            eventID: 'x:y',
          }),
        ),
        'application/json',
      );
      expect(codes(answer)).toEqual([
        'prepared',
        'event_repeated',
        'invalid_content',
        'invalid_content',
        'invalid_content',
        'invalid_content',
        'event_not_found',
      ]);
      const errors = (answer.body['data'] as Json[]).map(({ validation }) => (validation['errors'] as string[]).join('\n'));
      expect(errors[2]).toMatch(/^\/epcisBody\/eventList\/2\/bizStep: No process of your maps fits \(ObjectEvent ADD with bizStep killing/);
      expect(errors[3]).toMatch(/^\/epcisBody\/eventList\/3\/trc:metadata\/variety: /m);
      expect(errors[4]).toMatch(/^\/epcisBody\/eventList\/4\/bare: /);
      expect(errors[5]).toMatch(/^\/epcisBody\/eventList\/5: /);
      // What was refused may be told again, mended; what was prepared may not, until it is withdrawn.
      const mended = documentOf(sound, harvest('RH-20261120-E4'));
      expect(codes(await capture(trade.farmA, mended))).toEqual(['event_captured', 'prepared']);
      const { eventId } = answer.body['data'][0]['event'] as { eventId: string };
      await trade.farmA.api.events.withdraw(eventId);
      expect(codes(await capture(trade.farmA, mended))).toEqual(['prepared', 'event_captured']);
    });

    it.each<[string, () => string | object, number, string]>([
      ['no events', () => documentOf(), 422, 'invalid_content'],
      ['no document', () => ({}), 422, 'invalid_content'],
      ['a list', () => [], 400, 'malformed_request'],
      ['half a text', () => JSON.stringify(documentOf(harvest('RH-20261120-E7'))).slice(0, -20), 400, 'malformed_request'],
      ['nothing', () => '', 400, 'malformed_request'],
      ['more than a document may hold', () => documentOf(...Array.from({ length: 10_001 }, () => ({}))), 422, 'invalid_content'],
    ])('of %s is refused', async (_, body, status, code) => {
      const answer = await capture(trade.farmA, body());
      expect([answer.status, answer.body['code']]).toEqual([status, code]);
    });

    it('is the only route that reads JSON-LD', async () => {
      const headers = { 'x-api-key': key, 'content-type': 'application/ld+json' };
      const answer = await fetch(`${world.baseUrl}/api/v1/events/validate`, { method: 'POST', headers, body: '{}' });
      expect(answer.status).toBe(415);
      expect((await capture(trade.farmA, 'a text', 'text/plain')).status).toBe(415);
    });

    it('names the event that makes an input of another event of the document', async () => {
      const [made, taken] = ['RH-20261122-F1', 'RD-20261122-F2'].map((code) => `${world.baseUrl}/id/rice/lot/${code}`);
      const answer = await capture(
        trade.farmA,
        documentOf(harvest('RH-20261122-F1'), {
          ...harvest('unused'),
          type: 'TransformationEvent',
          action: undefined,
          'trc:processType': 'RICE_DRYING',
          quantityList: undefined,
          inputQuantityList: [{ epcClass: made, quantity: 8000, uom: 'KGM' }],
          outputQuantityList: [{ epcClass: taken, quantity: 7000, uom: 'KGM' }],
        }),
      );
      const [first, second] = answer.body['data'] as [Json, Json];
      expect([first['status'], second['problem']['errors'][0]]).toEqual([
        200,
        expect.objectContaining({ pointer: '/epcisBody/eventList/1/inputQuantityList/0', code: 'lot_not_landed' }),
      ]);
    });

    it('prepares an event once when two requests send it at the same time', async () => {
      const twice = documentOf(harvest('RH-20261120-E8'));
      const both = await Promise.all([capture(trade.farmA, twice), capture(trade.farmA, twice)]);
      expect(new Set(both.flatMap(codes))).toEqual(new Set(['event_captured', 'prepared']));
    });

    it('gives the same answer again for an Idempotency-Key, equal to the answer without one', async () => {
      const once = documentOf(harvest('RH-20261120-E9'), harvest('RH-20261120-F0', { bizStep: 'killing' }));
      const keyed = { 'idempotency-key': 'capture-of-two' };
      const first = await capture(trade.farmA, once, 'application/ld+json', keyed);
      expect(codes(first)).toEqual(['prepared', 'invalid_content']);
      expect(await capture(trade.farmA, once, 'application/ld+json', keyed)).toEqual(first);
      const repeated = await capture(trade.farmA, once);
      expect(codes(repeated)).toEqual(['event_captured', 'invalid_content']);
      expect(Object.keys(repeated.body['data'][1] as Json)).toEqual(Object.keys(first.body['data'][1] as Json));
    });

    it('prepares many events in batches', async () => {
      const many = Array.from({ length: 501 }, (_, i) => harvest(`RH-20261121-B${i}`));
      // Of the second batch, before the first is saved: the code of the first event once more, at another time.
      const again = harvest('RH-20261121-B0', { eventTime: '2026-09-15T09:30:00Z' });
      const { body } = await capture(trade.farmA, documentOf(...many, again));
      expect({ prepared: body['prepared'], refused: body['refused'] }).toEqual({ prepared: 502, refused: 0 });
      const advised = (body['data'] as Json[]).flatMap(({ index, validation }) =>
        (validation['warnings'] as string[]).filter((warning) => warning.includes('wants RH-20261121-B0 too')).map(() => index as number),
      );
      expect(advised).toEqual([501]);
      const nonces = new Set((body['data'] as Json[]).map(({ event }) => event['hints']['nonce'] as number));
      expect(nonces.size).toBeGreaterThan(0);
    });

    const given = new URL('epcis/', dataFolder());
    // The documents of the folder itself; its sub-folders are examples of other forms.
    const documents = existsSync(given)
      ? readdirSync(given, { withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name !== 'cbv2-event-hash-reference.json')
          .map(({ name }) => name)
      : [];
    (documents.length > 0 ? it.each(documents) : it.skip.each(['documents of the field']))('answers each event of %s', async (name) => {
      const text = readFileSync(new URL(name, given), 'utf8');
      const events = (JSON.parse(text) as Json)['epcisBody']['eventList'] as Json[];
      const { status, body } = await capture(trade.farmA, text);
      expect(status).toBe(200);
      expect(body).toMatchObject({ prepared: 0, refused: events.length });
      const errors = (body['data'] as Json[]).flatMap(({ validation }) => validation['errors'] as string[]);
      expect(new Set(errors).size).toBe(errors.length);
      for (const [i, { validation }] of (body['data'] as Json[]).entries())
        for (const error of validation['errors'] as string[]) expect(error).toMatch(new RegExp(`^/epcisBody/eventList/${i}/.*: `));
    });
  });
});
