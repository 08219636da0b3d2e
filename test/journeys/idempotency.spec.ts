import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '#client';
import { CreateUser } from '#identity';
import { UnitOfWork } from '#persistence';
import { type ScenarioEvent, readScenario } from '../../apps/cli/src/demo/scenario.js';
import { DeleteOldRowsJob } from '../../apps/worker/src/delete-old-rows.job.js';
import { World } from '../harness/world.js';

interface Answer {
  readonly status: number;
  readonly body: Json & { readonly code?: string; readonly id?: string; readonly secret?: string };
  readonly text: string;
  readonly headers: Headers;
}

describe('a POST with an Idempotency-Key', () => {
  let world: World;
  let token: string;
  let webhook: { url: string; events: string[] };

  beforeAll(async () => {
    world = await World.start();
    const { email, password } = world.tenant('rice').admin;
    token = await login(email, password);
    webhook = { url: world.sink.url('/once'), events: ['nft.created'] };
  });
  afterAll(() => world.close());

  async function login(email: string, password: string): Promise<string> {
    const { body } = await post('/api/v2/auth/login', { email, password }, {});
    return body.accessToken as string;
  }
  async function post(path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(world.baseUrl + path, {
      method: 'POST',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: (text ? JSON.parse(text) : {}) as Answer['body'], headers: response.headers };
  }
  const keyed = (key: string, path: string, body?: unknown, by = token): Promise<Answer> =>
    post(path, body, { authorization: `Bearer ${by}`, 'idempotency-key': key });
  const webhooks = async (): Promise<number> => (await (await world.admin('rice')).webhooks.list()).length;
  const kept = (key: string): Promise<Json[]> =>
    world.service.app.get(UnitOfWork).asSystem((tx) => tx.sql<Json>('select * from http.answer where key = $1', [key]));
  const spoil = (set: string, key: string): Promise<unknown> =>
    world.service.app.get(UnitOfWork).asSystem((tx) => tx.sql(`update http.answer set ${set} where key = $1`, [key]));

  it('has one effect when 50 equal ones arrive at once; the others get 409 or the same answer', async () => {
    const before = await webhooks();
    const answers = await Promise.all(Array.from({ length: 50 }, () => keyed('fifty', '/api/v1/webhooks', webhook)));
    expect(await webhooks()).toBe(before + 1);
    const first = answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed'));
    expect(first).toHaveLength(1);
    const outcomes = answers.map(({ status, body }) => (status === 201 ? `201 ${body.id}` : `${status} ${body.code}`));
    expect([`201 ${first[0]!.body.id}`, '409 idempotency_still_running']).toEqual(expect.arrayContaining([...new Set(outcomes)]));
    const waits = answers.filter(({ status }) => status === 409).map(({ headers }) => Number(headers.get('retry-after')));
    expect(waits.filter((seconds) => !(seconds > 0))).toEqual([]);
  });

  it('gets the stored answer again, marked as replayed, without the secret that was shown once', async () => {
    const first = await keyed('secret', '/api/v1/webhooks', webhook);
    expect(first.body.secret).toMatch(/^whsec_/);
    const again = await keyed('secret', '/api/v1/webhooks', webhook);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const { secret, ...rest } = first.body;
    expect(again.body).toEqual(rest);
    expect(JSON.stringify(await kept('secret'))).not.toContain(secret);
  });

  it('replays not the secret of an API key', async () => {
    const key = await keyed('new-key', '/api/v1/api-keys', { name: 'once', roles: ['OPERATOR'] });
    expect(key.status).toBe(201);
    const again = await keyed('new-key', '/api/v1/api-keys', { name: 'once', roles: ['OPERATOR'] });
    expect([again.status, again.body.id]).toEqual([201, key.body.id]);
    expect(again.text).not.toContain(key.body.secret!);
  });

  it('with another body is refused, and changes nothing', async () => {
    await keyed('body', '/api/v1/webhooks', webhook);
    const before = await webhooks();
    const other = await keyed('body', '/api/v1/webhooks', { ...webhook, events: ['nft.recalled'] });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await webhooks()).toBe(before);
  });

  it('belongs to its principal, tenant and route', async () => {
    const { email, password } = world.tenant('wool').admin;
    const wool = await login(email, password);
    const [mine, theirs] = [
      await keyed('shared', '/api/v1/webhooks', webhook),
      await keyed('shared', '/api/v1/webhooks', { ...webhook, events: ['nft.recalled'] }, wool),
    ];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
    const rotated = await keyed('shared', `/api/v1/webhooks/${mine.body.id}/rotate-secret`);
    expect(rotated.headers.has('idempotency-replayed')).toBe(false);
    expect(rotated.status).toBeLessThan(300);
  });

  it('returns a prepared event again and prepares no second one', async () => {
    const [stage] = readScenario('rice').steps.filter((each): each is ScenarioEvent => 'processType' in each);
    const farm = await world.company('rice', 'farmA');
    const event = { processType: stage!.processType, outputTlc: 'RH-20260915-ONCE', metadata: stage!.metadata };
    const { accessToken } = (farm.api as unknown as { credential: { accessToken: string } }).credential;
    const first = await keyed('event', '/api/v1/events/prepare', event, accessToken);
    const again = await keyed('event', '/api/v1/events/prepare', event, accessToken);
    expect(first.status).toBe(200);
    expect([again.status, again.text]).toEqual([200, first.text]);
  });

  it('repeats a refusal too', async () => {
    const first = await keyed('refused', '/api/v1/webhooks', { url: 'ftp://nowhere', events: [] });
    const again = await keyed('refused', '/api/v1/webhooks', { url: 'ftp://nowhere', events: [] });
    expect(first.status).toBeGreaterThanOrEqual(400);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('can be used again after an error of the service', async () => {
    const { dataSource } = world.database;
    await dataSource.query('alter table webhooks.subscription rename column url to away');
    try {
      expect((await keyed('fault', '/api/v1/webhooks', webhook)).status).toBe(500);
    } finally {
      await dataSource.query('alter table webhooks.subscription rename column away to url');
    }
    expect(await kept('fault')).toEqual([]);
    const again = await keyed('fault', '/api/v1/webhooks', webhook);
    expect([again.status, again.headers.has('idempotency-replayed')]).toEqual([201, false]);
  });

  it('of a process that died is executed by another one after the lease', async () => {
    await keyed('died', '/api/v1/webhooks', webhook);
    await spoil(`status = null, body = null, leased_until = now() + interval '20 s'`, 'died');
    const running = await keyed('died', '/api/v1/webhooks', webhook);
    expect([running.status, running.body.code]).toEqual([409, 'idempotency_still_running']);
    await spoil(`leased_until = now() - interval '1 s'`, 'died');
    const other = await keyed('died', '/api/v1/webhooks', { ...webhook, events: ['nft.recalled'] });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    const again = await keyed('died', '/api/v1/webhooks', webhook);
    expect([again.status, again.headers.has('idempotency-replayed')]).toEqual([201, false]);
  });

  it('is deleted after a day, and can be used again', async () => {
    const first = await keyed('day', '/api/v1/webhooks', webhook);
    await spoil(`expires_at = now() - interval '1 s'`, 'day');
    const next = await keyed('day', '/api/v1/webhooks', { ...webhook, events: ['nft.recalled'] });
    expect(next.status).toBe(201);
    expect(next.body.id).not.toBe(first.body.id);
    await spoil(`expires_at = now() - interval '1 s'`, 'day');
    await world.service.app.get(DeleteOldRowsJob, { strict: false }).run(new AbortController().signal);
    expect(await kept('day')).toEqual([]);
  });

  it.each([
    ['empty', ''],
    ['with a space', 'a key'],
    ['given twice', 'one, two'],
    ['not ASCII', 'schlüssel'],
    ['too long', 'k'.repeat(256)],
  ])('that is %s is 400', async (_, key) => {
    const before = await webhooks();
    const answer = await keyed(key, '/api/v1/webhooks', webhook);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_request']);
    expect(answer.body.errors).toMatchObject([{ code: 'idempotency_key_malformed' }]);
    expect(await webhooks()).toBe(before);
  });

  it('may be 255 characters long', async () => {
    expect((await keyed('k'.repeat(255), '/api/v1/webhooks', webhook)).status).toBe(201);
  });

  it('works for a platform administrator, who has no tenant', async () => {
    await world.service.app
      .get(CreateUser)
      .create({ email: 'root@platform.example', name: 'Root', password: 'correct horse battery', platformAdmin: true });
    const root = await login('root@platform.example', 'correct horse battery');
    const first = await keyed('t', '/api/v2/tenants/rice/suspend', undefined, root);
    const again = await keyed('t', '/api/v2/tenants/rice/suspend', undefined, root);
    expect(first.status).toBeLessThan(300);
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([first.status, first.text, 'true']);
    await keyed('u', '/api/v2/tenants/rice/resume', undefined, root);
  });

  it('has no effect on a login: each one opens a session', async () => {
    const { email, password } = world.tenant('wool').admin;
    const logins = await Promise.all([1, 2].map(() => post('/api/v2/auth/login', { email, password }, { 'idempotency-key': 'login' })));
    expect(logins.map(({ status, headers }) => [status, headers.has('idempotency-replayed')])).toEqual([
      [200, false],
      [200, false],
    ]);
    expect(logins[0]!.body.refreshToken).not.toBe(logins[1]!.body.refreshToken);
  });

  it('is documented for every POST of a principal whose answer may be kept, and for no other route', async () => {
    const { paths } = (await (await fetch(`${world.baseUrl}/openapi.json`)).json()) as { paths: Record<string, Record<string, Operation>> };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const takes = ({ operation }: { operation: Operation }): boolean =>
      (operation.parameters ?? []).some(({ name }) => name === 'Idempotency-Key');
    const due = operations.filter(
      ({ path, method, operation }) =>
        // The data of a person are not stored a second time, as an answer.
        method === 'post' && operation.security.length > 0 && !path.startsWith('/api/v2/auth/') && path !== '/api/v1/privacy/export',
    );
    expect(due.length).toBeGreaterThan(20);
    expect(operations.filter(takes).map(({ path }) => path)).toEqual(due.map(({ path }) => path));
    for (const { operation } of due) {
      expect(operation.responses['409']!.description).toContain('idempotency_still_running');
      expect(operation.responses['422']!.description).toContain('idempotency_key_reused');
      expect(operation.responses['429']!.description).toContain('too_many_answers_kept');
    }
  });
});

describe('a tenant whose answers that are kept are at their limit', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ IDEMPOTENCY_MIB_PER_TENANT: '1' });
  });
  afterAll(() => world.close());

  it('is refused before it takes effect while the answers that are kept for its tenant are at their limit', async () => {
    const [rice, wool] = await Promise.all(['rice', 'wool'].map((slug) => bearer(slug)));
    const long = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}${'x'.repeat(900)}`, 1]));
    const judged = (key: string | null, token = rice!): Promise<Response> => post(token, key, '/api/v1/events/validate', long);
    expect((await judged('long-0')).status).toBe(200);
    let count = 1;
    while ((await judged(`long-${count}`)).status === 200 && count < 100) count++;
    expect(count).toBeLessThan(20);
    const refused = await post(rice!, 'more', '/api/v1/webhooks', { url: world.sink.url('/more'), events: ['nft.created'] });
    expect([refused.status, ((await refused.json()) as Json)['code']]).toEqual([429, 'too_many_answers_kept']);
    expect(await (await world.admin('rice')).webhooks.list()).toEqual([]);
    expect((await judged('long-0')).headers.get('idempotency-replayed')).toBe('true');
    expect((await judged(null)).status).toBe(200);
    expect((await judged('other', wool)).status).toBe(200);
  });

  async function bearer(slug: string): Promise<string> {
    const { email, password } = world.tenant(slug).admin;
    const answer = await post(null, null, '/api/v2/auth/login', { email, password, tenantId: slug });
    return ((await answer.json()) as { accessToken: string }).accessToken;
  }
  const post = (token: string | null, key: string | null, path: string, body: object): Promise<Response> =>
    fetch(world.baseUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    });
});

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}
