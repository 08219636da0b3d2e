import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { World } from '../harness/world.js';
import { RiceTrade } from './rice-trade.js';

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

describe('answers that the service keeps', () => {
  let world: World;
  let trade: RiceTrade;
  let key: string;
  beforeAll(async () => {
    world = await World.start();
    await world.play('rice', 1);
    trade = await RiceTrade.of(world);
    ({ secret: key } = await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads all', roles: ['COMPLIANCE'] }));
  });
  afterAll(() => world?.close());

  const get = async (path: string): Promise<string> => {
    const answer = await fetch(`${world.baseUrl}/api/v1${path}`, { headers: { 'x-api-key': key } });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  /** All of them, as they are now. What differs between two makings is a time or the id of a document. */
  const all = async (): Promise<readonly string[]> => {
    const { data } = JSON.parse(await get('/nfts?limit=1')) as { data: { tokenId: number }[] };
    const lot = `/nfts/${data[0]!.tokenId}`;
    return Promise.all(
      ['/events?format=epcis', `${lot}/events?format=epcis`, `${lot}/exports/untp-dte`, '/reports/fsma204', '/reports/yield'].map(get),
    );
  };
  const expectOthersAfter = async (change: () => Promise<unknown>): Promise<void> => {
    const before = await all();
    expect(await all()).toEqual(before);
    await change();
    const after = await all();
    expect(after.filter((text) => before.includes(text))).toEqual([]);
    expect(await all()).toEqual(after);
  };

  it('are the same until an event lands', () => expectOthersAfter(() => trade.harvest()));

  it('are made again when an organisation changes, which no block says', () =>
    expectOthersAfter(() =>
      trade.api.request('PATCH', `/api/v1/organisations/${world.tenant('rice').actors['mill']!.orgId}`, { gln: '9520000100094' }),
    ));

  it('are made again when there is another process map', async () => {
    const { data } = await trade.api.get<{ data: { name: string }[] }>('/api/v1/process-maps');
    const { document } = await trade.api.get<{ document: object }>(`/api/v1/process-maps/${data[0]!.name}`);
    await expectOthersAfter(() => trade.api.post('/api/v1/process-maps', { ...document, version: '99.0.0' }));
  });

  it('are made again when a value of a landed event is changed', async () => {
    const { data } = JSON.parse(await get('/events?limit=1')) as { data: { id: string }[] };
    await expectOthersAfter(() =>
      world.database.unitOfWork.asSystem((tx) =>
        tx.sql("update traceability.event set event_time = event_time - interval '1 hour' where id = $1", [data[0]!.id]),
      ),
    );
  });

  it('stay when another tenant changes something, and say which block they hold for', async () => {
    const before = await all();
    const { asOf: then } = JSON.parse(before.at(-1)!) as { asOf: { blockNumber: number } };
    const neighbour = world.demo.tenants.find(({ slug }) => slug !== 'rice')!.slug;
    await world.play(neighbour, 1);
    const after = await all();
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
    const { asOf: now } = JSON.parse(after.at(-1)!) as { asOf: { blockNumber: number } };
    expect(now.blockNumber).toBeGreaterThan(then.blockNumber);
    const ignoring = (text: string): string => text.replace(/"asOf":{[^}]*}/, '');
    expect(after.map(ignoring)).toEqual(before.map(ignoring));
  });
});
