import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ACCESS, type AccessRule, openApiDocument } from '#http';
import type { Role } from '#kernel';

export interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly rule: AccessRule;
}
type Headers = Readonly<Record<string, string>>;
type Controller = (new () => unknown) & { readonly prototype: Record<string, unknown> };
type Operation = { readonly security?: readonly object[]; readonly requestBody?: { readonly content: Record<string, { schema: Schema }> } };

/** Routes for everybody, each on purpose: a new one is written down here or is refused. */
const PUBLIC = [
  'GET /*',
  'GET /.well-known/gs1resolver',
  'GET /.well-known/jwks.json',
  'GET /api/v2/auth/siwe/nonce',
  'GET /health/live',
  'GET /health/ready',
  'GET /id/:tenant/doc/:type/:number',
  'GET /id/:tenant/lot/:code',
  'GET /notices/off',
  'GET /ns/btt',
  'GET /ns/trc',
  'GET /p/:passportId',
  'GET /p/:passportId/bundle',
  'GET /p/:passportId/events',
  'GET /p/:passportId/granted',
  'GET /p/:passportId/label.pdf',
  'GET /p/:passportId/label.svg',
  'GET /v1/dpps/:dppId',
  'GET /v1/dpps/:dppId/elements/:elementIdPath',
  'GET /v1/dppsByIdAndDate/:dppId',
  'GET /v1/dppsByProductId/:productId',
  'GET /verify',
  'OPTIONS /epcis/:tenant',
  'OPTIONS /epcis/:tenant/:collection',
  'POST /api/v2/auth/invitations/accept',
  'POST /api/v2/auth/invitations/passkey/options',
  'POST /api/v2/auth/invitations/passkey/verify',
  'POST /api/v2/auth/login',
  'POST /api/v2/auth/passkeys/authentication/options',
  'POST /api/v2/auth/passkeys/authentication/verify',
  'POST /api/v2/auth/password/forgot',
  'POST /api/v2/auth/password/reset',
  'POST /api/v2/auth/refresh',
  'POST /api/v2/auth/siwe',
  'POST /notices/off',
  'POST /v1/dppsByProductIds',
];
const EVERYBODY: readonly Role[] = ['OPERATOR', 'ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'];

