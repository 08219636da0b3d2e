import { createPrivateKey, sign } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Controller, Delete, Get, Injectable, Module, type OnModuleInit, Param, Post } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type PreparedTx, Sender, TraceabilityClient } from '#client';
import { Access, AddMember, ChangeApiKey, CreateApiKey, CreateTenant, CreateUser, identityPersistence } from '#identity';
import { type Role, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { insertRow } from '../engines/any-row.js';
import { eventually } from '../harness/eventually.js';
import { Authenticator } from '../harness/authenticator.js';
import { World } from '../harness/world.js';
import { IdentityWorld } from './identity-world.js';
import { type Callers, type Route, RouteRules, bearer, rolesOf } from './route-rules.js';

const PASSWORD = 'correct horse battery';

/** No list of routes is kept here, so a new one is covered from its first day. */
describe('every route', () => {
  let world: World;
  let rules: RouteRules;
  let callers: Callers;

  beforeAll(async () => {
    world = await World.start({ ALERTS_EVERY_MS: '200' });
    const { app } = world.service;
    rules = new RouteRules(app, world.baseUrl);
    const make = { strict: false } as const;
    const one = await app.get(CreateTenant, make).create({ slug: 'low-one', name: 'One', environment: 'sandbox' });
    const two = await app.get(CreateTenant, make).create({ slug: 'low-two', name: 'Two', environment: 'sandbox' });
    const user = async (email: string, tenants: readonly string[], roles: Role[]): Promise<string> => {
      const { id } = await app.get(CreateUser, make).create({ email, name: email, password: PASSWORD });
      for (const tenant of tenants) await app.get(AddMember, make).add(tenant, id, { roles });
      return tokenOf(email, PASSWORD);
    };
    const lowest = new Map<Role, string>();
    for (const role of ['OPERATOR', 'AUDITOR', 'COMPLIANCE', 'ADMIN'] as const)
      lowest.set(role, await user(`${role.toLowerCase()}@low.example`, [one.id], [role]));
    const full = lowest.get('OPERATOR')!;
    const { key, text } = await app.get(CreateApiKey, make).create(one.id, { name: 'gone', roles: ['OPERATOR'] }, null);
    await app.get(ChangeApiKey, make).revoke(one.id, key.id, null);
    callers = {
      partial: await user('both@low.example', [one.id, two.id], ['OPERATOR']),
      expired: expiredCopy(full, world.service.config.secrets.signingKeys![0]!),
      revokedKey: text,
      full,
      lowest,
    };
  });
  afterAll(() => world?.close());

  const tokenOf = async (email: string, password: string, tenantId?: string): Promise<string> =>
    (await new TraceabilityClient(world.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', { email, password, tenantId }))
      .accessToken;

  it('is in the OpenAPI document and behind the guard; nothing else is served', () => {
    expect(rules.routes.length).toBeGreaterThan(50);
    expect(rules.unlisted()).toEqual([]);
  });
  it('is public only when it is marked so, and documents which credentials it accepts', () => {
    expect(rules.misdescribed()).toEqual([]);
  });
  it('refuses a call without a credential', async () => {
    expect(await rules.withoutCredential()).toEqual([]);
  });
  it('refuses a credential before it reads a large body', async () => {
    expect(rules.routes.filter(({ method }) => method !== 'GET').length).toBeGreaterThan(40);
    expect(await rules.beforeTheirBodies(callers)).toEqual([]);
  });
  it('refuses an expired token and a revoked key', async () => {
    expect(await rules.withSpentCredentials(callers)).toEqual([]);
  });
  it('refuses a partial token, except to choose a tenant', async () => {
    const open = rules.routes.filter(({ rule }) => rule === 'partial').map(({ path }) => path);
    expect(open.toSorted()).toEqual(['logout', 'me', 'memberships', 'select-tenant'].map((action) => `/api/v2/auth/${action}`));
    expect(await rules.withPartialToken(callers)).toEqual([]);
  });
  it('refuses too low a role', async () => {
    expect(rules.routes.filter((route) => rolesOf(route)).length).toBeGreaterThan(20);
    expect(await rules.withTooLowRole(callers)).toEqual([]);
  });
  it('is for the roles of the table, and for keys', () => {
    expect([...rules.offMatrix(), ...rules.closedToKeys(), ...rules.idleRows()]).toEqual([]);
  });
  it('does not know what another tenant has', async () => {
    const [rice, wool] = [world.tenant('rice').admin, world.tenant('wool').admin];
    const owner = await world.admin('wool');
    const things = await thingsOf(world, owner);
    const idOf = ({ path }: Route, parameter: string, before: string): Promise<string | undefined> | string | undefined =>
      things[`${before.split('/').at(-1)}/:${parameter}`] ?? things[parameter] ?? fromList(owner, path, parameter);
    const key = await (await world.admin('rice')).post<{ secret: string }>('/api/v1/api-keys', { name: 'theirs', roles: ['TENANT_ADMIN'] });
    const strangers = [bearer(await tokenOf(rice.email, rice.password, 'rice')), { 'x-api-key': key.secret }];
    expect(await rules.withForeignIds(strangers, await tokenOf(wool.email, wool.password, 'wool'), idOf)).toEqual([]);
  });
});

/** Of the administrator. */
async function passkeyOf(world: World, owner: TraceabilityClient): Promise<string> {
  const routes = '/api/v2/auth/passkeys/registration';
  const { password } = world.tenant('wool').admin;
  const { publicKey } = await owner.post<{ publicKey: { challenge: string; rp: { id: string } } }>(`${routes}/options`, { password });
  const device = new Authenticator();
  const response = device.create(publicKey, { origin: `http://${world.service.config.siwe.domains[0]}` });
  await owner.post(`${routes}/verify`, { response, name: 'Theirs' });
  return device.id;
}

/** Of a member of the wool tenant. */
async function relayOf(world: World): Promise<string> {
  const id = newId();
  await world.service.app.get(UnitOfWork, { strict: false }).asSystem(async (tx) => {
    const [wool] = await tx.sql<{ tenant_id: string }>(`select id as tenant_id from identity.tenant where slug = 'wool'`);
    await insertRow(tx, 'transactions.relay', { ...wool, id, status: 'refused' });
  });
  return id;
}

/** An event that no process of the tenant fits. */
const KEPT = {
  type: 'ObjectEvent',
  eventID: 'https://partner.example/events/1',
  action: 'OBSERVE',
  eventTime: '2026-10-01T10:00:00Z',
  eventTimeZoneOffset: '+00:00',
  bizStep: 'stocking',
  epcList: ['urn:epc:id:sgtin:0614141.107346.2017'],
};

async function captureOf(owner: TraceabilityClient): Promise<string> {
  await owner.post('/epcis/wool/events', KEPT);
  const { jobs } = await owner.get<{ jobs: { captureID: string }[] }>('/epcis/wool/capture');
  return jobs[0]!.captureID;
}

async function queryOf(owner: TraceabilityClient, dest: string): Promise<{ readonly name: string; readonly subscription: string }> {
  const { name } = await owner.post<{ name: string }>('/epcis/wool/queries', { name: 'theirs', query: { EQ_bizStep: 'stocking' } });
  const made = await owner.post<{ subscriptionID: string }>(`/epcis/wool/queries/${name}/subscriptions`, { dest, stream: true });
  return { name, subscription: made.subscriptionID };
}

/** One thing of each kind that the wool tenant owns and the rice tenant, which has no lot yet, must not see. */
async function thingsOf(world: World, owner: TraceabilityClient): Promise<Record<string, string>> {
  await world.play('wool', 2);
  const [lot] = (await owner.lots.list()).data;
  const webhook = await owner.webhooks.create(world.sink.url(), ['webhook.test']);
  const organisation = await owner.post<{ id: string }>('/api/v1/organisations', { name: 'Seen by its own only' });
  const site = await owner.post<{ sites: { id: string }[] }>(`/api/v1/organisations/${organisation.id}/sites`, { name: 'Shed' });
  await recallOne(world, owner, lot!.tokenId);
  const address = Wallet.createRandom().address;
  await owner.post(`/api/v1/organisations/${organisation.id}/wallets`, { address });
  const passkey = await passkeyOf(world, owner);
  const captureId = await captureOf(owner);
  const query = await queryOf(owner, world.sink.url());
  const { sub } = await owner.get<{ sub: string }>('/api/v2/auth/me');
  await owner.request('PATCH', `/api/v2/members/${sub}`, { orgId: organisation.id });
  await owner.post(`/api/v1/organisations/${organisation.id}/account`, { owners: [sub] });
  return {
    tenant: 'wool',
    captureId,
    'events/:eventId': KEPT.eventID,
    collection: 'bizSteps',
    queryName: query.name,
    'subscriptions/:id': query.subscription,
    value: 'shipping',
    tokenId: String(lot!.tokenId),
    tlc: String(lot!.tlc),
    format: 'untp-dte',
    'webhooks/:id': webhook.id,
    deliveryId: (await owner.post<{ deliveryId: string }>(`/api/v1/webhooks/${webhook.id}/test`)).deliveryId,
    'organisations/:id': organisation.id,
    orgId: organisation.id,
    siteId: site.sites[0]!.id,
    address,
    'api-keys/:id': (await owner.post<{ id: string }>('/api/v1/api-keys', { name: 'theirs', roles: ['OPERATOR'] })).id,
    'members/:id': (
      await owner.post<{ id: string }>('/api/v2/members', {
        email: 'seen@wool.example',
        roles: ['OPERATOR'],
        wallet: Wallet.createRandom().address,
      })
    ).id,
    txHash: String(lot!.txHash),
    passportId: await passportOf(world, lot!.tokenId),
    grantId: (
      await owner.post<{ id: string }>(`/api/v1/passports/${PASSPORT}/grants`, {
        ...{ accessClass: 'authority', grantee: 'Theirs', purpose: 'Theirs' },
      })
    ).id,
    dppId: PASSPORT,
    elementIdPath: "$['key']",
    alertId: await alertOf(owner),
    'passkeys/:id': passkey,
    'sessions/:id': (await owner.get<{ data: { id: string }[] }>('/api/v2/auth/sessions')).data.at(-1)!.id,
    'imports/:id': (await owner.imports.start(new Blob(['a;b']), 'theirs.csv')).id,
    'import-mappings/:id': (
      await owner.imports.keepMapping('theirs', { processType: 'wool_shearing', columns: [{ column: 'a', to: '/outputTlc', as: 'text' }] })
    ).id,
    processType: 'wool_shearing',
    'documents/:id': (await owner.documents.upload(new Blob(['theirs']), 'theirs.txt')).id,
    linkId: (
      await owner.post<{ id: string }>('/api/v1/links', {
        anchor: '/417/9520000100018',
        linkType: 'pip',
        href: 'https://wool.example',
        title: 'Ours',
      })
    ).id,
    relayId: await relayOf(world),
    trackingId: (await owner.tx.track(String(lot!.txHash))).trackingId,
  };
}

/** What the wool scenario tells of is long past, so its events are recorded late. */
const alertOf = (owner: TraceabilityClient): Promise<string> =>
  eventually('an alert', async () => (await owner.get<{ alerts: { id: string }[] }>('/api/v1/reports/alerts')).alerts[0]?.id);

const PASSPORT = 'ab'.repeat(16);

/** As if the lot's asset type had passports: the goods of this chain that do come much later. */
async function passportOf(world: World, tokenId: number): Promise<string> {
  const unitOfWork = world.service.app.get(UnitOfWork, { strict: false });
  await unitOfWork.asSystem((tx) =>
    tx.sql(
      `insert into passports.passport (tenant_id, id, token_id, contract, tlc, key, issued_at, updated_at)
       select tenant_id, $1, token_id, contract, tlc, key, now(), now() from traceability.lot_v1
       where token_id = $2 and tenant_id = (select tenant_id from identity.tenant_v1 where slug = 'wool')`,
      [PASSPORT, tokenId],
    ),
  );
  return PASSPORT;
}

/** So that there are a recall and a drill to ask for. */
async function recallOne(world: World, owner: TraceabilityClient, tokenId: number): Promise<void> {
  await owner.post('/api/v1/recall/drills', { tokenId });
  const prepared = await owner.post<{ preparedTx: PreparedTx }>(`/api/v1/nfts/${tokenId}/recall/prepare`, { reason: 'to be asked for' });
  await new Sender(world.node.url, new Wallet(world.tenant('wool').admin.privateKey)).sendAndWait(prepared.preparedTx);
  await eventually('the recall to land', async () => (await owner.get<{ data: unknown[] }>('/api/v1/recalls')).data.length > 0);
}

type Item = Readonly<Record<string, string | number>>;

/** Anything else: the newest of the list that the path goes on from. */
async function fromList(owner: TraceabilityClient, path: string, parameter: string): Promise<string | undefined> {
  const list = path.slice(0, path.indexOf(`/:${parameter}`));
  const answer = await owner.get<{ data?: Item[] }>(list).catch(() => null);
  const [first] = answer?.data ?? (Array.isArray(answer) ? (answer as Item[]) : []);
  const id = first?.[parameter] ?? first?.id;
  return id === undefined ? undefined : String(id);
}

/** The same token, signed by the service's own key, an hour too late. */
function expiredCopy(token: string, pem: string): string {
  const [header, payload] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { iat: number; exp: number };
  const past = Buffer.from(JSON.stringify({ ...claims, iat: claims.iat - 7_200, exp: claims.iat - 3_600 })).toString('base64url');
  const signature = sign('sha256', Buffer.from(`${header}.${past}`), { key: createPrivateKey(pem), dsaEncoding: 'ieee-p1363' });
  return `${header}.${past}.${signature.toString('base64url')}`;
}

@Controller('api/v1/leaks')
class LeakingController {
  /** Forgets the tenant. */
  @Get(':id')
  @Access('member')
  one(@Param('id') id: string): object {
    return { id };
  }
  /** Forgets whom it is for. */
  /** Lets everybody of the tenant change things. */
  @Post('of/everybody')
  @Access({ roles: ['OPERATOR', 'TENANT_ADMIN'], bearerOnly: true })
  change(): void {}
  @Delete(':id')
  @Access('public')
  remove(): void {}
  /** Nobody knows what it names. */
  @Get('of/:riddle')
  @Access('member')
  riddle(): void {}
}

/** Goes around Nest, and with it around the guard. */
@Injectable()
class SideDoor implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}
  onModuleInit(): void {
    this.host.httpAdapter.getInstance<{ get(path: string, answer: () => object): void }>().get('/api/v1/side-door', () => ({}));
  }
}
@Module({ controllers: [LeakingController], providers: [SideDoor] })
class LeakingModule {}

/** The rules above on routes that break them: each must say so. */
describe('a route that breaks the rules', () => {
  let database: TestDatabase;
  let world: IdentityWorld;
  let rules: RouteRules;
  let token: string;

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
    world = await IdentityWorld.start(database.endpoint, { extra: LeakingModule });
    const { port } = world.app.getHttpServer().address() as AddressInfo;
    rules = new RouteRules(world.app, `http://127.0.0.1:${port}`);
    const { id: tenantId } = await world.tenants.create({ slug: 'leaky', name: 'Leaky' });
    const { id } = await world.users.create({ email: 'a@leaky.example', name: 'A', password: PASSWORD });
    await world.members.add(tenantId, id, { roles: ['TENANT_ADMIN'] });
    token = (await world.login('a@leaky.example')).body.accessToken;
  });
  afterAll(async () => {
    await world?.stop();
    await database?.drop();
  });

  it('is found when it bypasses the guard', () => {
    expect(rules.unlisted()).toEqual(['GET /api/v1/side-door: no controller has it, so no guard protects it']);
  });
  it('is found when its roles differ from the table, or when it refuses keys', () => {
    expect([...rules.offMatrix(), ...rules.closedToKeys()].filter((found) => found.includes('/leaks'))).toEqual([
      'POST /api/v1/leaks/of/everybody: for OPERATOR TENANT_ADMIN, and the table says TENANT_ADMIN',
      'POST /api/v1/leaks/of/everybody: keys',
    ]);
  });
  it('is found when it is open to everybody', () => {
    expect(rules.misdescribed()).toEqual(['DELETE /api/v1/leaks/:id: public without being listed']);
  });
  it('is found when it returns data of another tenant, or data that no test knows', async () => {
    const leaks = await rules.withForeignIds([bearer(token)], token, (_, parameter) => (parameter === 'riddle' ? undefined : 'theirs'));
    expect(leaks.filter((leak) => leak.includes('/leaks'))).toEqual([
      'GET /api/v1/leaks/of/:riddle: this test knows no riddle of another tenant',
      'GET /api/v1/leaks/:id: 200 undefined to another tenant instead of 404',
      'GET /api/v1/leaks/of/:riddle: 200 undefined to another tenant instead of 404',
    ]);
  });
  it('does not start when it does not say whom it is for', async () => {
    @Controller('silent')
    class SilentController {
      @Get('one')
      one(): string {
        return 'anybody';
      }
    }
    @Module({ controllers: [SilentController] })
    class SilentModule {}
    await expect(IdentityWorld.start(database.endpoint, { extra: SilentModule })).rejects.toThrow('GET one of SilentController.one');
  });
});
