import { createHmac, createPublicKey } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ContractDirectory, type RegistryLog } from '#chain';
import { identityPersistence, Parties, Tenants } from '#identity';
import { checksumAddress, keccakOf, newId, type Role } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { UnitOfWork } from '#persistence';
import { eventually } from '../harness/eventually.js';
import { FOREIGN_KEY, IdentityWorld, log, PASSWORD, RETIRED_KEY, SIGNING_KEY } from './identity-world.js';

const address = (n: number): string => checksumAddress(`0x${n.toString(16).padStart(40, 'a')}`);
const claimsOf = (token: string): any => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
const headOf = (token: string): any => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());

describe('identity and access', () => {
  let database: TestDatabase;
  let world: IdentityWorld;
  let rice: { id: string };
  let wool: { id: string };
  let mill: { id: string };

  /** A user with one place in the rice tenant. */
  const person = async (name: string, roles: readonly Role[], more: object = {}): Promise<{ id: string; email: string }> => {
    const user = await world.users.create({ email: `${name}@rice.example`, name, password: PASSWORD });
    await world.members.add(rice.id, user.id, { roles, ...more });
    return user;
  };
  const tokenOf = async (email: string): Promise<string> => (await world.login(email)).body.accessToken as string;

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
    world = await IdentityWorld.start(database.endpoint);
    rice = await world.tenants.create({ slug: 'rice', name: 'Rice Chain', environment: 'sandbox' });
    wool = await world.tenants.create({ slug: 'wool', name: 'Wool Chain' });
    mill = await world.organisations.create(rice.id, { name: 'Example Mill', gln: '9520000100032', did: 'did:web:mill.example' });
  });
  afterAll(async () => {
    await world?.stop();
    await database?.drop();
  });

  describe('login', () => {
    it('gives a full token at once to a member of one tenant, with the whole token payload', async () => {
      const user = await person('ada', ['OPERATOR', 'ADMIN'], { orgId: mill.id, wallet: address(1), roleScopes: { OPERATOR: ['RICE_*'] } });
      const { status, body } = await world.login(' ADA@Rice.example ');
      expect(status).toBe(200);
      expect(body).toEqual({ accessToken: expect.any(String), refreshToken: expect.any(String), partial: false, stale: false });
      const identity = {
        sub: user.id,
        email: 'ada@rice.example',
        wallet: address(1),
        did: `did:pkh:eip155:31337:${address(1)}`,
        tid: 'rice',
        tenantUuid: rice.id,
        roles: ['OPERATOR', 'ADMIN'],
        roleScopes: { OPERATOR: ['RICE_*'] },
        profileComplete: true,
        isPlatformAdmin: false,
        memberships: [{ slug: 'rice', name: 'Rice Chain', onChainTenantId: keccakOf('rice'), tenantContractAddress: null }],
        username: 'ada',
        orgs: [{ id: mill.id, name: 'Example Mill', did: 'did:web:mill.example', lei: null, gln: '9520000100032', role: 'ADMIN' }],
        orgId: mill.id,
      };
      const claims = claimsOf(body.accessToken);
      expect(claims).toMatchObject({ ...identity, ver: 2, iss: 'traceability-service', aud: 'traceability-api', token_use: 'full' });
      expect(claims.exp - claims.iat).toBe(3600);
      expect(headOf(body.accessToken).alg).toBe('ES256');
      expect((await world.get('/api/v2/auth/me', body.accessToken)).body).toEqual({
        ...identity,
        language: null,
        proposedWallet: null,
        stale: false,
      });
    });

    it('gives the actor the wallets of its organisation', async () => {
      await world.wallets.bind(rice.id, { address: address(2), orgId: mill.id });
      const { body } = await world.get('/api/v1/asked/member', await tokenOf('ada@rice.example'));
      expect(body).toMatchObject({ kind: 'user', tenantId: rice.id, tenantSlug: 'rice', orgId: mill.id, wallet: address(1) });
      expect(body.wallets).toEqual([address(1), address(2)]);
    });

    it('gives the same answer for a wrong password and an unknown user (for timing see identity-attacks.spec.ts)', async () => {
      const problem = async (email: string): Promise<object> => {
        const { status, body } = await world.login(email, 'wrong password');
        const { requestId: _, ...rest } = body;
        return { ...rest, status };
      };
      const wrong = await problem('ada@rice.example');
      expect(wrong).toMatchObject({ status: 401, code: 'invalid_credentials' });
      expect(await problem('nobody@rice.example')).toEqual(wrong);
    });

    it('refuses a too long password, a missing one and another tenant', async () => {
      expect((await world.login('ada@rice.example', 'x'.repeat(1025))).status).toBe(400);
      expect((await world.login('ada@rice.example', 'é'.repeat(1000))).status).toBe(401);
      expect((await world.login('ada@rice.example', 'x'.repeat(10 * 1024 * 1024))).status).toBe(413);
      const { status, body } = await world.auth('login', { email: 'ada@rice.example', tenant: 'rice' });
      expect([status, body.errors.map((e: { pointer: string; code: string }) => `${e.pointer} ${e.code}`)]).toEqual([
        400,
        ['/tenant unknown_field', '/password required'],
      ]);
      for (const tenant of ['wool', wool.id, 'no-such-tenant'])
        expect((await world.login('ada@rice.example', PASSWORD, tenant)).body).toMatchObject({ status: 403, code: 'not_a_member' });
    });

    it('refuses a user without a membership; a platform administrator reaches the platform routes only', async () => {
      await world.users.create({ email: 'lost@rice.example', name: 'Lost', password: PASSWORD });
      expect((await world.login('lost@rice.example')).body).toMatchObject({ status: 403, code: 'no_membership' });
      await world.users.create({ email: 'root@platform.example', name: 'Root', password: PASSWORD, platformAdmin: true });
      const { body } = await world.login('root@platform.example');
      expect(body.partial).toBe(false);
      expect(claimsOf(body.accessToken)).toMatchObject({ token_use: 'platform', isPlatformAdmin: true, tid: null, memberships: [] });
      expect((await world.get('/api/v1/asked/platform', body.accessToken)).status).toBe(200);
      expect((await world.get('/api/v1/asked/member', body.accessToken)).body).toMatchObject({ status: 403, code: 'tenant_required' });
      expect((await world.get('/api/v1/asked/platform', await tokenOf('ada@rice.example'))).body.code).toBe('platform_admin_required');
    });

    it('refuses a disabled user', async () => {
      const { id } = await person('eve', ['OPERATOR']);
      await database.unitOfWork.asSystem((tx) => tx.sql('update identity.app_user set disabled_at = now() where id = $1', [id]));
      expect((await world.login('eve@rice.example')).body.code).toBe('invalid_credentials');
    });

    it('replaces a password hash that has weaker parameters', async () => {
      const { id } = await person('old', ['OPERATOR']);
      const { hash } = await import('@node-rs/argon2');
      const weak = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
      await database.unitOfWork.asSystem((tx) => tx.sql('update identity.app_user set password_hash = $2 where id = $1', [id, weak]));
      expect((await world.login('old@rice.example')).status).toBe(200);
      const [row] = await database.unitOfWork.asSystem((tx) =>
        tx.sql<{ password_hash: string }>('select password_hash from identity.app_user where id = $1', [id]),
      );
      expect(row!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect((await world.login('old@rice.example')).status).toBe(200);
    });
  });

  describe('several memberships', () => {
    let user: { id: string };
    beforeAll(async () => {
      user = await person('both', ['AUDITOR']);
      await world.members.add(wool.id, user.id, { roles: ['TENANT_ADMIN'] });
    });

    it('gives a partial token, which is refused by all routes that need a tenant', async () => {
      const { body } = await world.login('both@rice.example');
      expect(body).toMatchObject({ partial: true, stale: false });
      const partialToken = body.accessToken as string;
      expect(claimsOf(partialToken)).toMatchObject({
        token_use: 'partial',
        tid: null,
        tenantUuid: null,
        wallet: null,
        did: null,
        orgId: null,
        roles: [],
        roleScopes: {},
      });
      for (const path of ['member', 'admin', 'reports', 'process/RICE_MILLING'])
        expect((await world.get(`/api/v1/asked/${path}`, partialToken)).body).toMatchObject({ status: 403, code: 'partial_token' });
      expect((await world.auth('switch-tenant', { tenantId: 'rice' }, partialToken)).body.code).toBe('partial_token');
      expect((await world.get('/api/v2/auth/me', partialToken)).body).toMatchObject({ sub: user.id, tid: null });
      expect((await world.get('/api/v2/auth/memberships', partialToken)).body).toEqual([
        { slug: 'rice', name: 'Rice Chain', onChainTenantId: keccakOf('rice'), tenantContractAddress: null },
        { slug: 'wool', name: 'Wool Chain', onChainTenantId: keccakOf('wool'), tenantContractAddress: null },
      ]);
    });

    it('is replaced by a full token with select-tenant; switch-tenant changes the tenant, refresh keeps it', async () => {
      const login = (await world.login('both@rice.example')).body;
      const selected = await world.auth('select-tenant', { tenantId: wool.id }, login.accessToken);
      expect(selected.status).toBe(200);
      expect(selected.body).toMatchObject({ partial: false, stale: false });
      expect((await world.get('/api/v2/auth/me', selected.body.accessToken)).body).toMatchObject({ tid: 'wool', roles: ['TENANT_ADMIN'] });
      // A client that follows the specification to the letter keeps the refresh token of its login.
      const refreshed = await world.auth('refresh', { refreshToken: login.refreshToken });
      expect(claimsOf(refreshed.body.accessToken).tid).toBe('wool');
      const switched = await world.auth('switch-tenant', { tenantId: 'rice' }, selected.body.accessToken);
      expect(claimsOf(switched.body.accessToken)).toMatchObject({ tid: 'rice', roles: ['AUDITOR'] });
      expect(claimsOf((await world.auth('refresh', { refreshToken: switched.body.refreshToken })).body.accessToken).tid).toBe('rice');
      expect((await world.auth('select-tenant', { tenantId: 'no-such' }, login.accessToken)).body).toMatchObject({
        status: 403,
        code: 'not_a_member',
      });
    });

    it('gives a full token for the tenant that the login names', async () => {
      for (const tenant of ['wool', wool.id, wool.id.toUpperCase()])
        expect(claimsOf((await world.login('both@rice.example', PASSWORD, tenant)).body.accessToken).tid).toBe('wool');
    });
  });

  describe('refresh', () => {
    it('rotates, and accepts the previous token for ten seconds', async () => {
      await person('rita', ['OPERATOR']);
      const first = (await world.login('rita@rice.example')).body.refreshToken as string;
      const second = await world.auth('refresh', { refreshToken: first });
      expect(second.status).toBe(200);
      expect(second.body.refreshToken).not.toBe(first);
      const again = await world.auth('refresh', { refreshToken: first });
      expect(again.body).toMatchObject({ refreshToken: second.body.refreshToken });
    });

    it('ends the session and its access tokens when an older token is used again', async () => {
      const login = (await world.login('rita@rice.example')).body;
      const second = (await world.auth('refresh', { refreshToken: login.refreshToken })).body;
      const third = (await world.auth('refresh', { refreshToken: second.refreshToken })).body;
      expect((await world.get('/api/v1/asked/member', third.accessToken)).status).toBe(200);
      expect((await world.auth('refresh', { refreshToken: login.refreshToken })).body).toMatchObject({
        status: 401,
        code: 'refresh_token_reused',
      });
      expect((await world.auth('refresh', { refreshToken: third.refreshToken })).body).toMatchObject({
        status: 401,
        code: 'invalid_refresh_token',
      });
      for (const { accessToken } of [login, second, third])
        expect((await world.get('/api/v1/asked/member', accessToken)).body).toMatchObject({ status: 401, code: 'invalid_token' });
    });

    it('answers twenty at once with one rotation and no refusal', async () => {
      const { refreshToken } = (await world.login('rita@rice.example')).body;
      const answers = await Promise.all(Array.from({ length: 20 }, () => world.auth('refresh', { refreshToken })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.refreshToken)).size).toBe(1);
      const next = await world.auth('refresh', { refreshToken: answers[0]!.body.refreshToken });
      expect(next.status).toBe(200);
    });

    it('refuses a token that was tampered with, and anything else', async () => {
      const { refreshToken, accessToken } = (await world.login('rita@rice.example')).body;
      const tampered = Buffer.from(refreshToken.slice(4), 'base64url');
      tampered[19]! ^= 1;
      for (const token of [`trr_${tampered.toString('base64url')}`, accessToken.slice(0, 190), 'trr_', '', 'x'.repeat(190)])
        expect((await world.auth('refresh', { refreshToken: token })).body).toMatchObject({ status: 401, code: 'invalid_refresh_token' });
      expect((await world.auth('refresh', { refreshToken })).status).toBe(200);
    });

    it('expires after thirty days without use, and after ninety days in any case', async () => {
      const later = await IdentityWorld.start(database.endpoint);
      try {
        const idle = (await later.login('rita@rice.example')).body;
        let used = (await later.login('rita@rice.example')).body;
        for (let weeks = 0; weeks < 4; weeks++) {
          later.clock.forward(20 * 86_400);
          const answer = await later.auth('refresh', { refreshToken: used.refreshToken });
          expect(answer.status).toBe(200);
          used = answer.body;
        }
        later.clock.forward(20 * 86_400);
        expect((await later.auth('refresh', { refreshToken: idle.refreshToken })).status).toBe(401);
        expect((await later.auth('refresh', { refreshToken: used.refreshToken })).status).toBe(401);
      } finally {
        await later.stop();
      }
    });

    it('is stale after a change of roles, until the next login', async () => {
      const user = await person('stella', ['OPERATOR']);
      const { refreshToken } = (await world.login('stella@rice.example')).body;
      await world.members.add(rice.id, user.id, { roles: ['AUDITOR'] });
      const refreshed = (await world.auth('refresh', { refreshToken })).body;
      expect(refreshed.stale).toBe(true);
      expect((await world.get('/api/v2/auth/me', refreshed.accessToken)).body).toMatchObject({ stale: true, roles: ['AUDITOR'] });
      expect((await world.login('stella@rice.example')).body.stale).toBe(false);
    });
  });

  describe('tokens that are refused', () => {
    const forge = (change: object, options: object = {}, key = SIGNING_KEY, base = 'ada@rice.example'): Promise<string> =>
      tokenOf(base).then((token) => {
        const { iss, aud, iat: _iat, nbf: _nbf, exp: _exp, ...claims } = claimsOf(token);
        return new JwtService().sign({ ...claims, ...change }, {
          privateKey: key,
          algorithm: 'ES256',
          keyid: headOf(token).kid,
          issuer: iss,
          audience: aud,
          expiresIn: 60,
          ...options,
        } as never);
      });

    it('accepts a correct one (so that the refusals below are meaningful)', async () => {
      expect((await world.get('/api/v1/asked/member', await forge({}))).status).toBe(200);
    });

    it.each<[string, string, () => Promise<string>]>([
      ['expired', 'token_expired', () => forge({}, { expiresIn: -10 })],
      ['not valid yet', 'invalid_token', () => forge({}, { notBefore: 60, expiresIn: 120 })],
      ['of another issuer', 'invalid_token', () => forge({}, { issuer: 'somebody-else' })],
      ['for another audience', 'invalid_token', () => forge({}, { audience: 'another-api' })],
      ['of another use', 'invalid_token', () => forge({ token_use: 'refresh' })],
      ['of no use', 'invalid_token', () => forge({ token_use: undefined })],
      ['a full one made of a partial one', 'invalid_token', () => forge({ token_use: 'full' }, {}, SIGNING_KEY, 'both@rice.example')],
      ['for a tenant of others', 'invalid_token', () => forge({ tenantUuid: wool.id, tid: 'wool' })],
      ['of an older version', 'invalid_token', () => forge({ ver: 1 })],
      ['of an unknown session', 'invalid_token', () => forge({ sid: newId() })],
      ['of another user in this session', 'invalid_token', () => forge({ sub: newId() })],
      ['signed with a foreign key under our key id', 'invalid_token', () => forge({}, {}, FOREIGN_KEY)],
      ['with an unknown key id', 'invalid_token', () => forge({}, { keyid: 'unknown' })],
      ['signed with HMAC keyed by our public key', 'invalid_token', hmacWithPublicKey],
      ['with alg none', 'invalid_token', async () => unsigned(await tokenOf('ada@rice.example'), 'none')],
      ['with alg nOnE', 'invalid_token', async () => unsigned(await tokenOf('ada@rice.example'), 'nOnE')],
      ['without its signature', 'invalid_token', async () => (await tokenOf('ada@rice.example')).replace(/[^.]+$/, '')],
      ['nonsense', 'invalid_token', async () => 'a.b.c'],
      ['no token at all', 'invalid_token', async () => 'x'],
    ])('%s', async (_what, code, make) => {
      expect((await world.get('/api/v1/asked/member', await make())).body).toMatchObject({ status: 401, code });
    });

    it('checks the expiry of a cached token too', async () => {
      const token = await forge({}, { expiresIn: 1 });
      expect((await world.get('/api/v1/asked/member', token)).status).toBe(200);
      await eventually('the token to expire', async () => (await world.get('/api/v1/asked/member', token)).body?.code === 'token_expired', {
        everyMs: 200,
      });
    });

    it('requires exactly one well-formed credential', async () => {
      const bearer = await tokenOf('ada@rice.example');
      const anonymous = await world.get('/api/v1/asked/member');
      expect(anonymous.body).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
      expect((await world.call('GET', '/api/v1/asked/member', { bearer, headers: { 'x-api-key': 'tsk_x' } })).body).toMatchObject({
        status: 400,
        code: 'two_credentials',
      });
      for (const authorization of ['Basic YWRhOnB3', 'Bearer', 'Bearer a b', bearer])
        expect((await world.call('GET', '/api/v1/asked/member', { headers: { authorization } })).status).toBe(401);
      expect((await world.call('GET', '/api/v1/asked/member', { headers: { authorization: `bearer ${bearer}` } })).status).toBe(200);
    });

    it('still verifies with the previous key, and publishes both', async () => {
      const before = await IdentityWorld.start(database.endpoint, { signingKeys: [RETIRED_KEY] });
      try {
        const token = (await before.login('ada@rice.example')).body.accessToken as string;
        expect((await world.get('/api/v1/asked/member', token)).status).toBe(200);
        const { keys } = (await world.get('/.well-known/jwks.json')).body as { keys: { kid: string; d?: string }[] };
        expect(keys.map(({ kid }) => kid)).toContain(headOf(token).kid);
        expect(keys).toHaveLength(2);
        expect(keys.some(({ d }) => d !== undefined)).toBe(false);
        // The other way round the newer key is not known there.
        expect((await before.get('/api/v1/asked/member', await tokenOf('ada@rice.example'))).status).toBe(401);
      } finally {
        await before.stop();
      }
    });

    async function hmacWithPublicKey(): Promise<string> {
      const token = await tokenOf('ada@rice.example');
      const head = Buffer.from(JSON.stringify({ ...headOf(token), alg: 'HS256' })).toString('base64url');
      const signed = `${head}.${token.split('.')[1]}`;
      const publicPem = createPublicKey(SIGNING_KEY).export({ type: 'spki', format: 'pem' });
      return `${signed}.${createHmac('sha256', publicPem).update(signed).digest('base64url')}`;
    }
    function unsigned(token: string, alg: string): string {
      return `${Buffer.from(JSON.stringify({ ...headOf(token), alg })).toString('base64url')}.${token.split('.')[1]}.`;
    }
  });

  describe('revocation', () => {
    it('of a session by logging out ends its tokens, and no other session', async () => {
      await person('lola', ['OPERATOR']);
      const [one, other] = [(await world.login('lola@rice.example')).body, (await world.login('lola@rice.example')).body];
      expect((await world.get('/api/v1/asked/member', one.accessToken)).status).toBe(200);
      const out = await world.call('POST', '/api/v2/auth/logout', { bearer: one.accessToken });
      expect([out.status, out.body]).toEqual([204, null]);
      expect((await world.get('/api/v1/asked/member', one.accessToken)).status).toBe(401);
      expect((await world.auth('refresh', { refreshToken: one.refreshToken })).status).toBe(401);
      expect((await world.get('/api/v1/asked/member', other.accessToken)).status).toBe(200);
    });

    it('needs no round trip to the database for a cached token', async () => {
      // A member whose membership was not changed a moment ago: this node would read that revocation once more.
      const token = await tokenOf('ada@rice.example');
      await world.get('/api/v1/asked/member', token);
      const unitOfWork = world.app.get(UnitOfWork);
      const [asSystem, readAsSystem] = [unitOfWork.asSystem.bind(unitOfWork), unitOfWork.readAsSystem.bind(unitOfWork)];
      let asked = 0;
      const count = (): void => void (new Error().stack!.includes('WatchRevocations') || asked++);
      unitOfWork.asSystem = (work) => (count(), asSystem(work));
      unitOfWork.readAsSystem = (plan) => (count(), readAsSystem(plan));
      try {
        // Should this process get no time for a second, it does not know what happened meanwhile and asks, as it ought to.
        await eventually('twenty requests without one', async () => {
          asked = 0;
          for (let i = 0; i < 20; i++) expect((await world.get('/api/v1/asked/member', token)).status).toBe(200);
          return asked === 0;
        });
      } finally {
        Reflect.deleteProperty(unitOfWork, 'asSystem');
        Reflect.deleteProperty(unitOfWork, 'readAsSystem');
      }
    });
  });

  describe('roles and process scopes', () => {
    const tokens = new Map<string, string>();
    const people: [string, readonly Role[], object][] = [
      ['plain', [], {}],
      ['operator', ['OPERATOR'], {}],
      ['shearer', ['OPERATOR'], { roleScopes: { OPERATOR: ['wool_shearing'] } }],
      ['woolly', ['OPERATOR'], { roleScopes: { OPERATOR: ['wool_*'] } }],
      ['nothing', ['OPERATOR'], { roleScopes: { OPERATOR: [] } }],
      ['orgadmin', ['ADMIN'], {}],
      ['auditor', ['AUDITOR'], {}],
      ['compliance', ['COMPLIANCE'], {}],
      ['admin', ['TENANT_ADMIN'], {}],
    ];
    beforeAll(async () => {
      for (const [name, roles, more] of people) {
        await person(`m-${name}`, roles, more);
        tokens.set(name, await tokenOf(`m-${name}@rice.example`));
      }
    });

    it.each<[string, readonly string[]]>([
      ['member', people.map(([name]) => name)],
      ['admin', ['admin']],
      ['admin-in-person', ['admin']],
      ['reports', ['auditor', 'compliance', 'admin']],
      ['process/wool_shearing', ['operator', 'shearer', 'woolly', 'orgadmin', 'auditor', 'compliance', 'admin']],
      ['process/wool_scouring', ['operator', 'woolly', 'orgadmin', 'auditor', 'compliance', 'admin']],
      ['process/RICE_MILLING', ['operator', 'orgadmin', 'auditor', 'compliance', 'admin']],
    ])('%s is open to the right roles', async (path, admitted) => {
      const statuses = await Promise.all(
        people.map(async ([name]) => [name, (await world.get(`/api/v1/asked/${path}`, tokens.get(name))).status]),
      );
      expect(statuses).toEqual(people.map(([name]) => [name, admitted.includes(name) ? 200 : 403]));
    });

    it('names the process outside of the scope', async () => {
      expect((await world.get('/api/v1/asked/process/RICE_MILLING', tokens.get('woolly'))).body).toMatchObject({
        status: 403,
        code: 'process_out_of_scope',
        processType: 'RICE_MILLING',
      });
    });
  });

  describe('API keys', () => {
    const withKey = (key: string, path: string) => world.call('GET', path, { headers: { 'x-api-key': key } });

    it('act for their tenant within their roles and scopes, but not as a user', async () => {
      const { key, text } = await world.keys.create(rice.id, { name: 'ERP', roles: ['TENANT_ADMIN'], wallet: address(9) }, null);
      expect(text).toMatch(/^tsk_sandbox_[0-9a-f]{32}_[0-9a-f]{72}$/);
      expect((await withKey(text, '/api/v1/asked/member')).body).toMatchObject({
        kind: 'api_key',
        id: key.id,
        tenantId: rice.id,
        wallet: address(9),
        wallets: [address(9)],
      });
      expect((await withKey(text, '/api/v1/asked/admin')).status).toBe(200);
      for (const path of ['/api/v1/asked/admin-in-person', '/api/v2/auth/me', '/api/v1/asked/platform'])
        expect((await withKey(text, path)).body).toMatchObject({ status: 403, code: 'bearer_required' });
      const scoped = await world.keys.create(rice.id, { name: 'Scale', roles: ['OPERATOR'], roleScopes: { OPERATOR: ['RICE_*'] } }, null);
      expect((await withKey(scoped.text, '/api/v1/asked/process/RICE_MILLING')).status).toBe(200);
      expect((await withKey(scoped.text, '/api/v1/asked/process/wool_shearing')).body.code).toBe('process_out_of_scope');
    });

    it('are refused when mistyped, unknown, expired or revoked', async () => {
      const { key, text } = await world.keys.create(
        rice.id,
        { name: 'Short', roles: ['OPERATOR'], expiresAt: new Date(Date.now() + 60_000) },
        null,
      );
      const [head, tail] = [text.slice(0, -9), text.slice(-8)];
      const unknown = (await world.keys.create(rice.id, { name: 'Gone', roles: ['OPERATOR'] }, null)).text;
      await database.unitOfWork.asSystem((tx) => tx.sql(`delete from identity.api_key where name = 'Gone'`));
      for (const wrong of [`${head}${text.at(-9) === '0' ? '1' : '0'}${tail}`, unknown, 'tsk_live', 'x', text.toUpperCase()])
        expect((await withKey(wrong, '/api/v1/asked/member')).body).toMatchObject({ status: 401, code: 'invalid_api_key' });
      await database.unitOfWork.asSystem((tx) => tx.sql(`update identity.api_key set revoked_at = now() where id = $1`, [key.id]));
      expect((await withKey(text, '/api/v1/asked/member')).status).toBe(401);
    });
  });

  describe('the owner of a wallet', () => {
    it('is labelled by facility, organisation, person, address book or address', async () => {
      const siteId = newId();
      await database.unitOfWork.inTransaction({ tenantId: rice.id }, (tx) =>
        tx.sql('insert into identity.site (tenant_id, id, org_id, name, created_at) values ($1, $2, $3, $4, now())', [
          rice.id,
          siteId,
          mill.id,
          'Silo 4',
        ]),
      );
      const user = await person('paula', ['OPERATOR'], { wallet: address(30) });
      expect(user.id).toBeDefined();
      await world.wallets.bind(rice.id, { address: address(31), orgId: mill.id });
      await world.wallets.bind(rice.id, { address: address(32), orgId: mill.id, siteId });
      await world.wallets.bind(rice.id, { address: address(33), label: 'Harbour Trading' });
      const parties = world.app.get(Parties);
      const asked = [30, 31, 32, 33, 34].map(address);
      const labels = await database.unitOfWork.inTransaction({ tenantId: rice.id }, (tx) => parties.labels(tx, asked));
      expect(asked.map((a) => [labels.get(a)!.kind, labels.get(a)!.label, labels.get(a)!.orgName])).toEqual([
        ['user', 'paula', null],
        ['organization', 'Example Mill', 'Example Mill'],
        ['facility', 'Silo 4', 'Example Mill'],
        ['partner', 'Harbour Trading', null],
        ['address', `${asked[4]!.slice(0, 6)}…${asked[4]!.slice(-4)}`, null],
      ]);
      const elsewhere = await database.unitOfWork.inTransaction({ tenantId: wool.id }, (tx) => parties.labels(tx, asked));
      expect([...elsewhere.values()].every(({ kind }) => kind === 'address')).toBe(true);
      await database.unitOfWork.inTransaction({ tenantId: rice.id }, async (tx) => {
        expect(await parties.walletsOf(tx, mill.id)).toEqual(expect.arrayContaining([31, 32].map(address)));
        await expect(parties.walletsOf(tx, newId())).rejects.toMatchObject({ code: 'organisation_not_found' });
        await expect(parties.walletsOf(tx, 'nonsense')).rejects.toMatchObject({ code: 'organisation_not_found' });
      });
    });

    it('cannot be changed to another user', async () => {
      const farm = await world.organisations.create(rice.id, { name: 'Example Farm' });
      await world.wallets.bind(rice.id, { address: address(40), orgId: farm.id });
      await world.wallets.bind(rice.id, { address: address(40), orgId: farm.id });
      await expect(world.wallets.bind(rice.id, { address: address(40), orgId: mill.id })).rejects.toMatchObject({
        code: 'wallet_taken',
        status: 409,
      });
      await expect(world.wallets.bind(rice.id, { address: address(40).toLowerCase() })).rejects.toMatchObject({ code: 'invalid_content' });
      const woolly = await world.organisations.create(wool.id, { name: 'Example Farm' });
      await expect(world.wallets.bind(rice.id, { address: address(41), orgId: woolly.id })).rejects.toMatchObject({
        code: 'organisation_not_found',
      });
    });
  });

  describe("a tenant's contract", () => {
    const created = (tenantId: string, lots: string, block: number): RegistryLog =>
      ({
        name: 'TenantCreated',
        args: { tenantId, lots, version: 1, admin: address(1), predecessor: address(0), name: 'x' },
        contract: address(99),
        block: { number: block, hash: keccakOf(String(block)), timestamp: new Date() },
        txHash: keccakOf(`tx${block}`),
        logIndex: 0,
        txLogIndex: 0,
      }) as RegistryLog;

    it('is found by the hash of the slug and undone with its block; the newest one counts', async () => {
      const directory = world.app.get(ContractDirectory);
      const tenants = world.app.get(Tenants);
      const silk = await world.tenants.create({ slug: 'silk', name: 'Silk' });
      await expect(tenants.contractOf(silk.id)).rejects.toMatchObject({ code: 'tenant_has_no_contract', status: 409 });
      const logs = [
        created(keccakOf('silk'), address(50), 5),
        created(keccakOf('stranger'), address(51), 6),
        created(keccakOf('silk'), address(52), 7),
      ];
      await database.unitOfWork.asSystem((tx) => directory.register(tx, 31_337, logs));
      await database.unitOfWork.asSystem((tx) => directory.register(tx, 31_337, logs));
      expect(log.some((line) => line.includes(keccakOf('stranger')))).toBe(true);
      const known = await database.unitOfWork.asSystem((tx) => directory.tenants(tx, 31_337));
      expect([known.get(address(50)), known.get(address(51)), known.get(address(52))]).toEqual([silk.id, undefined, silk.id]);
      await eventually('the newest contract', async () => (await tenants.contractOf(silk.id).catch(() => null)) === address(52));
      await database.unitOfWork.asSystem((tx) => directory.unregister(tx, 31_337, 6));
      await eventually('the contract before', async () => (await tenants.contractOf(silk.id)) === address(50));
      await expect(tenants.byId(newId())).rejects.toMatchObject({ code: 'tenant_not_found', status: 404 });
    });
  });

  describe('administration', () => {
    it('refuses what is taken, unknown or not well formed', async () => {
      await expect(world.tenants.create({ slug: 'rice', name: 'Again' })).rejects.toMatchObject({ code: 'slug_taken' });
      await expect(world.tenants.create({ slug: 'Rice!', name: '' })).rejects.toMatchObject({
        code: 'invalid_content',
        details: { errors: [{ pointer: '/slug' }, { pointer: '/name' }] },
      });
      await expect(world.users.create({ email: 'ADA@rice.example', name: 'x', password: PASSWORD })).rejects.toMatchObject({
        code: 'email_taken',
      });
      await expect(world.users.create({ email: 'short@rice.example', name: 'x', password: 'short' })).rejects.toMatchObject({
        code: 'invalid_content',
      });
      await expect(world.organisations.create(rice.id, { name: 'example mill' })).rejects.toMatchObject({
        code: 'organisation_name_taken',
      });
      await expect(world.members.add(rice.id, newId(), { roles: [] })).rejects.toMatchObject({ code: 'user_not_found' });
      const user = await world.users.create({ email: 'new@rice.example', name: 'New', password: null });
      await expect(world.members.add(newId(), user.id, { roles: [] })).rejects.toMatchObject({ code: 'tenant_not_found' });
      await expect(world.members.add(rice.id, user.id, { roles: [], orgId: newId() })).rejects.toMatchObject({
        code: 'organisation_not_found',
      });
      await expect(world.members.revoke(rice.id, user.id)).rejects.toMatchObject({ code: 'member_not_found' });
      expect((await world.login('new@rice.example')).body.code).toBe('invalid_credentials');
    });

    it('returns existing records when a command runs twice', async () => {
      expect(await world.tenants.find('rice')).toMatchObject({ id: rice.id });
      expect(await world.users.find(' ADA@rice.example')).toMatchObject({ email: 'ada@rice.example' });
      expect(await world.organisations.find(rice.id, 'EXAMPLE MILL')).toMatchObject({ id: mill.id });
      expect(await world.organisations.find(wool.id, 'Example Mill')).toBeNull();
    });
  });

  it('keeps the tables of tenants behind row-level security', async () => {
    const seen = await database.unitOfWork.inTransaction({ tenantId: wool.id }, async (tx) => ({
      organisations: (await tx.sql('select 1 from identity.organisation where tenant_id = $1', [rice.id])).length,
      tenants: await tx.sql('select slug from identity.tenant'),
    }));
    expect(seen).toEqual({ organisations: 0, tenants: [{ slug: 'wool' }] });
    await expect(
      database.unitOfWork.inTransaction({ tenantId: wool.id }, (tx) => tx.sql('select 1 from identity.app_user')),
    ).rejects.toThrow(/permission denied/);
  });

  it('describes its routes, public ones without a credential', async () => {
    const { body } = await world.get('/openapi.json');
    expect(body.paths['/api/v2/auth/login'].post.security).toEqual([]);
    for (const path of ['/health/live', '/health/ready']) {
      expect(body.paths[path].get.security).toEqual([]);
      expect(body.paths[path].get.responses['429']).toBeUndefined();
    }
    expect(body.paths['/api/v1/asked/member'].get).toMatchObject({
      security: [{ bearer: [] }, { apiKey: [] }],
      responses: { 200: { headers: { RateLimit: {}, 'RateLimit-Policy': {} } }, 429: { headers: { 'Retry-After': {} } } },
    });
    expect(body.paths['/api/v2/auth/me'].get.security).toEqual([{ bearer: [] }]);
    expect(body.components.schemas.LoginResultView.required).toEqual(['accessToken', 'refreshToken', 'partial', 'stale']);
    expect(body.paths['/api/v2/auth/login'].post.responses['401'].description).toContain('invalid_credentials');
  });

  it('writes no secret into its log', async () => {
    const login = (await world.login('ada@rice.example')).body;
    await world.get('/api/v2/auth/me', login.accessToken);
    await world.login('ada@rice.example', 'a very wrong secret');
    const { text } = await world.keys.create(rice.id, { name: 'Logged', roles: ['OPERATOR'] }, null);
    await world.call('GET', '/api/v1/asked/member', { headers: { 'x-api-key': text } });
    const written = log.join('');
    expect(written).toContain('/api/v2/auth/login');
    const signature = (login.accessToken as string).split('.')[2]!;
    for (const secret of [
      PASSWORD,
      'a very wrong secret',
      login.accessToken,
      signature,
      login.refreshToken,
      text,
      '$argon2id$',
      'PRIVATE KEY',
    ])
      expect(written.includes(secret)).toBe(false);
  });
});
