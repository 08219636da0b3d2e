import { expect, it } from '@jest/globals';
import { ResumeCaptures } from '#interchange/testing';
import { asSuperuser } from '../harness/dump.js';
import { eventually } from '../harness/eventually.js';
import type { World } from '../harness/world.js';

type Json = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

interface Repository {
  readonly world: World;
  readonly keys: Readonly<Record<'admin', string>>;
  readonly ask: (path: string, init?: RequestInit & { readonly key?: string }) => Promise<Answer>;
  readonly query: (parameters: Record<string, string>, more?: { readonly headers?: Record<string, string> }) => Promise<readonly Json[]>;
  readonly capture: (body: object, headers?: Record<string, string>) => Promise<Answer>;
  readonly jobOf: (answer: Answer) => Promise<Json>;
  readonly documentOf: (...events: object[]) => Json;
  /** An observation of goods that the tenant does not have. */
  readonly foreign: (more?: object) => Json;
  readonly eventsIn: (answer: Answer) => Json[];
}

/** What a clumsy or hostile client may make the repository keep and answer. */
export function repositoryBoundsSuite(of: () => Repository): void {
  it('keeps what is sent several times at once, once', async () => {
    const event = { ...of().foreign({ eventTime: '2026-10-02T10:00:00Z' }), '@context': of().documentOf()['@context'] as unknown };
    const send = (): Promise<Answer> =>
      of().ask('/events', { method: 'POST', body: JSON.stringify(event), headers: { 'content-type': 'application/json' } });
    const answers = await Promise.all(Array.from({ length: 12 }, send));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await of().query({ GE_eventTime: '2026-10-02T10:00:00Z', LT_eventTime: '2026-10-02T10:00:01Z' })).toHaveLength(1);
  });

  it('refuses URIs that are longer than its indexes, and finds events with long texts by all else', async () => {
    const uri = `https://example.com/${'0123456789abcdef'.repeat(200)}`;
    for (const [field, value] of Object.entries({ eventID: uri, readPoint: { id: uri }, epcList: [uri] })) {
      const { body } = await of().capture(of().documentOf(of().foreign({ [field]: value })), { 'gs1-capture-error-behaviour': 'proceed' });
      const { errors } = (await of().ask(`/capture/${body['captureID'] as string}`)).body;
      expect([field, errors[0].title]).toEqual([field, 'too_long']);
    }
    const long = Array.from({ length: 5_000 }, (_, i) => i.toString(36)).join('');
    const more = { eventTime: '2026-10-03T10:00:00Z', 'ext:remark': long, [`ext:${long}`]: 7, ilmd: { 'ext:text': long } };
    expect(await of().jobOf(await of().capture(of().documentOf(of().foreign(more))))).toMatchObject({
      success: true,
      events: [{ state: 'kept' }],
    });
    const [found] = await of().query({ 'EXISTS_ext:remark': 'true' }, { headers: { 'gs1-extensions': 'ext=https://ext.example/' } });
    expect(found).toMatchObject(more);
  });

  it('cuts a page that would have too many bytes; all pages together are the whole', async () => {
    const at = (second: number): string => new Date(Date.UTC(2026, 8, 1) + second * 1_000).toISOString();
    const filler = 'Reis '.repeat(50_000);
    const events = Array.from({ length: 76 }, (_, i) => of().foreign({ eventTime: at(i), 'ext:filler': filler }));
    expect((await of().capture(of().documentOf(...events))).status).toBe(202);
    const seen: Json[] = [];
    const pages: number[] = [];
    const period = new URLSearchParams({ perPage: '1000', GE_eventTime: at(0), LT_eventTime: at(100), orderDirection: 'ASC' }).toString();
    for (let next: string | undefined = `/events?${period}`; next !== undefined;) {
      const answer: Answer = await of().ask(next);
      pages.push(of().eventsIn(answer).length);
      seen.push(...of().eventsIn(answer));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(seen.map((event) => event['eventTime'] as string)).toEqual(events.map((_, i) => at(i)));
  });

  it('captures a document whose job the queue has lost', async () => {
    const { world, capture, documentOf, foreign, ask } = of();
    const document = documentOf(foreign({ eventTime: '2026-10-16T10:00:00Z', eventID: 'https://partner.example/lost/1' }));
    const { body } = await capture(document);
    const id = body['captureID'] as string;
    await asSuperuser(world.database.endpoint, async (client) => {
      await client.query(`delete from interchange.epcis_event where event_id = 'https://partner.example/lost/1'`);
      const lost = `update interchange.capture_job set finished_at = null, events = '[]', created_at = now() - interval '1 hour', request = $2 where id = $1`;
      const { rows } = await client.query('select captured_by, org_id, tenant_id from interchange.capture_job where id = $1', [id]);
      const { captured_by: by, org_id: orgId, tenant_id: tenantId } = rows[0] as Record<string, string>;
      const actor = {
        kind: 'apiKey',
        id: by,
        tenantId,
        tenantSlug: 'rice',
        roles: ['COMPLIANCE'],
        roleScopes: {},
        orgId,
        wallet: null,
        wallets: [],
      };
      await client.query(lost, [id, JSON.stringify({ document, actor, from: null })]);
    });
    expect((await ask(`/capture/${id}`)).body).toMatchObject({ running: true, events: [] });
    await world.service.app.get(ResumeCaptures, { strict: false }).resume();
    await eventually('the capture has finished', async () => (await ask(`/capture/${id}`)).body['running'] === false);
    expect((await ask(`/capture/${id}`)).body).toMatchObject({ success: true, events: [{ state: 'kept' }] });
    expect(await of().query({ EQ_eventID: 'https://partner.example/lost/1' })).toHaveLength(1);
  });

  it.each([
    ['a text that no database keeps', 'EQ_bizStep=a%00'],
    ['a name that no database keeps', 'EQ_ext:%00=a'],
    ['more patterns than it searches for', `MATCH_anyEPC=${Array.from({ length: 21 }, (_, i) => `urn:epc:idpat:sgtin:${i}.*.*`).join()}`],
    [
      'a place that no page has',
      `nextPageToken=${Buffer.from(JSON.stringify(['x', '+275760-09-13T00:00:00.000Z', 'k', '0'])).toString('base64url')}`,
    ],
    [
      'a place with U+0000',
      `nextPageToken=${Buffer.from(JSON.stringify(['x', '2026-01-01T00:00:00.000Z', '\0', '0'])).toString('base64url')}`,
    ],
  ])('refuses %s', async (_, search) => {
    expect(await of().ask(`/events?${search}`)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });

  it('refuses texts that no database keeps in paths, and queries that a list could not hold', async () => {
    for (const path of [
      '/epcs/%00/events',
      '/eventTypes/%00/events',
      '/events/%00',
      '/queries/%00',
      '/queries/%00/events',
      '/capture/%00',
      '/%00',
    ])
      expect([path, [400, 404].includes((await of().ask(path)).status)]).toEqual([path, true]);
    const define = (body: object): Promise<Answer> =>
      of().ask('/queries', {
        method: 'POST',
        key: of().keys.admin,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    expect(await define({ name: 'large', query: { EQ_bizStep: 'x'.repeat(40_000) } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/query', code: 'too_large' }] },
    });
    expect((await define({ name: 'nul', query: { EQ_bizStep: '\0' } })).status).toBe(422);
  });
}
