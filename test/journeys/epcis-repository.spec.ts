import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventHashId, eventsOfBody } from '#interchange/testing';
import { dataFolder } from '../conformance/suites.js';
import { eventually } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import { World } from '../harness/world.js';
import { repositoryBoundsSuite } from './epcis-repository-bounds.suite.js';
import { type Answer, repositoryExchangeSuite } from './epcis-repository.suite.js';
import { RiceTrade } from './rice-trade.js';

type Json = Record<string, any>;

const given = new URL('epcis/', dataFolder());
const context = 'https://ref.gs1.org/standards/epcis/epcis-context.jsonld';

describe('the EPCIS repository', () => {
  let world: World;
  let trade: RiceTrade;
  let keys: Readonly<Record<'all' | 'operator' | 'admin', string>>;

  let sink: WebhookSink;
  beforeAll(async () => {
    sink = await WebhookSink.start();
    world = await World.start();
    await world.play('rice');
    trade = await RiceTrade.of(world);
    const { tokenId } = await trade.harvest();
    await trade.handOver([tokenId]);
    const make = async (company: { readonly api: RiceTrade['api'] }, more: object): Promise<string> =>
      (await company.api.post<{ secret: string }>('/api/v1/api-keys', more)).secret;
    const [all] = [await make(trade, { name: 'repository', roles: ['COMPLIANCE', 'OPERATOR'] })];
    keys = {
      all,
      operator: await make(trade, { name: 'operator', roles: ['OPERATOR'] }),
      admin: await make(trade, { name: 'defines', roles: ['TENANT_ADMIN'] }),
    };
    await settled();
  });
  afterAll(async () => {
    await world?.close();
    await sink?.close();
  });

  const ask = async (path: string, { key = keys.all, ...init }: RequestInit & { readonly key?: string } = {}): Promise<Answer> => {
    const url = path.startsWith('http') ? path : `${world.baseUrl}/epcis/rice${path}`;
    const answer = await fetch(url, { ...init, headers: { 'x-api-key': key, ...(init.headers as Record<string, string>) } });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : (JSON.parse(text) as Json) };
  };
  const eventsIn = ({ body }: Answer): Json[] => body['epcisBody']['queryResults']['resultsBody']['eventList'] as Json[];
  const query = async (
    parameters: Record<string, string>,
    more: { readonly key?: string; readonly headers?: Record<string, string> } = {},
  ) => {
    const answer = await ask(`/events?${new URLSearchParams({ perPage: '1000', ...parameters }).toString()}`, more);
    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
    return eventsIn(answer);
  };
  /** When its job has finished. */
  const capture = async (body: object, headers: Record<string, string> = {}): Promise<Answer> => {
    const sent = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/ld+json', ...headers } };
    const answer = await ask('/capture', sent);
    if (answer.status === 202) await jobOf(answer);
    return answer;
  };
  const jobOf = (answer: Answer, key = keys.all): Promise<Json> =>
    eventually('the capture has finished', async () => {
      const { body } = await ask(world.baseUrl + answer.headers.get('location')!, { key });
      return body['running'] === false && body;
    });
  const documentOf = (...eventList: object[]): Json => ({
    '@context': [context, { ext: 'https://ext.example/' }],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2026-11-28T00:00:00Z',
    epcisBody: { eventList },
  });
  /** An observation of goods that the tenant does not have. */
  const foreign = (more: object = {}): Json => ({
    type: 'ObjectEvent',
    action: 'OBSERVE',
    eventTime: '2026-10-01T10:00:00Z',
    eventTimeZoneOffset: '+02:00',
    bizStep: 'shipping',
    epcList: ['urn:epc:id:sgtin:0614141.107346.2017'],
    ...more,
  });
  const idsOf = (events: readonly Json[]): string[] => events.map((event) => event['eventID'] as string).toSorted(byText);
  const byText = (a: string, b: string): number => (a < b ? -1 : 1);
  const exported = async (key = keys.all): Promise<Json[]> => {
    const answer = await fetch(`${world.baseUrl}/api/v1/events?format=epcis&all=true`, { headers: { 'x-api-key': key } });
    return ((await answer.json()) as Json)['epcisBody']['eventList'] as Json[];
  };
  /** The projector has written all that is recorded. */
  const settled = async (): Promise<void> => {
    const all = idsOf(await exported());
    await eventually('all events are in the repository', async () => {
      const found = new Set(idsOf(await query({})));
      return all.every((id) => found.has(id));
    });
  };

  it('says what it can do, to everybody', async () => {
    const answer = await fetch(`${world.baseUrl}/epcis/rice/capture`, { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      allow: 'GET, POST, OPTIONS',
      'gs1-epcis-version': '2.0.0',
      'gs1-cbv-version': '2.0.0',
      'gs1-extensions': `trc=${world.baseUrl}/ns/trc#`,
      'gs1-epcis-capture-limit': '10000',
      'gs1-capture-error-behaviour': 'rollback, proceed',
    });
  });

  it.each(['all', 'operator'] as const)('has the same events as the export, for who reads %s', async (who) => {
    const all = await exported(keys[who]);
    const found = new Map((await query({}, { key: keys[who] })).map((event) => [event['eventID'] as string, event]));
    for (const event of all) expect(found.get(event['eventID'] as string)).toEqual(event);
    const isWhole = all.some((event) => event['trc:footprint'] !== undefined);
    expect(isWhole).toBe(who === 'all');
  });

  it('finds by a hidden value only for who may read it', async () => {
    const hidden = { 'EXISTS_trc:footprint': 'true' };
    expect(await query(hidden)).not.toEqual([]);
    expect(await query(hidden, { key: keys.operator })).toEqual([]);
  });

  it('finds events by what the standard names, like a search through all of them', async () => {
    const all = (await query({})).filter((event) => !String(event['eventID']).startsWith('ni:'));
    const [lot] = all.flatMap((event) => (event['outputQuantityList'] ?? []) as Json[]);
    const cases: readonly (readonly [Record<string, string>, (event: Json) => boolean])[] = [
      [{ eventType: 'TransformationEvent' }, (event) => event['type'] === 'TransformationEvent'],
      [{ EQ_bizStep: 'https://ref.gs1.org/cbv/BizStep-shipping' }, (event) => event['bizStep'] === 'shipping'],
      [{ EQ_bizStep: 'shipping,receiving' }, (event) => ['shipping', 'receiving'].includes(event['bizStep'] as string)],
      [{ EQ_disposition: 'in_transit', EQ_action: 'OBSERVE' }, (event) => event['disposition'] === 'in_transit'],
      [
        { MATCH_outputEPCClass: lot!['epcClass'] as string },
        (event) => ((event['outputQuantityList'] ?? []) as Json[]).some((one) => one['epcClass'] === lot!['epcClass']),
      ],
      [
        { MATCH_anyEPCClass: lot!['epcClass'] as string },
        (event) => JSON.stringify(event).includes(`"epcClass":${JSON.stringify(lot!['epcClass'])}`),
      ],
      [
        { EQ_readPoint: 'urn:epc:id:sgln:952000010.001.0' },
        (event) => event['readPoint']?.['id'] === 'https://id.gs1.org/414/9520000100018',
      ],
      [
        { WD_readPoint: 'https://id.gs1.org/414/9520000100018' },
        (event) => event['readPoint']?.['id']?.startsWith('https://id.gs1.org/414/9520000100018'),
      ],
      [{ 'EQ_trc:processType': 'RICE_MILLING' }, (event) => event['trc:processType'] === 'RICE_MILLING'],
      [{ 'EXISTS_trc:custody': 'true' }, (event) => event['trc:custody'] !== undefined],
      [
        { GE_eventTime: '2026-09-16T00:00:00Z', LT_eventTime: '2026-09-20T00:00:00Z' },
        (event) =>
          new Date(event['eventTime'] as string) >= new Date('2026-09-16') &&
          new Date(event['eventTime'] as string) < new Date('2026-09-20'),
      ],
    ];
    for (const [parameters, fits] of cases) {
      const expected = idsOf(all.filter(fits));
      expect(expected).not.toEqual([]);
      const found = (await query(parameters)).filter((event) => !String(event['eventID']).startsWith('ni:'));
      expect([parameters, idsOf(found)]).toEqual([parameters, expected]);
    }
  });

  it('is paged by links, newest first or oldest first; all pages together are the whole', async () => {
    for (const orderDirection of ['DESC', 'ASC']) {
      const whole = (await query({ orderDirection })).map((event) => event['eventID']);
      const found: unknown[] = [];
      for (let next: string | undefined = `/events?perPage=4&orderDirection=${orderDirection}`; next;) {
        const page: Answer = await ask(next);
        expect(eventsIn(page).length).toBeLessThanOrEqual(4);
        found.push(...eventsIn(page).map((event) => event['eventID']));
        next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(found).toEqual(whole);
    }
    expect(await query({ eventCountLimit: '3' })).toHaveLength(3);
    expect((await ask('/events?maxEventCount=3')).body).toMatchObject({ status: 413, code: 'query_too_large' });
  });

  it('lists what events have, and the events of each', async () => {
    for (const collection of ['eventTypes', 'bizSteps', 'dispositions', 'epcs', 'bizLocations', 'readPoints']) {
      const { body } = await ask(`/${collection}?perPage=1000`);
      const members = body['member'] as string[];
      expect([collection, members.length > 0, new Set(members).size]).toEqual([collection, true, members.length]);
      const one = `/${collection}/${encodeURIComponent(members[0]!)}`;
      expect((await ask(one)).body).toMatchObject({ type: 'Collection', member: ['events'] });
      const page = await ask(`${one}/events`);
      expect([collection, page.status, eventsIn(page).length > 0]).toEqual([collection, 200, true]);
    }
    const first = await ask('/bizSteps?perPage=1');
    expect(first.headers.get('link')).toMatch(/rel="next"/);
  });

  it.each([
    ['/events?EQ_bizstep=shipping', 400, 'unknown_parameter'],
    ['/events?GE_eventTime=today', 400, 'invalid_time'],
    ['/events?eventType=ShippingEvent', 400, 'unknown_word'],
    ['/events?GT_quantity=many', 400, 'wrong_type'],
    ['/events?perPage=0', 400, 'out_of_range'],
    ['/events?nextPageToken=nonsense', 400, 'invalid_cursor'],
    ['/events/urn:uuid:none', 404, 'event_not_found'],
    ['/colours', 404, 'epcis_collection_not_found'],
    ['/capture/00000000-0000-4000-8000-000000000000', 404, 'capture_job_not_found'],
    ['/../wool/events', 404, 'tenant_not_found'],
  ])('%s is refused: %s %s', async (path, status, code) => {
    const { status: found, body } = await ask(path);
    expect([found, body['errors']?.[0]?.code ?? body['code']]).toEqual([status, code]);
  });

  it('runs queries by their names, until they are deleted', async () => {
    const post = (body: object): Promise<Answer> =>
      ask('/queries', { method: 'POST', body: JSON.stringify(body), key: keys.admin, headers: { 'content-type': 'application/json' } });
    const defined = await post({ name: 'shipped', query: { EQ_bizStep: ['shipping'], EQ_action: 'OBSERVE' } });
    expect([defined.status, defined.headers.get('location')]).toEqual([201, '/epcis/rice/queries/shipped']);
    const found = eventsIn(await ask('/queries/shipped/events?perPage=1000'));
    expect(idsOf(found)).toEqual(idsOf(await query({ EQ_bizStep: 'shipping', EQ_action: 'OBSERVE' })));
    expect((await ask('/queries')).body['queries']).toEqual([expect.objectContaining({ name: 'shipped' })]);
    expect((await post({ name: 'shipped', query: {} })).body['code']).toBe('epcis_query_name_taken');
    const wrong = await post({ name: '../x', query: { EQ_colour: 'red', EQ_action: {} } });
    expect((wrong.body['errors'] as Json[]).map(({ pointer }) => pointer as string)).toEqual([
      '/name',
      '/query/EQ_action',
      '/query/EQ_colour',
    ]);
    expect((await ask('/queries/shipped', { method: 'DELETE' })).body['code']).toBe('role_required');
    expect((await ask('/queries/shipped', { method: 'DELETE', key: keys.admin })).status).toBe(204);
    expect((await ask('/queries/shipped/events')).body['code']).toBe('epcis_query_not_found');
  });

  it('keeps what fits no process, as it came, for who may read it', async () => {
    const sent = foreign({
      'ext:load': 12,
      eventID: 'https://partner.example/events/1',
      quantityList: [{ epcClass: 'urn:epc:class:lgtin:4012345.012345.L1', quantity: 7, uom: 'KGM' }],
    });
    const answer = await capture(documentOf(sent));
    expect(answer.status).toBe(202);
    const job = await jobOf(answer);
    expect(job).toMatchObject({ success: true, errors: [], events: [{ eventID: sent['eventID'] as string, state: 'kept' }] });
    const { body: one } = await ask(`/events/${encodeURIComponent(sent['eventID'] as string)}`);
    expect(eventHashId(one, [])).toBe(job['events'][0]['eventHashID']);
    const byExtension = { headers: { 'GS1-Extensions': 'ext=https://ext.example/' } };
    for (const [parameters, more] of [
      [{ 'GE_ext:load': '12' }, byExtension],
      [{ 'EQ_ext:load': '12' }, byExtension],
      [{ 'EXISTS_ext:load': 'true' }, byExtension],
      [{ EQ_eventID: sent['eventID'] as string }, {}],
      [{ MATCH_epc: 'urn:epc:idpat:sgtin:0614141.107346.*' }, {}],
      [{ MATCH_epc: 'urn:epc:idpat:sgtin:0614141.*.*' }, {}],
      [{ MATCH_anyEPC: 'https://id.gs1.org/01/10614141073464/21/2017' }, {}],
      [{ MATCH_epcClass: 'urn:epc:class:lgtin:4012345.012345.L1', GT_quantity: '6' }, {}],
    ] as const)
      expect([parameters, idsOf(await query(parameters, more))]).toEqual([parameters, [sent['eventID']]]);
    expect(await query({ 'GT_ext:load': '12' }, byExtension)).toEqual([]);
    expect(await query({ EQ_eventID: sent['eventID'] as string }, { key: keys.operator })).toEqual([]);
    // The same event again changes nothing.
    expect((await jobOf(await capture(documentOf(sent))))['events'][0]['state']).toBe('kept');
    expect(await query({ EQ_eventID: sent['eventID'] as string })).toHaveLength(1);
  });

  it('takes its own events back as those that it has, from where they were meanwhile', async () => {
    const all = await query({});
    const { errors, events } = await jobOf(await capture(documentOf(...all), { 'GS1-Capture-Error-Behaviour': 'proceed' }));
    expect(errors).toEqual([]);
    const recorded = new Set(idsOf(all.filter((event) => String(event['eventID']).startsWith('urn:uuid:'))));
    const states = (events as Json[]).map(({ eventID, state }) => [eventID as string, state as string]);
    expect(states).toEqual(all.map(({ eventID }) => [eventID, recorded.has(eventID as string) ? 'recorded' : 'kept']));
    expect(idsOf(await query({}))).toEqual(idsOf(all));
  });

  it('gives an event that came with an id out with its eventID, and the same event hash', async () => {
    const id = 'https://partner.example/events/with-an-id';
    const sent = foreign({ id, eventTime: '2026-10-15T10:00:00Z' });
    const job = await jobOf(await capture(documentOf(sent)));
    const [found] = await query({ EQ_eventID: id });
    expect([found?.['eventID'], found?.['id'], eventHashId(found!, [])]).toEqual([id, undefined, job['events'][0]['eventHashID']]);
  });

  repositoryExchangeSuite(() => ({ world, sink, keys, ask, query, capture, jobOf, documentOf, foreign }));

  it('captures nothing of a document with an invalid event, or the others, and points at each error', async () => {
    const [valid, wrong] = [foreign({ eventTime: '2026-10-02T10:00:00Z' }), foreign({ action: 'MAKE' })];
    const job = await jobOf(await capture(documentOf(valid, wrong)));
    expect(job).toMatchObject({ success: false, captureErrorBehaviour: 'rollback' });
    expect(job['errors']).toEqual([
      expect.objectContaining({ type: 'epcisException:ValidationException', pointer: '/epcisBody/eventList/1/action' }),
    ]);
    expect(job['events'].map(({ state }: Json) => state as string)).toEqual(['refused', 'refused']);
    expect(await query({ GE_eventTime: '2026-10-02T00:00:00Z', LT_eventTime: '2026-10-03T00:00:00Z' })).toEqual([]);
    const proceeding = await jobOf(await capture(documentOf(valid, wrong), { 'GS1-Capture-Error-Behaviour': 'proceed' }));
    expect(proceeding['events'].map(({ state }: Json) => state as string)).toEqual(['kept', 'refused']);
    expect((await capture(documentOf(valid), { 'GS1-Capture-Error-Behaviour': 'perhaps' })).status).toBe(400);
    expect((await capture({ type: 'EPCISDocument' })).status).toBe(422);
  });

  it('takes single events, and says where each is', async () => {
    const post = (event: object): Promise<Answer> =>
      ask('/events', { method: 'POST', body: JSON.stringify(event), headers: { 'content-type': 'application/json' } });
    const alone = await post({ '@context': context, ...foreign({ eventTime: '2026-10-05T10:00:00Z' }) });
    expect(alone.status).toBe(201);
    expect((await ask(world.baseUrl + alone.headers.get('location')!)).body['bizStep']).toBe('shipping');
    expect((await post({ '@context': context, ...foreign({ action: 'MAKE' }) })).body['errors'][0]['pointer']).toBe('/action');
  });

  it('prepares what fits a process, and has it when its transaction has landed', async () => {
    const { eventTime, eventTimeZoneOffset, quantity, location, footprint: _, ...rest } = trade.metadataOf('RICE_HARVESTING');
    const harvest = {
      type: 'ObjectEvent',
      action: 'ADD',
      bizStep: 'commissioning',
      disposition: 'active',
      eventID: 'https://farm.example/harvests/1',
      eventTime: eventTime as string,
      eventTimeZoneOffset: eventTimeZoneOffset as string,
      readPoint: { id: 'https://id.gs1.org/414/9520000100018' },
      quantityList: [{ epcClass: `${world.baseUrl}/id/rice/lot/RH-20261125-R1`, quantity: 8000, uom: (quantity as Json)['uom'] as string }],
      'trc:metadata': { ...rest, location },
    };
    const body = JSON.stringify({ ...documentOf(harvest), '@context': [context, { trc: `${world.baseUrl}/ns/trc#` }] });
    const headers = Reflect.get(trade.farmA.api, 'headers').call(trade.farmA.api) as Record<string, string>;
    const sent = await fetch(`${world.baseUrl}/epcis/rice/capture`, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/ld+json' },
    });
    const url = world.baseUrl + sent.headers.get('location')!;
    const accepted = (await sent.json()) as Json;
    expect([sent.status, accepted['running'], accepted['success'], accepted['finishedAt']]).toEqual([202, true, true, undefined]);
    const [event] = await eventually('the harvest is prepared', async () => {
      const job = (await (await fetch(url, { headers })).json()) as Json;
      return job['running'] === false && (job['events'] as [Json]);
    });
    expect(event['state']).toBe('awaiting_signature');
    await trade.farmA.land(event['preparedTx'] as never, 'test');
    const found = await eventually('the event is in the repository', async () => (await query({ EQ_eventID: harvest.eventID }))[0]);
    expect(eventHashId(found, [])).toBe(event['eventHashID']);
    expect(((await ask(url)).body['events'] as Json[])[0]!['state']).toBe('recorded');
  });

  const documents = existsSync(given)
    ? ['gs1-examples', 'openepcis'].flatMap((folder) =>
        readdirSync(new URL(`${folder}/`, given), { recursive: true, encoding: 'utf8' })
          .filter((path) => /\.json(ld)?$/.test(path))
          .map((path) => `${folder}/${path}`),
      )
    : [];

  (documents.length > 0 ? it : it.skip)('gives back every example of GS1 and OpenEPCIS with the event hash that it came with', async () => {
    for (const path of documents) {
      const document = JSON.parse(readFileSync(new URL(encodeURI(path), given), 'utf8')) as Json;
      const { events, contexts } = eventsOfBody(document);
      const job = await jobOf(await capture(document, { 'GS1-Capture-Error-Behaviour': 'proceed' }));
      const states = (job['events'] as Json[]).map(({ state, problems }) => [state, (problems as Json[])[0]?.['code']]);
      expect([path, states.filter(([state, code]) => state !== 'kept' && code !== 'event_repeated')]).toEqual([path, []]);
      const hashes = events.map((event) => eventHashId(event as Json, contexts));
      expect([path, (job['events'] as Json[]).map(({ eventHashID }) => eventHashID as string)]).toEqual([path, hashes]);
      for (const { eventID, eventHashID } of job['events'] as Json[]) {
        const found = await query({ EQ_eventID: eventID as string });
        expect([path, found.map((event) => eventHashId(event, []))]).toEqual([path, expect.arrayContaining([eventHashID])]);
      }
    }
  });

  repositoryBoundsSuite(() => ({ world, keys, ask, query, capture, jobOf, documentOf, foreign, eventsIn }));
});
