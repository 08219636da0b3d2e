import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { World } from '../harness/world.js';

type Body = Record<string, any>;

const expected = (slug: string) =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.expected.json`, import.meta.url), 'utf8')) as {
    massBalance: {
      processType: string;
      inputKg: number;
      mainKg: number;
      coProductKg: number;
      lossKg: number;
      gap: number;
      yield: number;
    }[];
  };

const WOOL_PROCESSES = ['wool_classing', 'wool_garment_making', 'wool_scouring', 'wool_spinning', 'wool_weaving'];

describe('reports', () => {
  let world: World;
  let rice: TraceabilityClient;
  let wool: TraceabilityClient;
  const keys = new Map<TraceabilityClient, string>();

  beforeAll(async () => {
    world = await World.start();
    await Promise.all([world.play('rice'), world.play('wool')]);
    [rice, wool] = await Promise.all([world.admin('rice'), world.admin('wool')]);
    for (const admin of [rice, wool]) {
      const { secret } = await admin.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads tables', roles: ['COMPLIANCE'] });
      keys.set(admin, secret);
    }
  });
  afterAll(() => world?.close());

  const read = (client: TraceabilityClient, path: string): Promise<Body> => client.get<Body>(`/api/v1/reports/${path}`);
  const csv = async (client: TraceabilityClient, path: string): Promise<{ text: string; headers: Headers }> => {
    const answer = await fetch(`${world.baseUrl}/api/v1/reports/${path}`, { headers: { 'x-api-key': keys.get(client)! } });
    return { text: Buffer.from(await answer.arrayBuffer()).toString(), headers: answer.headers };
  };
  const orgIdOf = async (client: TraceabilityClient, name: string): Promise<string> =>
    (await client.get<{ data: { id: string; name: string }[] }>('/api/v1/organisations?limit=100')).data.find((one) => one.name === name)!
      .id;

  describe('yield', () => {
    it.each(['rice', 'wool'])('of %s is the golden one', async (slug) => {
      const report = await read(slug === 'rice' ? rice : wool, 'yield');
      const golden = expected(slug).massBalance;
      expect(report['processes'].map((one: Body) => one['processType']).toSorted()).toEqual(
        golden.map(({ processType }) => processType).toSorted(),
      );
      for (const { processType, inputKg, mainKg, coProductKg, lossKg, gap, ...wanted } of golden) {
        const found = report['processes'].find((one: Body) => one['processType'] === processType);
        expect(found).toMatchObject({
          n: 1,
          unmeasured: 0,
          inputKg,
          mainOutputKg: mainKg,
          coProductKg,
          declaredLossKg: lossKg,
          gapRatio: gap,
          yield: wanted.yield,
          distribution: { min: wanted.yield, median: wanted.yield, max: wanted.yield, mean: wanted.yield, sd: null },
          outlierCount: 0,
        });
        expect(found.byMonth).toHaveLength(1);
      }
      expect(report).toMatchObject({ report: 'yield', version: 1, tenantId: slug, orgId: null, truncated: false, nextCursor: null });
    });
  });

  describe('of any kind', () => {
    it('is a table with format=csv, every row of it, and a page of it with a limit', async () => {
      const whole = await csv(wool, 'yield?format=csv');
      expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(whole.headers.get('content-disposition')).toBe('attachment; filename="yield-wool.csv"');
      expect(whole.headers.get('link')).toBeNull();
      expect(whole.text.startsWith('\uFEFFprocessType,label,n,unmeasured,inputKg,')).toBe(true);
      expect(whole.text.endsWith('\r\n')).toBe(true);
      const lines = whole.text.trimEnd().split('\r\n');
      expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(WOOL_PROCESSES);
      const page = await csv(wool, 'yield?format=csv&limit=2&from=2026-01-01');
      expect(page.text.trimEnd().split('\r\n').slice(0, 3)).toEqual(lines.slice(0, 3));
      const next = /^<(\?.+)>; rel="next"$/.exec(page.headers.get('link')!)![1]!;
      const following = await csv(wool, `yield${next}`);
      expect(following.text.trimEnd().split('\r\n').slice(1)).toEqual(lines.slice(3, 5));
    });

    it('says what was left out, and goes on there', async () => {
      const first = await read(wool, 'yield?limit=2');
      expect(first).toMatchObject({ limit: 2, total: 5, truncated: true, summary: { processes: 5, n: 5 } });
      const second = await read(wool, `yield?limit=4&cursor=${first['nextCursor']}`);
      expect(second).toMatchObject({ truncated: false, nextCursor: null });
      expect([...first['processes'], ...second['processes']].map((one: Body) => one['processType'])).toEqual(WOOL_PROCESSES);
    });

    it('is the same again, but for the time', async () => {
      const { generatedAt: _, ...one } = await read(rice, 'yield');
      const { generatedAt: __, ...other } = await read(rice, 'yield');
      expect(one).toEqual(other);
      expect(one['asOf'].blockNumber).toBeGreaterThan(0);
    });

    it('is of the period that was asked for', async () => {
      const of = async (query: string): Promise<string[]> =>
        (await read(rice, `yield?${query}`))['processes'].map((one: Body) => one['processType']);
      expect(await of('from=2026-09-20T15:00:00Z&to=2026-09-21T06:00:00Z')).toEqual(['RICE_MILLING']);
      expect(await of('from=2026-09-20T15:00:00.001Z')).toEqual(['RICE_PACKING']);
      expect(await of('from=1000-01-01&to=2999-12-31')).toEqual(['RICE_DRYING', 'RICE_MILLING', 'RICE_PACKING']);
      expect(await read(rice, 'yield?from=2030-01-01')).toMatchObject({ processes: [], total: 0, summary: { processes: 0, n: 0 } });
    });

    it('is of one organisation', async () => {
      const [mill, farm] = await Promise.all([orgIdOf(rice, 'Example Mill'), orgIdOf(rice, 'Example Farm A')]);
      expect(await read(rice, `yield?orgId=${mill}`)).toMatchObject({ orgId: mill, summary: { n: 3 } });
      expect(await read(rice, `yield?orgId=${farm}`)).toMatchObject({ orgId: farm, processes: [] });
      await expect(read(wool, `yield?orgId=${mill}`)).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
      await expect(read(rice, 'yield?orgId=nobody')).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
    });

    it.each([
      ['yield?format=pdf', 'malformed_request'],
      ['yield?limit=0', 'malformed_request'],
      ['yield?limit=1001', 'malformed_request'],
      ['yield?from=yesterday', 'malformed_request'],
      ['yield?from=2026-09-20T15:00:00', 'malformed_request'],
      ['yield?from=2027-01-01&to=2026-01-01', 'malformed_request'],
      ['yield?cursor=x', 'malformed_request'],
    ])('refuses %s', async (path, code) => {
      await expect(read(rice, path)).rejects.toMatchObject({ status: 400, code });
    });

    it('refuses the cursor of another question, and knows no other report', async () => {
      const { nextCursor } = await read(wool, 'yield?limit=2');
      await expect(read(wool, `yield?from=2026-01-01&cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
      await expect(read(rice, `yield?cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
      await expect(read(rice, 'profits')).rejects.toMatchObject({ status: 404, code: 'route_not_found' });
    });

    it('is for those who may read it, with a bearer or a key', async () => {
      const mill = await orgIdOf(rice, 'Example Mill');
      const key = async (body: object) => {
        const { secret } = await rice.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads reports', ...body });
        return (path: string) => fetch(`${world.baseUrl}/api/v1/reports/${path}`, { headers: { 'x-api-key': secret } });
      };
      const [auditor, operator, admin] = [
        await key({ roles: ['AUDITOR'] }),
        await key({ roles: ['OPERATOR'] }),
        await key({ roles: ['ADMIN'], orgId: mill }),
      ];
      expect(await (await auditor('yield')).json()).toMatchObject({ orgId: null, summary: { n: 3 } });
      expect((await operator('yield')).status).toBe(403);
      expect(await (await admin('yield')).json()).toMatchObject({ orgId: mill, summary: { n: 3 } });
      const other = await admin(`yield?orgId=${await orgIdOf(rice, 'Example Farm A')}`);
      expect([other.status, ((await other.json()) as Body)['code']]).toEqual([403, 'own_organisation_only']);
      const scoped = await key({ roles: ['AUDITOR'], roleScopes: { AUDITOR: ['*_MILLING'] } });
      expect(await (await scoped('yield')).json()).toMatchObject({ processes: [{ processType: 'RICE_MILLING' }], total: 1 });
      expect(await (await (await key({ roles: ['AUDITOR'], roleScopes: { AUDITOR: [] } }))('yield')).json()).toMatchObject({
        processes: [],
      });
    });
  });
});