/** The table of docs/spec/api.md#identity. Within events and transactions maps and methods narrow it further. */
const MATRIX: readonly (readonly [RegExp, readonly Role[] | 'member'])[] = [
  [
    /^POST \/api\/v1\/(events\/(validate|prepare|prepare\/batch)|epcis\/capture)$|^POST \/epcis\/:tenant\/(capture|events)$|^DELETE \/api\/v1\/events\/:id$/,
    EVERYBODY,
  ],
  [/^POST \/api\/v1\/tx\/(prepare|track|relay)$/, 'member'],
  [/^POST \/api\/v1\/custody\/prepare$/, ['OPERATOR', 'ADMIN', 'TENANT_ADMIN']],
  [/^(PATCH|POST|DELETE) \/api\/v1\/organisations\/:id/, ['ADMIN', 'TENANT_ADMIN']],
  [/^GET \/api\/v1\/reports\//, ['ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN']],
  [/^GET \/api\/v1\/(audit|passports\/:passportId\/grants(\/:grantId)?)$/, ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN']],
  [/^GET \/api\/v1\/(registry-settings|registrations(\/batch)?)$/, ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN']],
  [/^POST .*\/retire\/prepare$/, ['OPERATOR', 'ADMIN', 'COMPLIANCE', 'TENANT_ADMIN']],
  [/^POST .*\/((void|supersede)\/prepare|hold|release|recall\/drills|registrations\/outcomes)$/, ['COMPLIANCE', 'TENANT_ADMIN']],
  [/^(PUT|POST|DELETE) \/api\/v1\/changes\/consumers\/:name/, 'member'],
  [/^POST \/api\/v1\/recalls\/:id\/acknowledgements$/, ['OPERATOR', 'ADMIN', 'TENANT_ADMIN']],
  [/^(POST|DELETE) \/api\/v1\/reports\/alerts\/:alertId\/ack$/, ['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN']],
  [/^POST \/api\/v1\/privacy\//, ['COMPLIANCE', 'TENANT_ADMIN']],
  [/^PATCH \/api\/v1\/rules$|^DELETE \/v1\/dpps\/:dppId$/, ['TENANT_ADMIN']],
  [/^POST \/v1\/dpps$/, 'member'],
  [/^PATCH \/v1\/dpps\/|^DELETE \/epcis\/:tenant\/events\//, ['COMPLIANCE', 'TENANT_ADMIN']],
  [/^(GET|POST|DELETE) \/api\/v1\/import(s|-mappings)(\/|$)/, EVERYBODY],
  [/^(POST|PUT) \/api\/v1\/notices\//, 'member'],
  [/^POST \/api\/v1\/documents$/, ['OPERATOR', 'ADMIN', 'COMPLIANCE', 'TENANT_ADMIN']],
  [/^DELETE \/api\/v1\/documents\/:id$/, ['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN']],
  [
    /recall(\/lift)?\/prepare$|\/queries\/:queryName\/subscriptions|\/api\/v1\/(webhooks|api-keys)|\/api\/v2\/members|^POST \/api\/v1\/(process-maps|organisations)$/,
    ['TENANT_ADMIN'],
  ],
];
/** A name of one's own: whatever others call theirs. */
const OWN_NAME = /\/consumers\/:name|\/notices\/choices\/:topic/;
const NOBODYS_ID = '00000000-0000-4000-8000-000000000000';

/** Who asks. `lowest` has a bearer for each role that a route may refuse. */
export interface Callers {
  readonly expired: string;
  readonly revokedKey: string;
  readonly partial: string;
  readonly full: string;
  readonly lowest: ReadonlyMap<Role, string>;
}

/**
 * docs/spec/reliability.md#identity-and-access, for all routes that the application has: each method gives the routes that break a rule, with
 * what they answered.
 */
export class RouteRules {
  readonly routes: readonly Route[];
  private readonly operations: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  private readonly schemas: Readonly<Record<string, Schema>>;

  constructor(
    private readonly app: NestFastifyApplication,
    private readonly baseUrl: string,
  ) {
    this.routes = routesOf(app);
    const document = openApiDocument(app);
    this.operations = document.paths as never;
    this.schemas = document.components!.schemas as never;
  }

  /** Routes that are not in all three lists: of the HTTP server, of Nest and of the document. */
  unlisted(): string[] {
    const nest = new Set(this.routes.map(({ name }) => name));
    const documented = Object.entries(this.operations).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${routePath(path)}`),
    );
    const served = servedBy(this.app).filter((name) => !/^GET \/(openapi(\/v2)?\.json|docs(\/.+)?|guide\*?|portal.*)$/.test(name));
    return [
      ...served.filter((name) => !nest.has(name)).map((name) => `${name}: no controller has it, so no guard protects it`),
      ...documented.filter((name) => !nest.has(name)).map((name) => `${name}: documented, but does not exist`),
      ...[...nest].filter((name) => !documented.includes(name)).map((name) => `${name}: not in the OpenAPI document`),
      ...[...nest].filter((name) => !served.includes(name)).map((name) => `${name}: not served`),
    ];
  }

  /** Open routes that nobody wrote down, and routes whose `security` says otherwise than their rule. */
  misdescribed(): string[] {
    const open = this.routes.filter(({ rule, name }) => rule === 'public' && !PUBLIC.includes(name));
    const wrong = this.routes.filter(({ method, path, rule }) => {
      const security = this.operations[documentPath(path)]?.[method.toLowerCase()]?.security ?? [];
      return rule === 'public' ? security.length > 0 : security.length === 0 || security.some((one) => Object.keys(one).length === 0);
    });
    return [...open.map(({ name }) => `${name}: public without being listed`), ...wrong.map(({ name }) => `${name}: security`)];
  }

  /** Routes whose roles differ from the table. A route that changes something and has no row is for administrators. */
  offMatrix(): string[] {
    const textOf = (roles: readonly Role[] | 'member' | undefined): string =>
      roles === undefined || roles === 'member' ? 'member' : roles.toSorted().join(' ');
    const ofTenant = this.routes.filter(({ path, rule }) => !path.startsWith('/api/v2/auth/') && rule !== 'public' && rule !== 'platform');
    return ofTenant.flatMap((route) => {
      const row = MATRIX.find(([routes]) => routes.test(route.name));
      // The right of membership: what the table does not name is read by every member, and changed by the administrator.
      const [is, ought] = [textOf(rolesOf(route)), textOf(row ? row[1] : route.method === 'GET' ? 'member' : ['TENANT_ADMIN'])];
      return is === ought ? [] : [`${route.name}: for ${is}, and the table says ${ought}`];
    });
  }

  /** Rows of the tables above that match no route. */
  idleRows(): string[] {
    const names = this.routes.map(({ name }) => name);
    return [
      ...MATRIX.filter(([routes]) => !names.some((name) => routes.test(name))).map(([routes]) => `${routes.source}: no such route`),
      ...PUBLIC.filter((name) => !names.includes(name)).map((name) => `${name}: no such route`),
    ];
  }

  /** docs/spec/api.md#identity: a key opens all of /api/v1 but the administration of keys, and nothing of /api/v2. */
  closedToKeys(): string[] {
    const forPeople = ({ rule }: Route): boolean =>
      rule === 'partial' || rule === 'platform' || (typeof rule === 'object' && rule.bearerOnly === true);
    return this.routes
      .filter((route) => isClosed(route) && forPeople(route) !== /^\/api\/(v2|v1\/api-keys)(\/|$)/.test(route.path))
      .map(({ name }) => `${name}: keys`);
  }

  withoutCredential(): Promise<string[]> {
    return this.others(isClosed, () => ({}), '401 unauthenticated');
  }

  /** Only the head of each request is sent: the answer does not wait for its body. */
  async beforeTheirBodies({ expired, revokedKey }: Callers): Promise<string[]> {
    const wrong: string[] = [];
    const credentials: readonly (readonly [Headers, string])[] = [
      [{}, '401 unauthenticated'],
      [bearer(expired), '401 token_expired'],
      [{ 'x-api-key': revokedKey }, '401 invalid_api_key'],
    ];
    for (const route of this.routes.filter((one) => isClosed(one) && one.method !== 'GET'))
      for (const [headers, expected] of credentials) {
        const answer = await this.announce(route, headers);
        if (answer !== expected) wrong.push(`${route.name}: ${answer} instead of ${expected}`);
      }
    return wrong;
  }

  private async announce({ method, path }: Route, headers: Headers): Promise<string> {
    const more = { 'content-type': 'application/json', 'content-length': '1000000' };
    const request = httpRequest(this.baseUrl + path.replaceAll(/:(\w+)/g, NOBODYS_ID), { method, headers: { ...headers, ...more } });
    request.on('error', () => undefined).flushHeaders();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const { code } = (await json(answer)) as { code?: string };
    request.destroy();
    return `${answer.statusCode} ${code}`;
  }

  async withSpentCredentials({ expired, revokedKey }: Callers): Promise<string[]> {
    const late = await this.others(isClosed, () => bearer(expired), '401 token_expired');
    return [...late, ...(await this.others(isClosed, () => ({ 'x-api-key': revokedKey }), '401 invalid_api_key'))];
  }

  withPartialToken({ partial }: Callers): Promise<string[]> {
    const right = ({ rule }: Route): string => (rule === 'platform' ? '403 platform_admin_required' : '403 partial_token');
    return this.others(
      (route) => isClosed(route) && route.rule !== 'partial',
      () => bearer(partial),
      right,
    );
  }

  async withTooLowRole({ full, lowest }: Callers): Promise<string[]> {
    const low = (route: Route): string | undefined => {
      const roles = rolesOf(route);
      return roles && [...lowest].find(([role]) => !roles.includes(role))?.[1];
    };
    const tenant = await this.others(
      (route) => low(route) !== undefined,
      (route) => bearer(low(route)!),
      '403 role_required',
    );
    return [
      ...tenant,
      ...(await this.others(
        ({ rule }) => rule === 'platform',
        () => bearer(full),
        '403 platform_admin_required',
      )),
    ];
  }

  /**
   * Every route that names something in its path, asked by the administrator, or a key, of another tenant: 404, as if it were not there.
   * Then by its own, so that a wrong id proves nothing.
   * @param idOf a thing of the owner's tenant; undefined where this test does not know any
   */
  async withForeignIds(
    strangers: readonly Headers[],
    owner: string,
    idOf: (route: Route, parameter: string, before: string) => Promise<string | undefined> | string | undefined,
  ): Promise<string[]> {
    const wrong: string[] = [];
    const asked = this.routes.filter(
      ({ path, rule }) => path.includes(':') && !OWN_NAME.test(path) && isClosed({ rule }) && rule !== 'platform',
    );
    const found: { readonly route: Route; readonly path: string }[] = [];
    for (const route of asked) {
      let { path } = route;
      for (const [place, parameter] of path.matchAll(/:(\w+)/g)) {
        const before = path.slice(0, path.indexOf(place) - 1);
        const id = await idOf(route, parameter!, before);
        if (id === undefined) wrong.push(`${route.name}: this test knows no ${parameter} of another tenant`);
        path = path.replace(place, encodeURIComponent(id ?? NOBODYS_ID));
      }
      found.push({ route, path });
    }
    for (const { route, path } of found) {
      for (const stranger of strangers) {
        if ('x-api-key' in stranger && typeof route.rule === 'object' && route.rule.bearerOnly) continue;
        const answer = await this.ask(route, path, stranger, this.bodyOf(route));
        if (!/^404 \w+_not_found$/.test(answer)) wrong.push(`${route.name}: ${answer} to another tenant instead of 404`);
      }
    }
    for (const { route, path } of found.toSorted(destructiveLast)) {
      const answer = await this.ask(route, path, bearer(owner), this.bodyOf(route));
      if (/^(400|401|403|404|500) /.test(answer)) wrong.push(`${route.name}: ${answer} to its own tenant`);
    }
    return wrong;
  }

  private async others(
    of: (route: Route) => boolean,
    headers: (route: Route) => Headers,
    right: string | ((route: Route) => string),
  ): Promise<string[]> {
    const wrong: string[] = [];
    for (const route of this.routes.filter(of)) {
      const expected = typeof right === 'string' ? right : right(route);
      const answer = await this.ask(route, route.path.replaceAll(/:(\w+)/g, NOBODYS_ID), headers(route));
      if (answer !== expected) wrong.push(`${route.name}: ${answer} instead of ${expected}`);
    }
    return wrong;
  }

  private async ask({ method }: Route, path: string, headers: Headers, body?: unknown): Promise<string> {
    const answer = await fetch(this.baseUrl + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
    return `${answer.status} ${code}`;
  }

  /** The least that the document asks for. */
  private bodyOf({ method, path }: Route): unknown {
    const schema = this.operations[documentPath(path)]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
    return schema && sampleOf(schema, this.schemas);
  }
}

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const isClosed = ({ rule }: Pick<Route, 'rule'>): boolean => rule !== 'public';
export const rolesOf = ({ rule }: Route): readonly Role[] | undefined => (typeof rule === 'object' ? rule.roles : undefined);
/** The whole path is a parameter of the resolver of Digital Links. */
const documentPath = (path: string): string => (path === '/*' ? '/{path}' : path.replaceAll(/:(\w+)/g, '{$1}'));
const routePath = (path: string): string => (path === '/{path}' ? '/*' : path.replaceAll(/\{(\w+)\}/g, ':$1'));
const destructiveLast = (a: { route: Route; path: string }, b: { route: Route; path: string }): number => rank(a.route) - rank(b.route);
const rank = ({ method, path }: Route): number => (method === 'DELETE' ? 1_000 - path.length : method === 'GET' ? -1 : 0);

function routesOf(app: NestFastifyApplication): Route[] {
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

/** Fastify prints its routes as a tree, four columns a level. HEAD comes with GET. */
function servedBy(app: NestFastifyApplication): string[] {
  const prefixes: string[] = [];
  const tree = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  return tree.split('\n').flatMap((line) => {
    const [, indent, part, methods] = /^((?:[│ ]   )*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
    if (indent === undefined) return [];
    const depth = indent.length / 4;
    prefixes.length = depth;
    prefixes[depth] = part!;
    const path = prefixes
      .join('')
      .replace(/(?<=.)\/$/, '')
      .replace(/^\*$/, '/*');
    return (methods ?? '')
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${path}`);
  });
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
}

/** Texts of fields that say no format of their own. */
const TEXTS: Readonly<Record<string, string>> = {
  wallet: '0x52908400098527886E0F7030069857D2E4169EE7',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  since: '2026-01-01T00:00:00Z',
};

function sampleOf(schema: Schema, known: Readonly<Record<string, Schema>>, name = ''): unknown {
  if (schema.$ref) return sampleOf(known[schema.$ref.split('/').at(-1)!]!, known, name);
  const inner = schema.allOf?.[0] ?? schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (inner) return sampleOf(inner, known, name);
  if (schema.enum) return schema.enum[0];
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items!, known, name));
  if (type === 'string') return TEXTS[name] ?? { 'date-time': TEXTS.since, email: 'a@b.example' }[schema.format ?? ''] ?? 'some text';
  return Object.fromEntries((schema.required ?? []).map((key) => [key, sampleOf(schema.properties?.[key] ?? {}, known, key)]));
}
