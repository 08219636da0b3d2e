import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { World } from '../harness/world.js';

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly cacheControl: string | null;
  readonly text: string;
}

describe('answers that a client may keep', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    await world.play('rice', 1);
  });
  afterAll(() => world?.close());

  const reader = async (slug: string): Promise<(path: string, etag?: string) => Promise<Answer>> => {
    const { email, password } = world.tenant(slug).admin;
    const login = { email, password, tenantId: slug };
    const { accessToken } = await new TraceabilityClient(world.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', login);
    return async (path, etag) => {
      const headers = { authorization: `Bearer ${accessToken}`, ...(etag !== undefined && { 'if-none-match': etag }) };
      const answer = await fetch(world.baseUrl + path, { headers });
      const { headers: given, status } = answer;
      return { status, etag: given.get('etag'), cacheControl: given.get('cache-control'), text: await answer.text() };
    };
  };
  const neighbour = (): string => world.demo.tenants.find(({ slug }) => slug !== 'rice')!.slug;

  it('are contents of events, which are asked for each time, by those who may read them', async () => {
    const [get, other] = [await reader('rice'), await reader(neighbour())];
    const { data } = JSON.parse((await get('/api/v1/events')).text) as { data: { id: string; ipfsCid: string }[] };
    const path = `/api/v1/events/${data[0]!.id}/content`;
    const first = await get(path);
    expect(first).toMatchObject({ status: 200, etag: `"${data[0]!.ipfsCid}"`, cacheControl: 'private, no-cache' });
    const kept = { status: 304, etag: first.etag, cacheControl: 'private, no-cache', text: '' };
    expect(await get(path, first.etag!)).toEqual(kept);
    expect(await get(path, `"another", W/${first.etag}`)).toEqual(kept);
    expect(await get(path, '"another"')).toEqual(first);
    expect(await other(path, first.etag!)).toMatchObject({ status: 404, etag: null, cacheControl: 'no-store' });
  });

  it('are process maps, until there is another version', async () => {
    const [get, admin] = [await reader('rice'), await world.admin('rice')];
    const { data } = await admin.get<{ data: { name: string }[] }>('/api/v1/process-maps');
    const path = `/api/v1/process-maps/${data[0]!.name}`;
    const first = await get(path);
    expect(first).toMatchObject({ status: 200, etag: expect.stringMatching(/^W\/"/) as unknown, cacheControl: 'private, no-cache' });
    expect(await get(path, first.etag!)).toMatchObject({ status: 304, text: '' });
    const { document, version } = JSON.parse(first.text) as { document: object; version: string };
    await admin.post('/api/v1/process-maps', { ...document, version: '99.0.0' });
    expect(JSON.parse((await get(path, first.etag!)).text)).toMatchObject({ version: '99.0.0', versions: ['99.0.0', version] });
    const before = await get(`${path}?version=${version}`, first.etag!);
    expect(JSON.parse(before.text)).toMatchObject({ version, versions: ['99.0.0', version] });
  });
});
