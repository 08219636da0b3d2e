import { generateKeyPairSync } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identityPersistence } from '#identity';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { type Answer, IdentityWorld, PASSWORD, SIGNING_KEY } from './identity-world.js';

const part = (token: string, index: number): any => JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());
const kidOf = (token: string): string => part(token, 0).kid as string;
const codeOf = ({ status, body }: Answer): string => `${status} ${body?.code}`;
const pem = (): string => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** What identity.spec.ts does not show yet. */
describe('attacks on identity', () => {
  let database: TestDatabase;
  let world: IdentityWorld;
  let riceId: string;

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
    world = await IdentityWorld.start(database.endpoint);
    const [rice, wool] = [
      await world.tenants.create({ slug: 'rice', name: 'Rice Chain' }),
      await world.tenants.create({ slug: 'wool', name: 'Wool Chain' }),
    ];
    riceId = rice.id;
    const ada = await world.users.create({ email: 'ada@rice.example', name: 'Ada', password: PASSWORD });
    await world.members.add(rice.id, ada.id, { roles: ['OPERATOR'] });
    const both = await world.users.create({ email: 'both@rice.example', name: 'Both', password: PASSWORD });
    for (const { id } of [rice, wool]) await world.members.add(id, both.id, { roles: ['TENANT_ADMIN'] });
  });
  afterAll(async () => {
    await world?.stop();
    await database?.drop();
  });

  /** A token as the service would have signed it, with other claims or times. */
  const resigned = (token: string, change: object, options: object = {}): string => {
    const { iss, aud, iat: _iat, nbf: _nbf, exp: _exp, ...claims } = part(token, 1);
    return new JwtService().sign({ ...claims, ...change }, {
      privateKey: SIGNING_KEY,
      algorithm: 'ES256',
      keyid: kidOf(token),
      issuer: iss,
      audience: aud,
      expiresIn: 60,
      ...options,
    } as never);
  };

  describe('kinds of tokens', () => {
    it('an expired partial token chooses no tenant', async () => {
      const { accessToken } = (await world.login('both@rice.example')).body;
      expect((await world.auth('select-tenant', { tenantId: 'rice' }, resigned(accessToken, {}))).status).toBe(200);
      const expired = resigned(accessToken, {}, { expiresIn: -10 });
      expect(codeOf(await world.auth('select-tenant', { tenantId: 'rice' }, expired))).toBe('401 token_expired');
      expect(codeOf(await world.get('/api/v2/auth/memberships', expired))).toBe('401 token_expired');
    });

    it('a partial token with a tenant written into it is invalid, and so is a full one without', async () => {
      const partial = (await world.login('both@rice.example')).body.accessToken as string;
      const full = (await world.login('both@rice.example', PASSWORD, 'rice')).body.accessToken as string;
      const { tenantUuid } = part(full, 1);
      for (const token of [resigned(partial, { tenantUuid, tid: 'rice' }), resigned(full, { tenantUuid: null, tid: null })])
        for (const path of ['/api/v1/asked/member', '/api/v2/auth/me'])
          expect(codeOf(await world.get(path, token))).toBe('401 invalid_token');
    });

    it('rights that a token claims beyond those of the rows count for nothing', async () => {
      const { accessToken } = (await world.login('ada@rice.example')).body;
      const forgedToken = resigned(accessToken, { roles: ['TENANT_ADMIN'], isPlatformAdmin: true, roleScopes: {} });
      expect((await world.get('/api/v1/asked/member', forgedToken)).status).toBe(200);
      expect(codeOf(await world.get('/api/v1/asked/admin', forgedToken))).toBe('403 role_required');
      expect(codeOf(await world.get('/api/v1/asked/platform', forgedToken))).toBe('403 platform_admin_required');
      const platform = resigned(accessToken, { token_use: 'platform', tenantUuid: null, tid: null });
      expect(codeOf(await world.get('/api/v1/asked/platform', platform))).toBe('401 invalid_token');
    });

    it('access token, refresh token and API key are never accepted in place of each other', async () => {
      const { accessToken, refreshToken } = (await world.login('ada@rice.example')).body;
      // Known here, each as what it is: being remembered must not make it anything else.
      const { text } = await world.keys.create(riceId, { name: 'ERP', roles: ['OPERATOR'] }, null);
      expect((await world.get('/api/v1/asked/member', accessToken)).status).toBe(200);
      expect((await world.call('GET', '/api/v1/asked/member', { headers: { 'x-api-key': text } })).status).toBe(200);
      expect(codeOf(await world.get('/api/v1/asked/member', text))).toBe('401 invalid_token');
      expect(codeOf(await world.get('/api/v1/asked/member', refreshToken))).toBe('401 invalid_token');
      expect(codeOf(await world.auth('refresh', { refreshToken: accessToken }))).toMatch(/^40[01] /);
      expect(codeOf(await world.call('GET', '/api/v1/asked/member', { headers: { 'x-api-key': accessToken } }))).toBe(
        '401 invalid_api_key',
      );
      expect(codeOf(await world.call('GET', '/api/v1/asked/member', { headers: { 'x-api-key': refreshToken } }))).toBe(
        '401 invalid_api_key',
      );
    });
  });

  describe('the rotation of signing keys', () => {
    it('logs nobody out: the newest signs, older ones verify, the JWKS has all; a removed key is no longer valid', async () => {
      const [first, second, third] = [pem(), pem(), pem()];
      const node = (...signingKeys: string[]): Promise<IdentityWorld> => IdentityWorld.start(database.endpoint, { signingKeys });
      const kids = async (at: IdentityWorld): Promise<string[]> =>
        (await at.get('/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid) as string[];
      const works = async (at: IdentityWorld, token: string): Promise<boolean> =>
        (await at.get('/api/v1/asked/member', token)).status === 200;

      const before = await node(first);
      const login = (await before.login('ada@rice.example')).body;
      await before.stop();

      // Of several nodes some know the new key, and none signs with it yet.
      const both = await node(first, second);
      const during = await node(second, first);
      const refreshed = (await during.auth('refresh', { refreshToken: login.refreshToken })).body;
      for (const at of [both, during])
        expect([await works(at, login.accessToken), await works(at, refreshed.accessToken)]).toEqual([true, true]);
      await both.stop();
      expect(kidOf(refreshed.accessToken)).not.toBe(kidOf(login.accessToken));
      expect(await kids(during)).toEqual([kidOf(refreshed.accessToken), kidOf(login.accessToken)]);
      await during.stop();

      const after = await node(third, second);
      expect([await works(after, refreshed.accessToken), await works(after, login.accessToken)]).toEqual([true, false]);
      const again = (await after.auth('refresh', { refreshToken: refreshed.refreshToken })).body;
      expect(await works(after, again.accessToken)).toBe(true);
      expect(await kids(after)).toEqual([kidOf(again.accessToken), kidOf(refreshed.accessToken)]);
      await after.stop();
    });
  });

  describe('a refresh token that comes back', () => {
    it('ends its session at once, also when it is sent 20 times at once, and no other session', async () => {
      const stolen = (await world.login('ada@rice.example')).body;
      const other = (await world.login('ada@rice.example')).body;
      const next = (await world.auth('refresh', { refreshToken: stolen.refreshToken })).body;
      const newest = (await world.auth('refresh', { refreshToken: next.refreshToken })).body;
      const replays = await Promise.all(Array.from({ length: 20 }, () => world.auth('refresh', { refreshToken: stolen.refreshToken })));
      expect(new Set(replays.map(({ status }) => status))).toEqual(new Set([401]));
      expect(replays.map(codeOf)).toContain('401 refresh_token_reused');
      expect(codeOf(await world.auth('refresh', { refreshToken: newest.refreshToken }))).toBe('401 invalid_refresh_token');
      expect(codeOf(await world.get('/api/v1/asked/member', newest.accessToken))).toBe('401 invalid_token');
      expect((await world.get('/api/v1/asked/member', other.accessToken)).status).toBe(200);
    });
  });

  it('does not reveal by response time who has an account, although failures are counted only for accounts', async () => {
    const attempt = async (email: string): Promise<number> => {
      const started = performance.now();
      expect(codeOf(await world.login(email, 'a wrong password'))).toBe('401 invalid_credentials');
      return performance.now() - started;
    };
    const [known, unknown]: [number[], number[]] = [[], []];
    await attempt('both@rice.example');
    for (let i = 0; i < 15; i++) {
      known.push(await attempt('both@rice.example'));
      unknown.push(await attempt(`nobody${i}@rice.example`));
    }
    // The fastest of each: what the machine was busy with otherwise adds to both, and never subtracts. Without the decoy an
    // unknown user is answered more than ten times faster.
    const least = (times: number[]): number => Math.min(...times);
    expect(least(known)).toBeLessThan(least(unknown) * 4);
    expect(least(unknown)).toBeLessThan(least(known) * 4);
  });

  it.each([10 * 1024 * 1024, 2 * 1024 * 1024])('refuses a body of %d bytes on every route that takes a password', async (bytes) => {
    const password = 'x'.repeat(bytes);
    const { accessToken } = (await world.login('ada@rice.example')).body;
    const answers = [
      await world.auth('login', { email: 'ada@rice.example', password }),
      await world.auth('password', { currentPassword: PASSWORD, password }, accessToken),
      await world.auth('password/reset', { token: 'x', password }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413]);
  });
});
