import { request } from 'node:http';
import { setImmediate as nextPass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { DatabaseHealth } from '#persistence';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';

const PATHS = [
  '/api/v1/nfts',
  '/api/v1/events?limit=20',
  '/api/v1/events?format=epcis&limit=100',
  '/api/v1/organisations',
  '/api/v1/reports/yield',
  '/api/v1/tx',
  '/api/v2/auth/me',
];

describe('a client that goes away in the middle of its request', () => {
  let world: World;
  beforeAll(async () => {
    // Few connections, so that others get those that it leaves.
    world = await World.start({ DATABASE_POOL: '4' });
    await world.play('rice', 2);
  });
  afterAll(() => world?.close());

  const tokenOf = async (slug: string): Promise<string> => {
    const { email, password } = world.tenant(slug).admin;
    const login = { email, password, tenantId: slug };
    return (await new TraceabilityClient(world.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', login)).accessToken;
  };
  /** Sends a request and leaves after so many passes of the event loop. */
  const leave = (path: string, token: string, passes: number): Promise<void> =>
    new Promise((resolve) => {
      const sent = request(world.baseUrl + path, { headers: { authorization: `Bearer ${token}` }, agent: false });
      sent.on('error', () => undefined).on('close', resolve);
      sent.end(() => void afterPasses(passes).then(() => sent.destroy()));
    });
  const afterPasses = async (passes: number): Promise<void> => {
    for (let pass = 0; pass < passes; pass++) await nextPass();
  };

  it('leaves neither rights nor connections behind', async () => {
    const other = world.demo.tenants.find(({ slug }) => slug !== 'rice')!.slug;
    const [token, rice, neighbour] = [await tokenOf('rice'), await world.admin('rice'), await world.admin(other)];
    const { data: own } = await rice.get<{ data: { id: string }[] }>('/api/v1/nfts');
    expect(own.length).toBeGreaterThan(0);
    const going = Array.from({ length: 84 }, (_, i) => leave(PATHS[i % PATHS.length]!, token, Math.floor(i / PATHS.length) * 2));
    const seen = await Promise.all(Array.from({ length: 40 }, () => neighbour.get<{ data: { id: string }[] }>('/api/v1/nfts')));
    await Promise.all(going);
    const ids = new Set(own.map(({ id }) => id));
    expect(seen.flatMap(({ data }) => data.filter(({ id }) => ids.has(id)))).toEqual([]);
    // The service itself uses one now and then; as many as there are can be used at once.
    const health = world.service.app.get(DatabaseHealth, { strict: false });
    await eventually('the connections to be free', () => health.pool.waiting === 0 && health.pool.open - health.pool.idle <= 1);
    const again = await Promise.all(Array.from({ length: 8 }, () => rice.get<{ data: { id: string }[] }>('/api/v1/nfts')));
    for (const { data } of again) expect(data).toEqual(own);
  });
});
