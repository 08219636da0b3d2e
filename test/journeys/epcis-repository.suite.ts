import { createHmac } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventHashId, eventsOfBody, readEpcisXml } from '#interchange/testing';
import { eventually } from '../harness/eventually.js';
import type { WebhookSink } from '../harness/webhook-sink.js';
import type { World } from '../harness/world.js';

type Json = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

type RequestOptions = RequestInit & { readonly key?: string };

/** What the tests of the repository share. */
interface Repository {
  readonly world: World;
  readonly sink: WebhookSink;
  readonly keys: Readonly<Record<'all' | 'operator' | 'admin', string>>;
  readonly ask: (path: string, init?: RequestOptions) => Promise<Answer>;
  readonly query: (parameters: Record<string, string>) => Promise<Json[]>;
  readonly capture: (body: object) => Promise<Answer>;
  readonly jobOf: (answer: Answer) => Promise<Json>;
  readonly documentOf: (...events: object[]) => Json;
  readonly foreign: (more?: object) => Json;
}

const postAs =
  ({ ask }: Pick<Repository, 'ask'>, key: string) =>
  (path: string, body: object): Promise<Answer> =>
    ask(path, { method: 'POST', body: JSON.stringify(body), key, headers: { 'content-type': 'application/json' } });

/** Subscriptions, XML and deletion. */
export function repositoryExchangeSuite(given: () => Repository): void {
  it('sends what a query finds to its subscribers, signed, at once or by a schedule', async () => {
    const { world, sink, keys, ask, capture, documentOf, foreign } = given();
    const post = postAs({ ask }, keys.admin);
    await post('/queries', { name: 'stocked', query: { EQ_bizStep: ['stocking'] } });
    await post('/queries', { name: 'limited', query: { eventCountLimit: 5 } });
    const subscribed = await post('/queries/stocked/subscriptions', { dest: sink.url('/stream'), stream: true });
    expect([subscribed.status, subscribed.body]).toEqual([201, expect.objectContaining({ queryName: 'stocked', stream: true })]);
    const every = await post('/queries/stocked/subscriptions', {
      dest: sink.url('/schedule'),
      schedule: { second: '*' },
      reportIfEmpty: true,
    });
    const { subscriptionID, secret } = subscribed.body as { subscriptionID: string; secret: string };
    const sent = foreign({ bizStep: 'stocking', eventID: 'https://partner.example/stocked/1', eventTime: '2026-10-09T10:00:00Z' });
    await capture(documentOf(sent, foreign({ bizStep: 'packing', eventTime: '2026-10-09T10:00:00Z' })));
    const [delivery] = await sink.received('/stream', 1);
    const results = JSON.parse(delivery!.body.toString()) as Json;
    expect(results).toMatchObject({ type: 'EPCISQueryDocument', epcisBody: { queryResults: { queryName: 'stocked', subscriptionID } } });
    expect(results['epcisBody']['queryResults']['resultsBody']['eventList']).toEqual([
      expect.objectContaining({ eventID: sent['eventID'] as string }),
    ]);
    const signature = `sha256=${createHmac('sha256', secret).update(delivery!.body).digest('hex')}`;
    expect([delivery!.headers['x-webhook-event'], delivery!.headers['x-webhook-signature']]).toEqual(['epcis.query', signature]);
    // By the schedule it comes too, and an empty report when there is nothing.
    await eventually('the schedule has reported both', () => {
      const bodies = sink.at('/schedule').map(({ body }) => body.toString());
      return bodies.some((body) => body.includes(sent['eventID'] as string)) && bodies.some((body) => body.includes('"eventList":[]'));
    });
    expect((await ask('/queries/stocked', { method: 'DELETE', key: keys.admin })).body['code']).toBe('epcis_query_subscribed');
    expect((await ask('/queries/stocked/subscriptions', { key: keys.admin })).body['subscriptions']).toHaveLength(2);
    for (const { headers } of [subscribed, every])
      expect((await ask(world.baseUrl + headers.get('location')!, { method: 'DELETE', key: keys.admin })).status).toBe(204);
    expect((await ask(world.baseUrl + subscribed.headers.get('location')!, { key: keys.admin })).body['code']).toBe(
      'epcis_subscription_not_found',
    );
    expect((await ask('/queries/stocked/subscriptions')).body['code']).toBe('role_required');
    const refusedAt = async (path: string, body: object): Promise<unknown> =>
      ((await post(path, body)).body['errors'] as Json[] | undefined)?.map(({ pointer }) => pointer as string);
    expect(await refusedAt('/queries/stocked/subscriptions', { dest: 7, schedule: { second: '61' }, extra: 1 })).toEqual([
      '/extra',
      '/dest',
      '/schedule/second',
    ]);
    expect(await refusedAt('/queries/stocked/subscriptions', { dest: sink.url(), stream: true, schedule: {} })).toEqual(['/schedule']);
    expect(await refusedAt('/queries/stocked/subscriptions', { dest: 'ftp://x', stream: true })).toEqual(['/dest']);
    expect(await refusedAt('/queries/limited/subscriptions', { dest: sink.url(), stream: true })).toEqual(['']);
    // What was written before, where it is asked for.
    await post('/queries/stocked/subscriptions', { dest: sink.url('/earlier'), stream: true, initialRecordTime: '2020-01-01T00:00:00Z' });
    expect((await sink.received('/earlier', 1))[0]!.body.toString()).toContain(sent['eventID'] as string);
  });

  it('takes and gives XML, with the same event hash', async () => {
    const { world, keys, ask, jobOf, foreign } = given();
    const headers = { 'content-type': 'application/xml' };
    const xml = (eventTime: string, more = ''): string =>
      `<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:1" xmlns:ext="https://ext.example/" schemaVersion="1.2" creationDate="2026-11-28T00:00:00Z">
       <EPCISBody><EventList><ObjectEvent><eventTime>${eventTime}</eventTime><eventTimeZoneOffset>+02:00</eventTimeZoneOffset>
       <epcList><epc>urn:epc:id:sgtin:0614141.107346.2017</epc></epcList><action>OBSERVE</action><bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep>
       <ext:load>12</ext:load>${more}</ObjectEvent></EventList></EPCISBody></epcis:EPCISDocument>`;
    const post = (path: string, body: string): Promise<Answer> => ask(path, { method: 'POST', body, headers });
    const job = await jobOf(await post('/capture', xml('2026-10-12T10:00:00Z')));
    const [{ eventID, eventHashID, state }] = job['events'] as [Json];
    expect(state).toBe('kept');
    expect(eventHashID).toBe(
      eventHashId(foreign({ eventTime: '2026-10-12T10:00:00Z', 'ext:load': '12' }), [{ ext: 'https://ext.example/' }]),
    );
    for (const [version, path] of [
      ['2.0', `/events?EQ_eventID=${encodeURIComponent(eventID as string)}`],
      ['1.2', `/events/${encodeURIComponent(eventID as string)}`],
    ] as const) {
      const url = `${world.baseUrl}/epcis/rice${path}`;
      const answer = await fetch(url, { headers: { 'x-api-key': keys.all, accept: 'application/xml', 'gs1-epcis-version': version } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
      const { events, contexts } = eventsOfBody(await readEpcisXml(Buffer.from(await answer.arrayBuffer())));
      expect(events.map((event) => eventHashId(event as Json, contexts))).toEqual([eventHashID]);
    }
    const fault = async (path: string, body: string): Promise<unknown> => {
      const answer = await post(path, body);
      return [answer.status, (answer.body['errors'] as Json[])[0]];
    };
    expect(await fault('/capture', '<a>')).toEqual([400, expect.objectContaining({ code: 'not_xml' })]);
    expect(await fault('/capture', `<!DOCTYPE a SYSTEM "http://x/">${xml('2026-10-13T10:00:00Z')}`)).toEqual([
      400,
      expect.objectContaining({ code: 'document_type' }),
    ]);
    const wrong = await jobOf(await post('/capture', xml('2026-10-13T10:00:00Z', '<disposition>lost</disposition>')));
    expect(wrong['errors']).toEqual([expect.objectContaining({ pointer: '/epcisBody/eventList/0/disposition' })]);
    expect((await ask('/queries', { method: 'POST', body: '<a/>', headers, key: keys.admin })).status).toBe(415);
  });

  it('deletes what is kept only, for who may, with its names and numbers', async () => {
    const { keys, ask, query, capture, documentOf, foreign } = given();
    const eventID = 'https://partner.example/deleted/1';
    await capture(documentOf(foreign({ eventID, eventTime: '2026-10-14T10:00:00Z', 'ext:load': 7 })));
    const remove = async (id: string, key: string): Promise<unknown> => {
      const answer = await ask(`/events/${encodeURIComponent(id)}`, { method: 'DELETE', key });
      return answer.body['code'] ?? answer.status;
    };
    expect(await remove(eventID, keys.operator)).toBe('role_required');
    expect(await remove(eventID, keys.admin)).toBe(204);
    expect(await remove(eventID, keys.admin)).toBe('event_not_found');
    expect(await query({ EQ_eventID: eventID })).toEqual([]);
    const recorded = (await query({})).find((event) => String(event['eventID']).startsWith('urn:uuid:'));
    expect(await remove(recorded!['eventID'] as string, keys.admin)).toBe('epcis_event_recorded');
  });
}
