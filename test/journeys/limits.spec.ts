import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identityPersistence } from '#identity';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { IdentityWorld, PASSWORD } from './identity-world.js';

const POLICY = /^"\w+";q=\d+;w=60$/;
const STATE = /^"\w+";r=\d+;t=\d+$/;

describe('limits', () => {
  let database: TestDatabase;
  const started: IdentityWorld[] = [];

  /** One tenant with a member and a key, on a node that trusts one proxy unless told otherwise. */
  async function node(env: Record<string, string>): Promise<{ world: IdentityWorld; email: string; token: string; key: string }> {
    const world = await IdentityWorld.start(database.endpoint, { env: { TRUSTED_PROXIES: '1', ...env } });
    started.push(world);
    const slug = `t${started.length}`;
    const email = `owner@${slug}.example`;
    const { id: tenantId } = await world.tenants.create({ slug, name: slug, environment: 'sandbox' });
    const { id: userId } = await world.users.create({ email, name: 'Owner', password: PASSWORD });
    await world.members.add(tenantId, userId, { roles: ['TENANT_ADMIN'] });
    const { text } = await world.keys.create(tenantId, { name: 'key', roles: ['OPERATOR'] }, null);
    const { body } = await world.login(email);
    return { world, email, token: body.accessToken, key: text };
  }
  const from = (ip: string): { 'x-forwarded-for': string } => ({ 'x-forwarded-for': ip });

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
  });
  afterAll(async () => {
    for (const world of started) await world.stop();
    await database.drop();
  });

  it('give a principal its requests per minute, say how many are left, and then answer 429', async () => {
    const { world, token, key } = await node({ TIERS: '{"sandbox":{"requestsPerMinute":5},"standard":{"requestsPerMinute":5}}' });
    for (let left = 4; left >= 0; left--) {
      const { status, headers } = await world.get('/api/v1/asked/member', token);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"principal";q=5;w=60');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"principal";r=${left};t=([1-9]|[1-5][0-9]|60)$`));
    }
    const refused = await world.get('/api/v1/asked/member', token);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', status: 429 } });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toMatch(/r=0/);
    // A key of the same tenant is another principal.
    expect((await world.call('GET', '/api/v1/asked/member', { headers: { 'x-api-key': key } })).status).toBe(200);
  });

  it('count per user, not per session: a new login does not reset the count', async () => {
    const { world, token, email } = await node({ TIERS: '{"sandbox":{"requestsPerMinute":2},"standard":{"requestsPerMinute":2}}' });
    await world.get('/api/v1/asked/member', token);
    await world.get('/api/v1/asked/member', token);
    const { body } = await world.login(email);
    expect((await world.get('/api/v1/asked/member', body.accessToken)).status).toBe(429);
  });

  it('stop guessing at an account, from one address and from many, and let its owner in all the while', async () => {
    const { world, email } = await node({ RATE_LOGINS_PER_ACCOUNT: '3' });
    const login = async (ip: string, password: string): Promise<number> =>
      (await world.call('POST', '/api/v2/auth/login', { body: { email, password }, headers: from(ip) })).status;
    const guesses = async (ips: readonly string[]): Promise<number[]> => {
      const statuses = await Promise.all(ips.map((ip) => login(ip, 'wrong password')));
      return [401, 429].map((status) => statuses.filter((each) => each === status).length);
    };
    expect(await login('192.0.2.1', PASSWORD)).toBe(200);
    expect(await guesses(Array<string>(8).fill('198.51.100.1'))).toEqual([3, 5]);
    // The owner at a new address.
    expect(await login('203.0.113.9', PASSWORD)).toBe(200);
    // Three times six are allowed in all, and three were used.
    expect(await guesses(Array.from({ length: 20 }, (_, i) => `198.51.100.${i + 2}`))).toEqual([15, 5]);
    expect(await login('203.0.113.10', PASSWORD)).toBe(429);
    for (const ip of ['192.0.2.1', '203.0.113.9']) for (let times = 0; times < 5; times++) expect(await login(ip, PASSWORD)).toBe(200);
  });

  it('treat an unknown account like a known one', async () => {
    const { world } = await node({ RATE_LOGINS_PER_ACCOUNT: '2' });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await world.login('nobody@nowhere.example', 'wrong password')).status);
    expect(statuses).toEqual([401, 401, 429]);
  });

  it('cannot be reset by an invented X-Forwarded-For', async () => {
    const { world } = await node({ RATE_LOGINS_PER_ADDRESS: '3' });
    const attempt = async (forwarded: string): Promise<number> =>
      (
        await world.call('POST', '/api/v2/auth/login', {
          body: { email: `${forwarded.length}@x.example`, password: 'wrong password' },
          headers: from(forwarded),
        })
      ).status;
    // The trusted proxy appends the address that it saw; the addresses to the left of it are invented by the client.
    for (const invented of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) expect(await attempt(`${invented}, 192.0.2.55`)).toBe(401);
    expect(await attempt('10.0.0.4, 192.0.2.55')).toBe(429);
    expect(await attempt('10.0.0.4, 192.0.2.56')).toBe(401);
  });

  it('ignore X-Forwarded-For when no proxy is trusted', async () => {
    const { world } = await node({ RATE_LOGINS_PER_ADDRESS: '3', TRUSTED_PROXIES: '0' });
    const statuses: number[] = [];
    // The set-up has logged in once.
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
      statuses.push(
        (
          await world.call('POST', '/api/v2/auth/login', {
            body: { email: 'a@b.example', password: 'wrong password' },
            headers: from(ip),
          })
        ).status,
      );
    expect(statuses).toEqual([401, 401, 429]);
  });

  it('stop guessing of tokens and keys from one address; valid credentials from there still work', async () => {
    const { world, token, key, email } = await node({ RATE_REFUSED_PER_ADDRESS: '4' });
    const ask = (headers: Record<string, string>, ip: string): ReturnType<IdentityWorld['call']> =>
      world.call('GET', '/api/v1/asked/member', { headers: { ...headers, ...from(ip) } });
    const bearer = (text: string): Record<string, string> => ({ authorization: `Bearer ${text}` });
    expect((await ask(bearer(token), '192.0.2.1')).status).toBe(200);
    const first = await ask(bearer(`${token}x`), '192.0.2.1');
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([401, '"credentials";q=4;w=60']);
    for (const wrong of [{ 'x-api-key': `${key}0` }, bearer('a.b.c'), { 'x-api-key': 'x' }])
      expect((await ask(wrong, '192.0.2.1')).status).toBe(401);
    const refused = await ask(bearer('another'), '192.0.2.1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Who logs in from there goes on at once: a signature is checked before anything is looked up.
    const { accessToken } = (await world.login(email)).body;
    expect((await ask(bearer(accessToken), '192.0.2.1')).status).toBe(200);
    // A right key would tell the guesser that it is one.
    expect((await ask({ 'x-api-key': key }, '192.0.2.1')).status).toBe(429);
    expect((await ask({ 'x-api-key': key }, '192.0.2.2')).status).toBe(200);
    for (const known of [bearer(token), { 'x-api-key': key }]) expect((await ask(known, '192.0.2.1')).status).toBe(200);
    // Asking without a credential costs nothing and counts for nothing.
    for (let i = 0; i < 6; i++) expect((await ask({}, '192.0.2.3')).status).toBe(401);
    expect((await ask(bearer('wrong'), '192.0.2.3')).status).toBe(401);
  });

  it('apply to public routes by address, except health', async () => {
    const { world } = await node({ RATE_PUBLIC_PER_ADDRESS: '2' });
    const page = (): ReturnType<IdentityWorld['get']> => world.get('/.well-known/jwks.json');
    const first = await page();
    expect(first.headers.get('ratelimit-policy')).toMatch(POLICY);
    expect(first.headers.get('ratelimit')).toMatch(STATE);
    await page();
    expect(await page()).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    for (let i = 0; i < 5; i++) expect((await world.get('/health/live')).status).toBe(200);
  });
});
