import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TraceabilityClient } from '#client';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { RiceTrade } from './rice-trade.js';

type Json = Record<string, any>;

let world: World;
let admin: TraceabilityClient;
let tokens: Record<string, number>;

beforeAll(async () => {
  world = await World.start();
  admin = await world.admin('rice');
  await world.play('rice');
  const { data } = await admin.get<{ data: { tlc: string; tokenId: number }[] }>('/api/v1/nfts?limit=100');
  tokens = Object.fromEntries(data.map(({ tlc, tokenId }) => [tlc, tokenId]));
});
afterAll(() => world?.close());

const walk = (tlc: string, way: string, query = ''): Promise<Json> => admin.get(`/api/v1/nfts/${tokens[tlc]}${way && `/${way}`}${query}`);
const line = ({ tlc, depth, paths, share }: Json): unknown[] => [tlc, depth, paths, share];

const BAGS = 'RP262641';
const PALLET = '095200000000000011';

describe('the ancestry of a lot', () => {
  it('has nodes and edges, each lot once, with the share of its mass from each ancestor', async () => {
    const { nodes, edges, ...rest } = await walk(BAGS, 'ancestry');
    expect((nodes as Json[]).map(line)).toEqual([
      [BAGS, 0, 1, 1],
      ['RM-20260920-01', 1, 1, 1],
      ['RD-20260917-01', 2, 1, 1],
      ['RH-20260915-A1', 3, 1, 0.666667],
      ['RH-20260916-B1', 3, 1, 0.333333],
    ]);
    expect(nodes[0]).toMatchObject({
      assetTypeName: 'Milled rice, 5 kg bag',
      country: 'VN',
      processType: 'RICE_PACKING',
      status: 'active',
    });
    expect((edges as Json[]).find(({ from }) => from === tokens['RM-20260920-01'])).toMatchObject({
      to: tokens[BAGS],
      kind: 'transformation',
      processType: 'RICE_PACKING',
      quantity: 7004,
      uom: 'KGM',
      inputShare: 1,
      outputShare: 1,
    });
    expect(rest).toMatchObject({
      root: tokens[BAGS],
      direction: 'ancestors',
      depth: 3,
      nodeCount: 5,
      edgeCount: 4,
      truncated: false,
      truncatedBy: null,
      frontier: [],
      nextCursor: null,
      asOf: { block: expect.any(Number) },
    });
  });

  it('of a pallet goes through what was packed onto it, unless containment is left out', async () => {
    const codes = async (query: string): Promise<string[]> =>
      ((await walk(PALLET, 'ancestry', query))['nodes'] as Json[]).map(({ tlc }) => tlc as string);
    expect(await codes('')).toEqual([PALLET, BAGS, 'RM-20260920-01', 'RD-20260917-01', 'RH-20260915-A1', 'RH-20260916-B1']);
    expect(await codes('?edges=transformation')).toEqual([PALLET]);
    expect(await codes('?edges=containment')).toEqual([PALLET, BAGS]);
  });

  it('nests as a tree', async () => {
    const { tree, nodes } = await walk(BAGS, 'ancestry', '?format=tree');
    expect(nodes).toEqual([]);
    const nested = (branch: Json): unknown => ({ [branch['tlc'] as string]: ((branch['children'] ?? []) as Json[]).map(nested) });
    expect(nested(tree as Json)).toEqual({
      [BAGS]: [{ 'RM-20260920-01': [{ 'RD-20260917-01': [{ 'RH-20260915-A1': [] }, { 'RH-20260916-B1': [] }] }] }],
    });
    expect(tree.children[0].edge).toMatchObject({ processType: 'RICE_PACKING' });
  });
});

