import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type ApiProblem, type Json, TraceabilityClient } from '#client';
import { AddMember, CreateApiKey, CreateUser, type Grants } from '#identity';
import type { Role } from '#kernel';
import { World } from '../harness/world.js';
import { type Attempt, ROWS, SCOPE, type Targets, WHOLE_TENANT } from './delegation-rows.js';
import { type Route, RouteRules, bearer, rolesOf } from './route-rules.js';

const PASSWORD = 'correct horse battery';
const NOBODYS_ID = '00000000-0000-4000-8000-000000000000';

interface Actor {
  readonly name: string;
  readonly grants: Grants;
  readonly headers: Readonly<Record<string, string>>;
}

/** The grants of administrators who reach one process in different ways. */
const ACTORS: Readonly<Record<string, Grants>> = {
  scoped: { roles: ['TENANT_ADMIN'], roleScopes: { TENANT_ADMIN: [SCOPE] } },
  mixed: { roles: ['TENANT_ADMIN', 'AUDITOR'], roleScopes: { TENANT_ADMIN: [SCOPE] } },
  many: {
    roles: ['OPERATOR', 'ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'],
    roleScopes: { OPERATOR: [SCOPE], ADMIN: [SCOPE], COMPLIANCE: [SCOPE], TENANT_ADMIN: [SCOPE] },
  },
  none: { roles: ['TENANT_ADMIN'], roleScopes: { TENANT_ADMIN: [] } },
};

