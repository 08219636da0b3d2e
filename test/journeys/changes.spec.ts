import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../harness/world.js';

type Json = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly location: string | null;
  readonly body: Json;
}

/** Many enough to meet: without a lock, most pairs of them lost a change. */
const PAIRS = 20;

describe('changes', () => {
  let world: World;
  let token: string;
  /** A resource by its address, with two fields that two people change at once. */
  const resources: [path: string, one: Json, other: Json][] = [];

  beforeAll(async () => {
    world = await World.start();
    const { email, password } = world.tenant('rice').admin;
    token = (await send('POST', '/api/v2/auth/login', { email, password })).body['accessToken'] as string;
    const organisation = await send('POST', '/api/v1/organisations', { name: 'Mill', publicProfile: { city: 'A' } });
    const member = await send('POST', '/api/v2/members', { email: 'both@rice.example', roles: ['OPERATOR'] });
    const webhook = await send('POST', '/api/v1/webhooks', { url: world.sink.url('/changes'), events: ['event.recorded'] });
    resources.push(
      ['/api/v1/rules', { blockExpired: true }, { blockRecallAffected: true }],
      ['/api/v1/passport-settings', { enabled: true }, { resolver: 'https://id.example' }],
      ['/api/v1/reports/alerts/limits', { limits: { yieldScore: 4 } }, { limits: { yieldEvents: 9 } }],
      [organisation.location!, { name: 'New mill' }, { publicProfile: { city: 'B' } }],
      [member.location!, { roles: ['AUDITOR'] }, { orgId: organisation.body['id'] }],
      [webhook.location!, { active: false }, { events: ['custody.*'] }],
    );
  });
  afterAll(() => world?.close());

  async function send(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(world.baseUrl + path, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { headers: given } = response;
    return {
      status: response.status,
      etag: given.get('etag'),
      location: given.get('location'),
      body: (text ? JSON.parse(text) : {}) as Json,
    };
  }

  it('of different fields at once are both kept, on every resource that has a PATCH', async () => {
    for (const [path, one, other] of resources) {
      const before = (await send('GET', path)).body;
      const undo = Object.fromEntries(
        [...Object.keys(one), ...Object.keys(other)].map((name) => [name, nothing(path, name) ?? before[name]]),
      );
      for (let pair = 0; pair < PAIRS; pair++) {
        expect((await send('PATCH', path, undo)).status).toBe(200);
        const answers = await Promise.all([send('PATCH', path, one), send('PATCH', path, other)]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        expect((await send('GET', path)).body).toMatchObject({ ...one, ...other, ...mergedLimits(one, other) });
      }
    }
  });
  const nothing = (path: string, name: string): Json | undefined =>
    path.endsWith('/limits') && name === 'limits' ? { yieldScore: null, yieldEvents: null } : undefined;
  const mergedLimits = (one: Json, other: Json): Json =>
    'limits' in one ? { limits: { ...(one['limits'] as Json), ...(other['limits'] as Json) } } : {};

  it('of another state than If-Match names are refused, and of two with the same tag one', async () => {
    for (const [path, one, other] of resources) {
      const { etag } = await send('GET', path);
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      expect(await send('PATCH', path, one, { 'if-match': '"x"' })).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
      expect(await send('PATCH', path, one, { 'if-match': 'x' })).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
      expect((await send('GET', path)).etag).toBe(etag);
      const reset = await send('PATCH', path, { ...other }, { 'if-match': etag! });
      expect([path, reset.status]).toEqual([path, 200]);
      expect((await send('GET', path)).etag).toBe(reset.etag);
    }
    const [path] = resources[0]!;
    await send('PATCH', path, { blockExpired: false, blockRecallAffected: false });
    const { etag } = await send('GET', path);
    const both = await Promise.all(
      [{ blockExpired: true }, { blockRecallAffected: true }].map((body) => send('PATCH', path, body, { 'if-match': etag! })),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });

  it('of a deletion too', async () => {
    for (const [path] of resources.slice(-2)) {
      expect((await send('DELETE', path, undefined, { 'if-match': '"x"' })).status).toBe(412);
      expect((await send('DELETE', path, undefined, { 'if-match': (await send('GET', path)).etag! })).status).toBe(204);
    }
  });

  it('that make something say where it is, again when they are repeated', async () => {
    const made = async (path: string, body: Json): Promise<string> => {
      const key = { 'idempotency-key': path.replaceAll('/', '-') };
      const [first, again] = [await send('POST', path, body, key), await send('POST', path, body, key)];
      expect([path, first.status, again.status, again.location]).toEqual([path, 201, 201, first.location]);
      return first.location!;
    };
    const readable = [
      await made('/api/v1/organisations', { name: 'Located' }),
      await made('/api/v2/members', { email: 'located@rice.example', roles: ['OPERATOR'] }),
      await made('/api/v1/webhooks', { url: world.sink.url('/located'), events: ['*'] }),
    ];
    for (const location of readable) expect([location, (await send('GET', location)).status]).toEqual([location, 200]);
    const key = await made('/api/v1/api-keys', { name: 'located', roles: ['OPERATOR'] });
    expect((await send('DELETE', key)).status).toBe(204);
  });

  it('that name one organisation twice at once give the name to one', async () => {
    const ids = await Promise.all(
      ['A', 'B'].map(async (name) => (await send('POST', '/api/v1/organisations', { name })).body['id'] as string),
    );
    const answers = await Promise.all([
      ...ids.map((id) => send('PATCH', `/api/v1/organisations/${id}`, { name: 'Wanted' })),
      send('POST', '/api/v1/organisations', { name: 'WANTED' }),
    ]);
    expect(answers.map(({ status }) => (status < 300 ? 'done' : String(status))).toSorted((a, b) => a.localeCompare(b))).toEqual([
      '409',
      '409',
      'done',
    ]);
  });

  it('that invite one person at once add one member, a removed one included', async () => {
    const person = { email: 'twice@rice.example' };
    const inviteTwice = async (): Promise<readonly Answer[]> =>
      Promise.all([['OPERATOR'], ['AUDITOR']].map((roles) => send('POST', '/api/v2/members', { ...person, roles })));
    for (let pair = 0; pair < 5; pair++) {
      const answers = await inviteTwice();
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
      expect((await send('DELETE', answers.find(({ status }) => status === 201)!.location!)).status).toBe(204);
    }
  });

  it('with one Idempotency-Key have one effect in any spelling of the path', async () => {
    await world.play('rice', 2);
    const run = (path: string): Promise<Answer> => send('POST', path, {}, { 'idempotency-key': 'spelled' });
    const [plain, spelled] = [await run('/api/v1/recall/drills'), await run('/api/v1/recall/%64rills')];
    expect([plain.status, spelled.status, spelled.body['id']]).toEqual([201, 201, plain.body['id']]);
  });

  describe('that are no input', () => {
    it.each<[method: string, path: string, body: string, status: number, pointer: string]>([
      ['POST', '/api/v1/api-keys', '{"name":"x","roles":["OPERATOR"],"orgId":"x"}', 404, ''],
      ['POST', '/api/v2/members', '{"email":"u@rice.example","roles":["OPERATOR"],"orgId":"x"}', 404, ''],
      ['PATCH', 'member', '{"orgId":"x"}', 404, ''],
      ['PATCH', 'organisation', '{"name":null}', 400, '/name'],
      ['PATCH', 'organisation', '{"publicProfile":null}', 400, '/publicProfile'],
      ['POST', '/api/v1/api-keys', '{"name":"x","roles":["OPERATOR"],"roleScopes":null}', 400, '/roleScopes'],
      ['PATCH', 'member', '{"roleScopes":null}', 400, '/roleScopes'],
      ['POST', '/api/v1/reports/alerts/x/ack', '{"muteUntil":null}', 400, '/muteUntil'],
      ['PATCH', '/api/v1/rules', '{"blockExpired":null}', 400, '/blockExpired'],
      ['POST', '/api/v1/organisations', String.raw`{"name":"x","publicProfile":{"a":{"b":["c\u0000"]}}}`, 400, '/publicProfile/a/b/0'],
      ['POST', '/api/v1/organisations', String.raw`{"name":"x","publicProfile":{"a":{"\u0000":1}}}`, 400, '/publicProfile/a'],
      ['POST', '/api/v1/organisations', String.raw`{"name":"x","publicProfile":{"a":"\ud800"}}`, 400, '/publicProfile/a'],
      ['POST', '/api/v1/organisations', '{"name":"x","publicProfile":{"a":1e400}}', 400, '/publicProfile/a'],
      ['POST', '/api/v1/organisations', '{"name":"x","publicProfile":{"a":9007199254740993}}', 400, '/publicProfile/a'],
      ['POST', '/api/v1/organisations', `{"name":"x","publicProfile":{"a":"${'x'.repeat(900_000)}"}}`, 400, '/publicProfile'],
      ['POST', 'organisation/sites', String.raw`{"name":"x","location":{"street":"\u0000"}}`, 400, '/location/street'],
      ['POST', 'organisation/sites', '{"name":"x","location":{"geo":[1e400]}}', 400, '/location/geo/0'],
      ['POST', '/api/v1/api-keys', '{"name":"x","roles":["OPERATOR"],"expiresAt":"2027-02-30"}', 400, '/expiresAt'],
      ['POST', '/api/v1/api-keys', '{"name":"x","roles":["OPERATOR"],"expiresAt":"2027-02-20T00:00:00"}', 400, '/expiresAt'],
      ['GET', '/api/v1/audit?from=2027-01-02&to=2027-01-01', '', 400, '/from'],
      ['GET', '/api/v1/audit?from=2027-01-01&to=2027-01-01', '', 400, '/from'],
      ['GET', '/api/v1/events?from=2027-01-01&to=2027-01-01', '', 400, '/from'],
      ['GET', '/api/v1/tx?from=2027-01-01&to=2027-01-01', '', 400, '/from'],
      ['GET', '/api/v1/reports/yield?from=2027-01-01&to=2027-01-01', '', 400, '/from'],
      ['GET', '/api/v1/nfts?statsu=recalled', '', 400, '/statsu'],
      ['GET', '/api/v1/reports/alerts?page=2', '', 400, '/page'],
      ['GET', '/api/v1/webhooks/%FF', '', 400, '/id'],
    ])('%s %s, case %#, is refused', async (method, named, body, status, pointer) => {
      const path = named.startsWith('/') ? named : `${resources[named.startsWith('organisation') ? 3 : 4]![0]}${named.replace(/^\w+/, '')}`;
      const response = await fetch(world.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body }),
      });
      const answer = (await response.json()) as { errors?: { pointer: string }[] };
      expect([response.status, answer.errors?.[0]?.pointer ?? '']).toEqual([status, pointer]);
    });
  });
});
