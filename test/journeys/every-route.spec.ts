import { createPrivateKey, sign } from 'node:crypto';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCESS, type AccessRule, openApiDocument } from '#http';
import { AddMember, ChangeApiKey, CreateApiKey, CreateTenant, CreateUser } from '#identity';
import type { Role } from '#kernel';
import { World } from '../harness/world.js';

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly rule: AccessRule;
}

const PASSWORD = 'correct horse battery';
type Controller = (new () => unknown) & { readonly prototype: Record<string, unknown> };

/** reliability-decisions §3.6: no list of routes is kept here, so a new one is covered from its first day. */
describe('every route', () => {
  let world: World;
  let routes: Route[];
  let full: string;
  let partial: string;
  let expired: string;
  let revokedKey: string;
  const lowest = new Map<Role, string>();

  beforeAll(async () => {
    world = await World.start();
    const { app } = world.service;
    routes = routesOf(world);
    const make = { strict: false } as const;
    const one = await app.get(CreateTenant, make).create({ slug: 'low-one', name: 'One', environment: 'sandbox' });
    const two = await app.get(CreateTenant, make).create({ slug: 'low-two', name: 'Two', environment: 'sandbox' });
    const user = async (email: string, tenants: readonly string[], roles: Role[]): Promise<string> => {
      const { id } = await app.get(CreateUser, make).create({ email, name: email, password: PASSWORD });
      for (const tenant of tenants) await app.get(AddMember, make).add(tenant, id, { roles });
      const answer = await fetch(`${world.baseUrl}/api/v2/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      return ((await answer.json()) as { accessToken: string }).accessToken;
    };
    partial = await user('both@low.example', [one.id, two.id], ['OPERATOR']);
    for (const role of ['OPERATOR', 'AUDITOR', 'COMPLIANCE', 'ADMIN'] as const)
      lowest.set(role, await user(`${role.toLowerCase()}@low.example`, [one.id], [role]));
    full = lowest.get('OPERATOR')!;
    expired = expiredCopy(full, world.service.config.secrets.signingKeys![0]!);
    const { key, text } = await app.get(CreateApiKey, make).create(one.id, { name: 'gone', roles: ['OPERATOR'] }, null);
    await revoke(app.get(ChangeApiKey, make), one.id, key.id);
    revokedKey = text;
  }, 180_000);
  afterAll(() => world.close());

  const call = async (route: Route, headers: Record<string, string>): Promise<string> => {
    const path = route.path.replaceAll(/:(\w+)/g, '00000000-0000-4000-8000-000000000000');
    const answer = await fetch(world.baseUrl + path, { method: route.method, headers });
    const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
    return `${answer.status} ${code}`;
  };
  /** What each route answered that should not have. */
  const others = async (
    of: (route: Route) => boolean,
    headers: (route: Route) => Record<string, string>,
    right: (route: Route) => string,
  ): Promise<string[]> => {
    const wrong: string[] = [];
    for (const route of routes.filter(of)) {
      const got = await call(route, headers(route));
      if (got !== right(route)) wrong.push(`${route.name}: ${got} instead of ${right(route)}`);
    }
    return wrong;
  };
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const isClosed = ({ rule }: Route): boolean => rule !== 'public';
  const rolesOf = ({ rule }: Route): readonly Role[] | undefined => (typeof rule === 'object' ? rule.roles : undefined);
  const lowRole = (route: Route): Role | undefined => [...lowest.keys()].find((role) => !rolesOf(route)!.includes(role));

  it('is in the OpenAPI document, and nothing else is', () => {
    const documented = Object.entries(openApiDocument(world.service.app).paths).flatMap(([path, operations]) =>
      Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(routes.length).toBeGreaterThan(50);
    expect(documented.toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
  });

  it('refuses a call without a credential', async () => {
    expect(
      await others(
        isClosed,
        () => ({}),
        () => '401 unauthenticated',
      ),
    ).toEqual([]);
  });

  it('refuses an expired token', async () => {
    expect(
      await others(
        isClosed,
        () => bearer(expired),
        () => '401 token_expired',
      ),
    ).toEqual([]);
  });

  it('refuses a revoked key', async () => {
    expect(
      await others(
        isClosed,
        () => ({ 'x-api-key': revokedKey }),
        () => '401 invalid_api_key',
      ),
    ).toEqual([]);
  });

  it('refuses a partial token, but to choose a tenant', async () => {
    const open = routes.filter(({ rule }) => rule === 'partial').map(({ path }) => path);
    expect(open.toSorted()).toEqual(['logout', 'me', 'memberships', 'select-tenant'].map((action) => `/api/v2/auth/${action}`));
    const code = ({ rule }: Route): string => (rule === 'platform' ? '403 platform_admin_required' : '403 partial_token');
    expect(
      await others(
        (route) => isClosed(route) && route.rule !== 'partial',
        () => bearer(partial),
        code,
      ),
    ).toEqual([]);
  });

  it('refuses too low a role', async () => {
    const asksRole = (route: Route): boolean => rolesOf(route) !== undefined && lowRole(route) !== undefined;
    expect(routes.filter((route) => asksRole(route)).length).toBeGreaterThan(20);
    expect(
      await others(
        asksRole,
        (route) => bearer(lowest.get(lowRole(route)!)!),
        () => '403 role_required',
      ),
    ).toEqual([]);
    expect(
      await others(
        ({ rule }) => rule === 'platform',
        () => bearer(full),
        () => '403 platform_admin_required',
      ),
    ).toEqual([]);
  });
});

const revoke = (keys: ChangeApiKey, tenantId: string, id: string): Promise<void> => keys.revoke(tenantId, id, null);

/** Nest's own list. */
function routesOf(world: World): Route[] {
  const { app } = world.service;
  const scanner = new MetadataScanner();
  const reflector = app.get(Reflector);
  return app
    .get(DiscoveryService, { strict: false })
    .getControllers()
    .flatMap(({ metatype }) => {
      const controller = metatype as Controller;
      return scanner.getAllMethodNames(controller.prototype).flatMap((name) => {
        const handler = controller.prototype[name] as () => unknown;
        const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (verb === undefined) return [];
        const path = `/${[Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler)]
          .map((part: string) => part.replaceAll(/^\/+|\/+$/g, ''))
          .filter(Boolean)
          .join('/')}`;
        const method = RequestMethod[verb];
        return [{ name: `${method} ${path}`, method, path, rule: reflector.getAllAndOverride<AccessRule>(ACCESS, [handler, controller]) }];
      });
    });
}

/** The same token, signed by the service's own key, an hour too late. */
function expiredCopy(token: string, pem: string): string {
  const [header, payload] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { iat: number; exp: number };
  const past = Buffer.from(JSON.stringify({ ...claims, iat: claims.iat - 7_200, exp: claims.iat - 3_600 })).toString('base64url');
  const signature = sign('sha256', Buffer.from(`${header}.${past}`), { key: createPrivateKey(pem), dsaEncoding: 'ieee-p1363' });
  return `${header}.${past}.${signature.toString('base64url')}`;
}