/** docs/spec/reliability.md#delegation, for all routes that the application has. */
describe('who administers a part of a tenant', () => {
  let world: World;
  let admin: TraceabilityClient;
  let tenantId: string;
  let routes: readonly Route[];
  let targets: Targets;
  const actors: Actor[] = [];

  const userWith = async (name: string, grants: Grants): Promise<string> => {
    const { app } = world.service;
    const user = await app.get(CreateUser, { strict: false }).create({ email: `${name}@scoped.example`, name, password: PASSWORD });
    await app.get(AddMember, { strict: false }).add(tenantId, user.id, grants);
    return user.id;
  };
  const tokenOf = async (name: string): Promise<string> =>
    (
      await new TraceabilityClient(world.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', {
        email: `${name}@scoped.example`,
        password: PASSWORD,
      })
    ).accessToken;

  beforeAll(async () => {
    world = await World.start();
    admin = await world.admin('rice');
    await world.play('rice', 1);
    tenantId = (await admin.get<{ tenantUuid: string }>('/api/v2/auth/me')).tenantUuid;
    routes = new RouteRules(world.service.app, world.baseUrl).routes.filter(isAdministrative);
    for (const [name, grants] of Object.entries(ACTORS)) {
      await userWith(name, grants);
      actors.push({ name, grants, headers: bearer(await tokenOf(name)) });
      const key = await world.service.app.get(CreateApiKey, { strict: false }).create(tenantId, { name, ...grants }, null);
      actors.push({ name: `key of ${name}`, grants, headers: { 'x-api-key': key.text } });
    }
    const { document } = await admin.get<{ document: Json }>('/api/v1/process-maps/rice');
    targets = {
      widerKey: (await admin.post<{ id: string }>('/api/v1/api-keys', { name: 'whole tenant', roles: ['OPERATOR'] })).id,
      widerMember: await userWith('wider', { roles: ['TENANT_ADMIN'], wallet: Wallet.createRandom().address }),
      narrowMember: await userWith('narrow', { roles: ['OPERATOR'], roleScopes: { OPERATOR: [SCOPE] } }),
      otherOrganisation: (await admin.post<{ id: string }>('/api/v1/organisations', { name: 'Somebody else' })).id,
      otherLot: String((await admin.lots.list()).data[0]!.tokenId),
      webhook: (await admin.webhooks.create(world.sink.url(), ['*'])).id,
      map: { ...document, version: '7.0.0' },
    };
  });
  afterAll(() => world?.close());

  const attemptsAt = ({ name }: Route): readonly Attempt[] => {
    const what = ROWS.find(([pattern]) => pattern.test(name))![1];
    if (what === WHOLE_TENANT) return [{ ids: [targets.webhook, NOBODYS_ID], body: {} }];
    return typeof what === 'function' ? what(targets) : [];
  };
  const ask = async ({ method, path }: Route, { ids = [], body }: Attempt, headers: Actor['headers']): Promise<string> => {
    const places = [...ids];
    const answer = await fetch(world.baseUrl + path.replaceAll(/:\w+/g, () => encodeURIComponent(places.shift() ?? NOBODYS_ID)), {
      method,
      headers: { ...headers, ...(body !== undefined && method !== 'GET' && { 'content-type': 'application/json' }) },
      ...(body !== undefined && method !== 'GET' && { body: JSON.stringify(body) }),
    });
    const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
    return `${answer.status} ${code}`;
  };
  /** What an attempt would have changed. */
  const state = async (): Promise<unknown> => {
    const paths = ['v1/webhooks', 'v1/process-maps?limit=100', 'v1/organisations?limit=100', 'v1/rules', 'v1/passport-settings'];
    const read = await Promise.all(paths.map((path) => admin.get<unknown>(`/api/${path}`)));
    const { data: keys } = await admin.get<{ data: Json[] }>('/api/v1/api-keys?limit=100');
    const members = await admin.get<unknown>('/api/v2/members?status=all&limit=100');
    const changes = (await admin.get<{ data: Json[] }>('/api/v1/audit?limit=1')).data.map(({ id }) => id);
    return { read, members, changes, keys: keys.map((key) => ({ ...key, lastUsedAt: null })) };
  };

  it('has a row for every route that changes something or that only administrators may call', () => {
    expect(routes.filter(({ name }) => !ROWS.some(([pattern]) => pattern.test(name))).map(({ name }) => name)).toEqual([]);
    expect(ROWS.filter(([pattern]) => !routes.some(({ name }) => pattern.test(name))).map(([pattern]) => pattern.source)).toEqual([]);
    expect(routes.length).toBeGreaterThan(50);
  });

  it('gains nothing by any of them', async () => {
    const before = await state();
    const gains: string[] = [];
    let tried = 0;
    for (const route of routes)
      for (const actor of actors)
        for (const attempt of attemptsAt(route)) {
          if (attempt.gives && actor.grants.roles.includes(attempt.gives) && !actor.grants.roleScopes?.[attempt.gives]) continue;
          tried++;
          const answer = await ask(route, attempt, actor.headers);
          if (!REFUSED.has(answer)) gains.push(`${actor.name}: ${route.name} ${JSON.stringify(attempt.body)}: ${answer}`);
        }
    expect(gains).toEqual([]);
    expect(tried).toBeGreaterThan(500);
    expect(await state()).toEqual(before);
  });

  it('is refused for the scope alone: the administrator of every process is not', async () => {
    const wide = bearer(await tokenOf('wider'));
    for (const route of routes)
      for (const attempt of attemptsAt(route).filter(() => route.method === 'GET' || /validate$/.test(route.path)))
        expect(`${route.name} ${await ask(route, attempt, wide)}`).not.toMatch(/ 403 /);
  });

  it('takes over no organisation by several requests either', async () => {
    const orgId = targets.otherOrganisation;
    const roleScopes = { TENANT_ADMIN: [SCOPE], ADMIN: [SCOPE], OPERATOR: [SCOPE] };
    const grants = (...roles: Role[]): Grants => ({
      roles,
      roleScopes: Object.fromEntries(Object.entries(roleScopes).filter(([role]) => (roles as string[]).includes(role))),
    });
    const id = await userWith('homed', grants('TENANT_ADMIN'));
    const other = await userWith('helper', grants('OPERATOR'));
    const homed = await TraceabilityClient.login(world.baseUrl, 'homed@scoped.example', PASSWORD);
    const answer = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'done',
        ({ status, code }: ApiProblem) => `${status} ${code}`,
      );
    const patch = (member: string, body: object): Promise<string> => answer(homed.request('PATCH', `/api/v2/members/${member}`, body));
    const rename = (name: string): Promise<string> => answer(homed.request('PATCH', `/api/v1/organisations/${orgId}`, { name }));
    const key = (...roles: Role[]): Promise<string> =>
      answer(homed.post('/api/v1/api-keys', { name: 'of another', ...grants(...roles), orgId }));
    const refusal = '403 beyond_own_grants';

    // The organisation first, then the role; and the role first.
    expect(await patch(id, { orgId })).toBe(refusal);
    expect(await patch(other, { orgId })).toBe('done');
    for (const role of ['ADMIN', 'TENANT_ADMIN'] as const) {
      expect(await patch(other, grants(role))).toBe(refusal);
      expect(await key(role)).toBe(refusal);
    }
    expect(await patch(other, { ...grants('TENANT_ADMIN'), orgId: null })).toBe('done');
    expect(await patch(other, { orgId })).toBe(refusal);
    // Nor is a member of the organisation its ADMIN.
    await admin.request('PATCH', `/api/v2/members/${id}`, { orgId });
    expect(await rename('Taken over')).toBe(refusal);
    expect(await patch(id, grants('TENANT_ADMIN', 'ADMIN'))).toBe(refusal);
    expect(await patch(other, { ...grants('ADMIN'), orgId })).toBe(refusal);
    expect(await key('ADMIN')).toBe(refusal);
    // Who is, goes on.
    await admin.request('PATCH', `/api/v2/members/${id}`, grants('TENANT_ADMIN', 'ADMIN'));
    expect(await rename('Somebody else still')).toBe('done');
    expect(await key('ADMIN')).toBe('done');
  });

  it('still does what is within the scope', async () => {
    const scoped = await TraceabilityClient.login(world.baseUrl, 'scoped@scoped.example', PASSWORD);
    const grants = { roles: ['OPERATOR'], roleScopes: { OPERATOR: [SCOPE] } };
    const key = await scoped.post<{ id: string; secret: string }>('/api/v1/api-keys', { name: 'mill', ...grants });
    expect((await scoped.post<{ secret: string }>(`/api/v1/api-keys/${key.id}/rotate`, {})).secret).not.toBe(key.secret);
    await scoped.request('DELETE', `/api/v1/api-keys/${key.id}`);
    const { id } = await scoped.post<{ id: string }>('/api/v2/members', { email: 'miller@rice.example', ...grants });
    expect(await scoped.request<Json>('PATCH', `/api/v2/members/${id}`, { roleScopes: { OPERATOR: [] } })).toMatchObject({ id });
    await scoped.request('DELETE', `/api/v2/members/${id}`);
  });
});

/** A key may not call the routes for people only. */
const REFUSED: ReadonlySet<string> = new Set(['403 beyond_own_grants', '403 process_out_of_scope', '403 bearer_required']);

/** Everything but what every member reads, and what is for everybody or for the platform. */
function isAdministrative(route: Route): boolean {
  if (route.rule === 'public' || route.rule === 'platform') return false;
  return route.method !== 'GET' || rolesOf(route) !== undefined;
}
