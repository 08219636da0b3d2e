import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json, PreparedTx, TraceabilityClient } from '#client';
import { addressOf } from '#content-storage';
import { verifyBundle } from '#passports';
import { type SystemTx, UnitOfWork } from '#persistence';
import { processMapTemplate } from '#traceability';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { World } from '../harness/world.js';
import { restrictedValues } from './restricted-values.js';

interface Opened {
  readonly version: number;
  readonly block: string;
  readonly state: string;
  readonly content: { readonly metadata?: Json };
  readonly classes: readonly string[];
}
interface Disclosed {
  readonly block: string;
  readonly disclosures: readonly { readonly bytes: string; readonly index: number; readonly path: readonly string[] }[];
}

const PLAYED = ['rice', 'wool'] as const;

describe('contents', () => {
  let world: World;
  let admin: TraceabilityClient;
  let farm: TraceabilityClient;
  let mill: TraceabilityClient;
  let harvest: { readonly id: string; readonly ipfsCid: string; readonly dataHash: string };

  beforeAll(async () => {
    world = await World.start();
    for (const slug of PLAYED) await world.play(slug);
    admin = await world.admin('rice');
    farm = (await world.company('rice', 'farmA')).api;
    mill = (await world.company('rice', 'mill')).api;
    const { data } = await farm.events.list({ processType: 'RICE_HARVESTING' });
    const contents = await Promise.all(data.map(async (event) => ({ event, ...(await opened(farm, event.id as string)) })));
    harvest = contents.find(({ classes }) => classes.length > 0)!.event as unknown as typeof harvest;
  });
  afterAll(() => world?.close());

  const blocks = (): Buffer[] => {
    const folder = join(world.environment.DATA_DIR!, 'content');
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  };
  const system = <T>(work: (tx: SystemTx) => Promise<T>): Promise<T> => world.service.app.get(UnitOfWork, { strict: false }).asSystem(work);
  const opened = (api: TraceabilityClient, id = harvest.id): Promise<Opened> => api.get<Opened>(`/api/v1/events/${id}/content/opened`);
  const disclosed = (api: TraceabilityClient, pointers: string): Promise<Disclosed> =>
    api.get<Disclosed>(`/api/v1/events/${harvest.id}/disclosures?pointers=${encodeURIComponent(pointers)}`);
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => null,
      ({ status, code, errors }: { status: number; code: string; errors?: readonly Json[] }) => ({ status, code, errors }),
    );

  it('of the sample chains show no value in the store that a process map does not call public', async () => {
    // Words of a process map, published as it is, are no values of events.
    const maps = PLAYED.map((slug) => JSON.stringify(processMapTemplate(slug))).join('');
    const stored = blocks();
    // A file may hold many blocks.
    const events = stored.map((file) => file.toString());
    expect(events.flatMap((text) => text.match(/"v":2/g)).length).toBeGreaterThan(20);
    // Codes are in the clear, wherever else they are said: the chain has their hashes.
    const lots = await system((tx) => tx.sql<{ tlc: string }>('select distinct tlc from traceability.lot_v1'));
    const codes = new Set(lots.map(({ tlc }) => tlc));
    const isSecret = (value: string): boolean => value.length >= 6 && !maps.includes(value) && !codes.has(value);
    for (const slug of PLAYED) {
      const values = restrictedValues(slug, readScenario(slug), []).filter(isSecret);
      expect(values.length).toBeGreaterThan(20);
      expect(values.filter((value) => events.some((text) => text.includes(value)))).toEqual([]);
    }
  });

  it('are read by class: whole by who recorded them, in public words by others of the tenant', async () => {
    const [own, others] = await Promise.all([opened(farm), opened(mill)]);
    const { metadata } = await farm.get<{ metadata: Json }>(`/api/v1/events/${harvest.id}`);
    expect(own).toMatchObject({ version: 2, state: 'open', content: { metadata }, classes: ['personal', 'restricted'] });
    expect(addressOf(Buffer.from(own.block))).toEqual({ cid: harvest.ipfsCid, dataHash: harvest.dataHash });
    expect(others).toMatchObject({ block: own.block, state: 'open', classes: [] });
    expect(Object.keys(others.content.metadata!).toSorted()).toEqual(['harvestedOn', 'location', 'season', 'variety', 'waterRegime']);
  });

  it('disclose one value with a proof that anybody checks, and no other value', async () => {
    const file = await disclosed(farm, '/metadata/plot/id');
    const report = await verifyBundle(JSON.stringify(file));
    expect([report.ok, report.links.map(({ link, state }) => `${link}: ${state}`)]).toEqual([true, ['block: ok', 'value ↔ root: ok']]);
    expect(report.links[1]!.detail).toMatch(/^The recorder committed to this value: \/metadata\/plot\/id is /);
    const { content } = await opened(farm);
    const { harvester } = content.metadata as unknown as { harvester: { name: string } };
    expect(JSON.stringify(file)).not.toContain(harvester.name);
    const [one] = file.disclosures;
    const forged = { ...one!, bytes: one!.bytes.replace(/"[^"]*"\]$/, '"Z9"]') };
    for (const disclosures of [[forged], [{ ...one!, index: one!.index ^ 1 }], [{ ...one!, path: one!.path.slice(1) }]])
      expect((await verifyBundle(JSON.stringify({ ...file, disclosures }))).ok).toBe(false);
    expect((await verifyBundle(JSON.stringify({ ...file, block: file.block.replace('"v":2', '"v":1') }))).ok).toBe(false);
  });

  it('disclose all that is sealed, where no pointer is named', async () => {
    const file = await farm.get<Disclosed>(`/api/v1/events/${harvest.id}/disclosures`);
    expect(file.disclosures.length).toBeGreaterThan(10);
    expect((await verifyBundle(JSON.stringify(file))).ok).toBe(true);
  });

  it('disclose nothing to who may not read it, and nothing that is not sealed', async () => {
    expect(await refusal(disclosed(mill, '/metadata/plot'))).toMatchObject({ status: 403, code: 'content_restricted' });
    expect(await refusal(disclosed(farm, '/metadata/variety,/metadata/plot,/nothing'))).toMatchObject({
      status: 422,
      errors: [{ pointer: '/metadata/variety', code: 'nothing_sealed' }, { pointer: '/nothing' }],
    });
    expect(await refusal(disclosed(farm, 'metadata'))).toMatchObject({ status: 400 });
  });

  it('of a tenant that chose open ones have everything in the clear and nothing to erase; they are sealed again when it chooses so', async () => {
    const company = await world.company('rice', 'farmA');
    const stages = readScenario('rice').steps as unknown as { readonly processType?: string; readonly metadata: Json }[];
    const { metadata } = stages.find(({ processType }) => processType === 'RICE_HARVESTING')!;
    const prepare = (outputTlc: string) =>
      company.api.post<Json>('/api/v1/events/prepare', { processType: 'RICE_HARVESTING', outputTlc, metadata });
    await admin.request('PATCH', '/api/v1/rules', { contents: 'open' });
    const open = await prepare('RH-20261130-O1');
    await company.land(open['preparedTx'] as PreparedTx, 'open');
    await admin.request('PATCH', '/api/v1/rules', { contents: 'sealed' });
    const sealed = await prepare('RH-20261130-O2');
    const openId = open['eventId'] as string;
    const { version, block, state, classes } = await opened(farm, openId);
    expect([version, state, classes]).toEqual([2, 'open', []]);
    expect(JSON.parse(block)).toMatchObject({ v: 2, root: null, leaves: 0, public: { metadata } });
    expect(await refusal(admin.post('/api/v1/privacy/erasures', { eventId: openId, pointers: ['/metadata/plot'] }))).toMatchObject({
      status: 422,
      code: 'not_erasable',
    });
    const { status } = await admin.get<{ status: string }>(`/api/v1/events/${openId}/verify`);
    expect(status).toBe('ok');
    expect((await admin.get<Json>(`/api/v1/events/${openId}`))['contentState']).toBe('open');
    expect(JSON.parse((await opened(farm, sealed['eventId'] as string)).block).public.metadata).not.toHaveProperty('plot');
  });

  it('stay readable in what was public when their keys are gone, and verify says what it cannot compare', async () => {
    const keys = await system((tx) => tx.sql('delete from keys.content_key where cid = $1 returning *', [harvest.ipfsCid]));
    expect(keys).toHaveLength(1);
    expect(await opened(farm)).toMatchObject({ state: 'sealed_elsewhere', classes: [], content: { processType: 'RICE_HARVESTING' } });
    const { status, links } = await admin.get<{ status: string; links: { link: string; status: string }[] }>(
      `/api/v1/events/${harvest.id}/verify`,
    );
    expect([status, links.filter((link) => link.status !== 'ok').map(({ link, status: state }) => `${link}: ${state}`)]).toEqual([
      'sealed',
      ['record_content: sealed', 'content_sender: sealed'],
    ]);
    expect(await refusal(disclosed(farm, '/metadata/plot'))).toMatchObject({ status: 422 });
  });

  it('are sealed for their tenant: no tenant reads the keys of another one', async () => {
    const rows = await system((tx) =>
      tx.sql<{ tenants: number; keys: number }>(
        'select count(distinct tenant_id)::int as tenants, count(*)::int as keys from keys.content_key',
      ),
    );
    expect(rows[0]!.tenants).toBe(2);
    const wool = await world.admin('wool');
    expect(await refusal(opened(wool))).toMatchObject({ status: 404 });
  });
});