describe('the descendants of a lot', () => {
  it('have the share of its mass that went into each', async () => {
    const { nodes } = await walk('RH-20260915-A1', 'descendants');
    expect((nodes as Json[]).map(line)).toEqual([
      ['RH-20260915-A1', 0, 1, 1],
      ['RD-20260917-01', 1, 1, 1],
      ['RM-20260920-01', 2, 1, 0.663258],
      ['RM-20260920-01B', 2, 1, 0.035701],
      ['RM-20260920-01N', 2, 1, 0.09697],
      ['RM-20260920-01H', 2, 1, 0.204072],
      [BAGS, 3, 1, 0.663258],
      [PALLET, 4, 1, 0.663258],
    ]);
  });

  it('are cut at the limits, say so, and continue exactly there', async () => {
    const whole = await walk('RH-20260915-A1', 'descendants');
    const response = await fetch(`${world.baseUrl}/api/v1/nfts/${tokens['RH-20260915-A1']}/descendants?maxNodes=3`, {
      headers: await bearer(),
    });
    expect(response.headers.get('warning')).toMatch(/^199 - ".*maxNodes/);
    const first = (await response.json()) as Json;
    expect(first).toMatchObject({ truncated: true, truncatedBy: 'maxNodes', nodeCount: 4 });
    expect(first['frontier']).toEqual([tokens['RD-20260917-01'], tokens['RM-20260920-01']]);

    const pages = [first];
    while (pages.at(-1)!['nextCursor'] !== null)
      pages.push(await walk('RH-20260915-A1', 'descendants', `?maxNodes=3&cursor=${pages.at(-1)!['nextCursor']}`));
    const all = (field: string): Json[] => pages.flatMap((page) => page[field] as Json[]);
    expect(all('nodes').map(({ tokenId }) => tokenId as number)).toEqual(
      (whole['nodes'] as Json[]).map(({ tokenId }) => tokenId as number),
    );
    const links = (edges: Json[]): string[] => edges.map(({ from, to }) => `${from}>${to}`).toSorted();
    expect(links(all('edges'))).toEqual(links(whole['edges'] as Json[]));
    expect(pages.length).toBe(3);
  });

  it('continue by depth too', async () => {
    const first = await walk('RH-20260915-A1', 'descendants', '?maxDepth=1');
    expect(first).toMatchObject({ truncated: true, truncatedBy: 'maxDepth', nodeCount: 2, depth: 1, frontier: [tokens['RD-20260917-01']] });
    const second = await walk('RH-20260915-A1', 'descendants', `?maxDepth=1&cursor=${first['nextCursor']}`);
    expect(second).toMatchObject({ nodeCount: 4, depth: 2, truncated: true });
  });
});

async function bearer(): Promise<Record<string, string>> {
  const { email, password } = world.tenant('rice').admin;
  const login = await fetch(`${world.baseUrl}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, tenantId: 'rice' }),
  });
  return { authorization: `Bearer ${((await login.json()) as Json)['accessToken']}` };
}

describe('the relations of a lot', () => {
  it('are its parents, children, siblings, container and contents', async () => {
    const milled = await walk('RM-20260920-01', 'relations');
    const codes = (field: string): string[] => (milled[field] as Json[]).map(({ tlc }) => tlc as string);
    expect({ parents: codes('parents'), children: codes('children'), siblings: codes('siblings') }).toEqual({
      parents: ['RD-20260917-01'],
      children: [BAGS],
      siblings: ['RM-20260920-01B', 'RM-20260920-01N', 'RM-20260920-01H'],
    });
    expect(milled['children'][0].edge).toMatchObject({ from: tokens['RM-20260920-01'], to: tokens[BAGS], quantity: 7004 });
    expect(milled).toMatchObject({ container: null, contents: [], truncated: false });
  });
});

describe('reading as of an earlier block', () => {
  it('returns lots, lists, walks and relations as they were', async () => {
    const history = await admin.get<{ data: { block: number; blockNumber: number; timestamp: string; status: string }[] }>(
      `/api/v1/nfts/${tokens[BAGS]}/custody`,
    );
    const accepted = history.data.find(({ status }) => status === 'accepted')!.blockNumber;
    const onPallet = accepted - 1;
    const then = await walk(BAGS, '', `?asOf=${onPallet}`);
    expect(then).toMatchObject({
      status: 'aggregated',
      containerTokenId: tokens[PALLET],
      custodian: world.tenant('rice').actors['mill']!.address,
    });
    expect(await walk(BAGS, '')).toMatchObject({ status: 'active', containerTokenId: null });
    expect((await walk(PALLET, 'relations', `?asOf=${onPallet}`))['contents']).toMatchObject([{ tlc: BAGS }]);
    expect(await walk(PALLET, 'relations')).toMatchObject({ contents: [], pastContents: [{ tlc: BAGS }] });
    expect(await walk(BAGS, 'relations')).toMatchObject({ container: null, pastContainers: [{ tlc: PALLET }] });

    const { blockNumber: milling } = await admin.lots.byTlc('RM-20260920-01');
    const before = Number(milling) - 1;
    expect((await walk('RD-20260917-01', 'descendants', `?asOf=${before}`))['nodeCount']).toBe(1);
    expect((await walk('RD-20260917-01', '', `?asOf=${before}`))['status']).toBe('active');
    const list = await admin.get<{ total: number }>(`/api/v1/nfts?asOf=${before}`);
    expect(list.total).toBe(3);
    await expect(walk('RM-20260920-01', '', `?asOf=${before}`)).rejects.toMatchObject({ status: 404 });
    const byTime = await admin.get<Json>(`/api/v1/nfts/by-tlc/${PALLET}?asOf=${encodeURIComponent(history.data.at(-1)!.timestamp)}`);
    expect(byTime).toMatchObject({ tlc: PALLET });
  });

  it.each([
    ['the future', `?asOf=${'9'.repeat(12)}`, 422, 'as_of_not_reached'],
    ['a time to come', '?asOf=2999-01-01T00:00:00Z', 422, 'as_of_not_reached'],
    ['a time without a zone', '?asOf=2026-01-01T00:00:00', 400, 'malformed_request'],
    ['a negative block', '?asOf=-1', 400, 'malformed_request'],
    ['nonsense', '?asOf=yesterday', 400, 'malformed_request'],
  ])('refuses %s', async (_, query, status, code) => {
    for (const path of ['', '/ancestry', '/descendants', '/relations', '/footprint'])
      await expect(admin.get(`/api/v1/nfts/${tokens[BAGS]}${path}${query}`)).rejects.toMatchObject({ status, code });
    await expect(admin.get(`/api/v1/nfts${query}`)).rejects.toMatchObject({ status, code });
  });
});

describe('a walk', () => {
  it.each([
    ['?maxDepth=0', 400],
    ['?maxDepth=201', 400],
    ['?maxDepth=1000000000', 400],
    ['?maxNodes=0', 400],
    ['?maxNodes=20001', 400],
    ['?edges=none', 400],
    ['?format=xml', 400],
    ['?cursor=WyJ4Il0', 400],
    ['?format=tree&cursor=WyJ4Il0', 400],
  ])('with %s is refused', async (query, status) => {
    await expect(walk(BAGS, 'ancestry', query)).rejects.toMatchObject({ status });
  });

  it('refuses a cursor that was changed to walk without a limit', async () => {
    const { nextCursor } = await walk('RH-20260915-A1', 'descendants', '?maxNodes=3');
    const place = JSON.parse(Buffer.from(nextCursor as string, 'base64url').toString()) as string[];
    for (const depth of ['0', '2000000000', '999999999999999']) {
      const changed = Buffer.from(JSON.stringify([...place.slice(0, -1), depth])).toString('base64url');
      await expect(walk('RH-20260915-A1', 'descendants', `?maxNodes=3&cursor=${changed}`)).rejects.toMatchObject({ status: 400 });
    }
  });

  it('continues over at most 40 times maxNodes, and over a thousand lots at least', async () => {
    const { nextCursor } = await walk('RH-20260915-A1', 'descendants', '?maxNodes=3');
    const place = JSON.parse(Buffer.from(nextCursor as string, 'base64url').toString()) as string[];
    const after = (shown: number, maxNodes: number): Promise<Json> => {
      const cursor = Buffer.from(JSON.stringify(place.with(-2, String(shown)))).toString('base64url');
      return walk('RH-20260915-A1', 'descendants', `?maxNodes=${maxNodes}&cursor=${cursor}`);
    };
    for (const [shown, maxNodes] of [
      [1_001, 3],
      [20_001, 500],
      [200_001, 20_000],
    ] as const)
      await expect(after(shown, maxNodes)).rejects.toMatchObject({ status: 400 });
    for (const [shown, maxNodes] of [
      [1_000, 3],
      [20_000, 500],
    ] as const)
      expect(await after(shown, maxNodes)).toMatchObject({ nodes: [], truncated: false });
  });

  it('refuses a cursor of another walk or tenant', async () => {
    const { nextCursor } = await walk('RH-20260915-A1', 'descendants', '?maxNodes=3');
    await expect(walk('RH-20260916-B1', 'descendants', `?maxNodes=3&cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
    await expect(walk('RH-20260915-A1', 'ancestry', `?maxNodes=3&cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
  });

  it('accepts a token id as a decimal string, as answers contain it', async () => {
    expect(await admin.get(`/api/v1/nfts/${String(tokens[BAGS])}/ancestry`)).toMatchObject({ root: tokens[BAGS] });
  });

  it('knows no lot of another tenant', async () => {
    const wool = await world.admin('wool');
    for (const path of ['ancestry', 'descendants', 'relations'])
      await expect(wool.get(`/api/v1/nfts/${tokens[BAGS]}/${path}`)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
  });
});

describe('a lot', () => {
  const READS = ['', '/events', '/ancestry', '/descendants', '/relations', '/footprint', '/custody', '/recall-impact'];

  it.each(['-1', '0', '1.5', '1e3', '0x10', 'abc', '+1', '%00', '9'.repeat(30)])('is not asked for by %s', async (id) => {
    for (const path of READS)
      await expect(admin.get(`/api/v1/nfts/${id}${path}`)).rejects.toMatchObject({ status: 400, code: 'malformed_request' });
  });

  it('that never existed is not found', async () => {
    for (const path of READS)
      await expect(admin.get(`/api/v1/nfts/281474976710655${path}`)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
  });

  it.each<[string, number, string]>([
    ...['a/b', '100%', '%2F', '\u{1f35a}', "' or 1=1 --", 'x'.repeat(65)].map((tlc): [string, number, string] => [
      tlc,
      404,
      'lot_not_found',
    ]),
    ['\0', 400, 'malformed_request'],
    ['x'.repeat(3000), 414, 'path_too_long'],
  ])('of the code %j is not found, whatever its characters', async (tlc, status, code) => {
    await expect(admin.get(`/api/v1/nfts/by-tlc/${encodeURIComponent(tlc)}`)).rejects.toMatchObject({ status, code });
  });

  it.each(['%', '%2', '%E0%A4%A', '%FF'])('of the code %s, which is no text, is refused', async (tlc) => {
    await expect(admin.get(`/api/v1/nfts/by-tlc/${tlc}`)).rejects.toMatchObject({ status: 400 });
  });
});

describe('the list of lots', () => {
  const codes = async (query: string): Promise<string[]> =>
    (await admin.get<{ data: { tlc: string }[] }>(`/api/v1/nfts?limit=100&${query}`)).data.map(({ tlc }) => tlc);

  it('is filtered', async () => {
    const { actors } = world.tenant('rice');
    expect(await codes('status=active')).toEqual([BAGS, 'RM-20260920-01N', 'RM-20260920-01B']);
    expect(await codes('assetType=RICE_PADDY_WET')).toEqual(['RH-20260916-B1', 'RH-20260915-A1']);
    expect(await codes(`custodian=${actors['dist']!.address}`)).toEqual([PALLET, BAGS]);
    expect(await codes(`orgId=${actors['dist']!.orgId}`)).toEqual([PALLET, BAGS]);
    const milled = ['RM-20260920-01', 'RM-20260920-01B', 'RM-20260920-01H', 'RM-20260920-01N'];
    expect(await codes('tlc=RM-20260920-01')).toEqual(milled);
    const newest = ['RM-20260920-01H', 'RM-20260920-01N', 'RM-20260920-01B', 'RM-20260920-01'];
    expect(await codes('tlc=RM-20260920-01&sort=-tokenId')).toEqual(newest);
    expect(await codes('processMap=rice')).toHaveLength(9);
    expect(await codes('recalled=true')).toEqual([]);
    expect(await codes('recalled=false')).toHaveLength(9);
    expect(await codes('expiringBefore=2028-04-01')).toEqual([BAGS]);
    expect(await codes('expiringBefore=2028-03-21')).toEqual([]);
    expect(await codes('createdFrom=2999-01-01')).toEqual([]);
    expect(await codes('createdTo=2999-01-01')).toHaveLength(9);
  });

  it.each<[string, (codes: readonly string[]) => readonly string[]]>([
    ['-tokenId', (all) => all.toSorted((a, b) => tokens[b]! - tokens[a]!)],
    ['tokenId', (all) => all.toSorted((a, b) => tokens[a]! - tokens[b]!)],
    [
      'expiresAt',
      (all) => [BAGS, PALLET, ...all.filter((tlc) => ![BAGS, PALLET].includes(tlc)).toSorted((a, b) => tokens[a]! - tokens[b]!)],
    ],
    ['tlc', (all) => all.toSorted()],
  ])('is sorted by %s, the same by cursor as by page', async (sort, inOrder) => {
    const whole = await codes(`sort=${sort}`);
    expect(whole).toEqual(inOrder(whole));
    expect(whole).toHaveLength(9);
    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const page = await admin.get<{ data: { tlc: string }[]; nextCursor: string | null }>(`/api/v1/nfts?limit=2&sort=${sort}${cursor}`);
      paged.push(...page.data.map(({ tlc }) => tlc));
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(paged).toEqual(whole);
  });

  it('shows the place of a lot to members who may read it', async () => {
    expect((await admin.lots.byTlc(BAGS))['location']).toMatchObject({ city: 'Rotterdam' });
    const hidden = (await (await world.company('rice', 'farmA')).api.lots.byTlc(BAGS))['location'] as Json | null;
    expect(hidden?.['city']).toBeUndefined();
  });

  it('refuses a cursor of other filters', async () => {
    const { nextCursor } = await admin.get<{ nextCursor: string }>('/api/v1/nfts?limit=2');
    await expect(admin.get(`/api/v1/nfts?limit=2&status=active&cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
    await expect((await world.admin('wool')).get(`/api/v1/nfts?limit=2&cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
  });

  it.each([
    ['createdFrom=2026-02-02&createdTo=2026-01-01', 400],
    ['createdFrom=2026-01-01T00:00:00', 400],
    ['expiringBefore=soon', 400],
    ['recalled=maybe', 400],
    ['sort=price', 400],
    ['status=lost', 400],
    ['orgId=00000000-0000-4000-8000-000000000000', 404],
  ])('refuses %s', async (query, status) => {
    await expect(admin.get(`/api/v1/nfts?${query}`)).rejects.toMatchObject({ status });
  });
});

describe('containers in containers', () => {
  it('are walked in both directions until they are unpacked', async () => {
    const trade = await RiceTrade.of(world);
    const [bag, other] = (await trade.make([], 2)) as [number, number];
    const [carton] = (await trade.make([bag, other], 1, 1)) as [number];
    const [pallet] = (await trade.make([carton], 1, 1)) as [number];
    const read = (tokenId: number, path: string): Promise<Json> => admin.get(`/api/v1/nfts/${tokenId}/${path}`);
    const found = ({ nodes }: Json): unknown[] => (nodes as Json[]).map(({ tokenId, depth }) => [tokenId, depth]);
    const ids = (lots: Json[]): unknown[] => lots.map(({ tokenId }) => tokenId);

    const around = await read(bag, 'descendants');
    expect(found(around)).toEqual([
      [bag, 0],
      [carton, 1],
      [pallet, 2],
    ]);
    expect((around['edges'] as Json[]).map(({ from, to, kind }) => [from, to, kind])).toEqual([
      [bag, carton, 'containment'],
      [carton, pallet, 'containment'],
    ]);
    expect(found(await read(pallet, 'ancestry'))).toEqual([
      [pallet, 0],
      [carton, 1],
      [bag, 2],
      [other, 2],
    ]);
    expect(found(await read(pallet, 'ancestry?edges=transformation'))).toEqual([[pallet, 0]]);
    expect(ids((await read(pallet, 'relations'))['contents'])).toEqual([carton]);
    expect(await read(carton, 'relations')).toMatchObject({
      container: { tokenId: pallet },
      contents: [{ tokenId: bag }, { tokenId: other }],
    });

    const { blockNumber: packed } = await trade.lot(pallet);
    await trade.send([pallet], 0, 2);
    await eventually('the carton by itself', async () => (await trade.lot(carton))['containerTokenId'] === null || null);
    expect(await read(pallet, 'relations')).toMatchObject({ contents: [] });
    expect(await read(carton, 'relations')).toMatchObject({ container: null, contents: [{ tokenId: bag }, { tokenId: other }] });
    expect(await trade.lot(bag)).toMatchObject({ containerTokenId: carton, status: 'aggregated' });
    expect(ids((await read(pallet, `relations?asOf=${packed}`))['contents'])).toEqual([carton]);
  });
});
