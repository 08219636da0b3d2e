import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import type { TraceabilityClient } from '#client';
import { newId } from '#kernel';
import { Company } from '../../apps/cli/src/demo/company.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';

type Json = Record<string, any>;
interface Golden {
  readonly recalls: Record<
    string,
    { descendants: { tlc: string; relation: string }[]; unitsByLot: Record<string, number>; estimatedUnits: number }
  >;
}
const golden = (slug: string): Golden =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.golden.json`, import.meta.url), 'utf8')) as Golden;

let world: World;
const admins: Record<string, Company> = {};
let farmA: Company;
let mill: Company;

beforeAll(async () => {
  world = await World.start();
  await Promise.all([world.play('rice'), world.play('wool')]);
  for (const slug of ['rice', 'wool']) admins[slug] = await administrator(slug);
  [farmA, mill] = await Promise.all([world.company('rice', 'farmA'), world.company('rice', 'mill')]);
}, 240_000);
afterAll(() => world?.close());

/** A tenant's administrator with the wallet. */
function administrator(slug: string): Promise<Company> {
  const tenant = world.tenant(slug);
  const { address } = new Wallet(tenant.admin.privateKey);
  const [anyone] = Object.values(tenant.actors);
  return Company.join(world.demo, { ...tenant, actors: { admin: { ...tenant.admin, address, orgId: anyone!.orgId } } }, 'admin', 'admin');
}

const rice = (): TraceabilityClient => admins['rice']!.api;
const tokenOf = async (client: TraceabilityClient, tlc: string): Promise<number> => Number((await client.lots.byTlc(tlc)).tokenId);
const impactOf = (client: TraceabilityClient, tokenId: number, query = ''): Promise<Json> =>
  client.get(`/api/v1/nfts/${tokenId}/recall-impact${query}`);
const prepare = (company: Company, tokenId: number, body: object): Promise<Json> =>
  company.api.post(`/api/v1/nfts/${tokenId}/recall/prepare`, body);
const codeOf = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => 'taken',
    (problem: { status: number; code: string; body: Json }) =>
      problem.body['errors']
        ? (problem.body['errors'] as Json[]).map(({ code }) => code as string).join()
        : `${problem.status} ${problem.code}`,
  );

let harvests = 0;
const metadataOf = (processType: string): Json =>
  (readScenario('rice').steps as unknown as { processType?: string; metadata: Json }[]).find((step) => step.processType === processType)!
    .metadata;
const harvestMetadata = (): Json => metadataOf('RICE_HARVESTING');
async function harvest(): Promise<{ tokenId: number; tlc: string }> {
  const tlc = `RH-20261101-R${++harvests}`;
  const { preparedTx } = await farmA.api.post<Json>('/api/v1/events/prepare', {
    processType: 'RICE_HARVESTING',
    outputTlc: tlc,
    metadata: harvestMetadata(),
  });
  await farmA.land(preparedTx, 'test');
  return { tokenId: await tokenOf(rice(), tlc), tlc };
}

/** Dries what farm A harvested and gave to the mill. */
async function dry(inputs: readonly { tokenId: number; tlc: string }[]): Promise<Json> {
  const metadata = { ...metadataOf('RICE_DRYING') };
  metadata['inputs'] = inputs.map(({ tlc }) => ({ tlc, quantity: { value: 8000, uom: 'KGM' } }));
  metadata['quantity'] = { value: 7000 * inputs.length, uom: 'KGM' };
  metadata['losses'] = [{ kind: 'moisture', quantity: { value: 1000 * inputs.length, uom: 'KGM' } }];
  return mill.api.post('/api/v1/events/prepare', {
    processType: 'RICE_DRYING',
    inputTokenIds: inputs.map(({ tokenId }) => tokenId),
    outputTlc: `RD-20261102-R${inputs[0]!.tokenId}`,
    metadata,
  });
}

async function handOver(tokenIds: readonly number[]): Promise<void> {
  await farmA.land((await farmA.api.post<Json>('/api/v1/custody/prepare', { tokenIds, to: mill.address }))['preparedTx'], 'test');
  await mill.land((await mill.api.post<Json>('/api/v1/custody/prepare', { action: 'accept', tokenIds }))['preparedTx'], 'test');
}

describe('what a recall would reach', () => {
  it.each(['rice', 'wool'])('of %s is the golden result', async (slug) => {
    const { api } = admins[slug]!;
    for (const [tlc, wanted] of Object.entries(golden(slug).recalls)) {
      const impact = await impactOf(api, await tokenOf(api, tlc));
      const reached = [
        ...(impact['descendants'] as Json[]).map(({ tlc: code, relation }) => ({ tlc: code as string, relation: relation as string })),
        ...(impact['containers'] as Json[]).map(({ tlc: code }) => ({ tlc: code as string, relation: 'container' })),
      ];
      const byCode = (list: readonly { tlc: string }[]) => list.toSorted((a, b) => (a.tlc < b.tlc ? -1 : 1));
      expect([tlc, byCode(reached)]).toEqual([tlc, byCode(wanted.descendants)]);
      expect([tlc, impact['estimatedUnits']]).toEqual([tlc, wanted.estimatedUnits]);
      expect((impact['unitsByAssetType'] as Json[]).reduce((sum, { units }) => sum + Number(units), 0)).toBe(wanted.estimatedUnits);
    }
  });

  it('has the fields of the specification, and says who, how much, where and how sure', async () => {
    const impact = await impactOf(rice(), await tokenOf(rice(), 'RD-20260917-01'));
    const { actors } = world.tenant('rice');
    const lot = (impact['descendants'] as Json[]).find(({ tlc }) => tlc === 'RP262641')!;
    for (const field of 'id tokenId tenantId tlc assetType assetTypeName processMapName status custodian custodianLabel custodianLabelKind metadataCid metadata txHash blockNumber dataHash expiresAt pendingCustodian mintEventId eventCount createdAt'.split(
      ' ',
    ))
      expect(lot).toHaveProperty(field);
    expect(lot).toMatchObject({ relation: 'transformed', depth: 2, share: 0.663258 });
    expect(impact['affectedActors']).toEqual([actors['mill']!.address, actors['dist']!.address].toSorted());
    expect((impact['actors'] as Json[]).find(({ address }) => address === actors['dist']!.address)).toMatchObject({
      label: 'Example Distributor',
      did: `did:pkh:eip155:31337:${actors['dist']!.address}`,
      roles: ['custodian'],
    });
    expect(impact).toMatchObject({
      countries: ['VN'],
      quantities: { H87: 1400, KGM: 1401 },
      truncated: false,
      truncatedBy: null,
      frontier: [],
      nextCursor: null,
      asOf: { block: expect.any(Number) },
      elapsedMs: expect.any(Number),
      reconciliation: { total: { accountedPercent: 100, unaccountedKg: 0 } },
    });
    const dried = (impact['reconciliation']['lots'] as Json[]).find(({ producedKg }) => producedKg === 10775);
    expect(dried).toMatchObject({ usedKg: 10560, lossKg: 215, onHandKg: 0, accountedPercent: 100 });
  });

  it('is cut at the bounds, says so, and goes on exactly there', async () => {
    const root = await tokenOf(rice(), 'RH-20260915-A1');
    const whole = await impactOf(rice(), root);
    const pages = [await impactOf(rice(), root, '?maxNodes=3')];
    expect(pages[0]).toMatchObject({ truncated: true, truncatedBy: 'maxNodes' });
    while (pages.at(-1)!['nextCursor'] !== null)
      pages.push(await impactOf(rice(), root, `?maxNodes=3&cursor=${pages.at(-1)!['nextCursor']}`));
    const all = (field: string): number[] => pages.flatMap((page) => (page[field] as Json[]).map(({ tokenId }) => tokenId as number));
    expect(all('descendants')).toEqual((whole['descendants'] as Json[]).map(({ tokenId }) => tokenId as number));
    expect(all('containers')).toEqual((whole['containers'] as Json[]).map(({ tokenId }) => tokenId as number));
    expect(pages.reduce((sum, { estimatedUnits }) => sum + Number(estimatedUnits), 0)).toBe(whole['estimatedUnits']);
  });

  it('as of an earlier block is what it was', async () => {
    const { tokenId } = await rice().lots.byTlc('RD-20260917-01');
    const { blockNumber } = await rice().lots.byTlc('RM-20260920-01');
    const before = await impactOf(rice(), Number(tokenId), `?asOf=${Number(blockNumber) - 1}`);
    expect(before).toMatchObject({ descendants: [], containers: [], estimatedUnits: 1 });
  });

  it.each(['?maxDepth=0', '?maxDepth=201', '?maxNodes=20001', '?asOf=-1', '?cursor=WyJ4Il0'])('refuses %s', async (query) => {
    await expect(impactOf(rice(), await tokenOf(rice(), 'RD-20260917-01'), query)).rejects.toMatchObject({ status: 400 });
  });

  it('refuses a cursor that was changed to walk without an end', async () => {
    const root = await tokenOf(rice(), 'RH-20260915-A1');
    const { nextCursor } = await impactOf(rice(), root, '?maxNodes=3');
    const place = JSON.parse(Buffer.from(nextCursor as string, 'base64url').toString()) as string[];
    for (const depth of ['0', '2000000000', '999999999999999']) {
      const changed = Buffer.from(JSON.stringify([...place.slice(0, -1), depth])).toString('base64url');
      await expect(impactOf(rice(), root, `?maxNodes=3&cursor=${changed}`)).rejects.toMatchObject({ status: 400 });
    }
  });

  it('is not told of a lot of another tenant', async () => {
    const lot = await tokenOf(rice(), 'RP262641');
    await expect(impactOf(admins['wool']!.api, lot + 700)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
  });
});

describe('a recall', () => {
  const said = { reason: 'Aflatoxin', recallClass: 'I', depth: 'consumer', reference: 'R-7', instructions: 'Bring it back.' };

  it('is for the administrator, of a lot of the own tenant, with a reason', async () => {
    const lot = await tokenOf(rice(), 'RM-20260920-01B');
    expect(await codeOf(prepare(mill, lot, said))).toBe('403 role_required');
    expect(await codeOf(prepare(admins['rice']!, lot + 5000, said))).toBe('404 lot_not_found');
    expect(await codeOf(prepare(admins['rice']!, lot, {}))).toBe('required');
    expect(await codeOf(prepare(admins['rice']!, lot, { ...said, recallClass: 'IV' }))).toBe('not_allowed');
    expect(await codeOf(prepare(admins['rice']!, lot, { ...said, price: 3 }))).toBe('unknown_field');
  });

  it('flags what was minted after it was prepared, and the record says so', async () => {
    const lots = [await harvest(), await harvest()];
    await handOver(lots.map(({ tokenId }) => tokenId));
    const root = lots[0]!;
    const prepared = await prepare(admins['rice']!, root.tokenId, said);
    expect(prepared).toMatchObject({ metadata: { method: 'recall', affectedCount: 0, propagation: 'flag' } });
    expect(prepared['preparedTxs']).toBeUndefined();

    // The graph grows before the recall lands.
    const drying = await dry([root]);
    await mill.land(drying['preparedTx'], 'test');
    await admins['rice']!.land(prepared['preparedTx'], 'test');
    expect(await rice().lots.byTlc(drying['outputTlc'] as string)).toMatchObject({ recalled: false, recallAffected: true });

    const [recall] = (await rice().get<{ data: Json[] }>('/api/v1/recalls')).data;
    expect(recall).toMatchObject({ ...said, propagation: 'flag', open: true, affectedCount: 1, affectedWhenPrepared: 0, resolved: true });
    expect(await rice().get(`/api/v1/recalls/${recall!['id']}`)).toEqual(recall);
    expect(await codeOf(prepare(admins['rice']!, root.tokenId, said))).toBe('409 already_recalled');

    // And after it.
    const later = await harvest();
    await handOver([later.tokenId]);
    const mixed = await dry([later]);
    expect(
      await codeOf(
        mill.api.post('/api/v1/events/validate', {
          processType: 'RICE_DRYING',
          inputTokenIds: [root.tokenId],
          outputTlc: 'X-1',
          metadata: harvestMetadata(),
        }),
      ),
    ).toBe('taken');
    await mill.land(mixed['preparedTx'], 'test');
    expect(await rice().lots.byTlc(mixed['outputTlc'] as string)).toMatchObject({ recallAffected: false });
  });

  it('of a used lot is refused as an input, and its lots may go back or be destroyed', async () => {
    const { tokenId, tlc } = await harvest();
    await handOver([tokenId]);
    await admins['rice']!.land((await prepare(admins['rice']!, tokenId, said))['preparedTx'], 'test');
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'recalled' });
    expect(await codeOf(dry([{ tokenId, tlc }]))).toContain('lot_recalled');
    expect(await codeOf(mill.api.post('/api/v1/custody/prepare', { tokenId, to: farmA.address }))).toBe('lot_recalled');
  });

  it('can be lifted, and set again', async () => {
    const { tokenId, tlc } = await harvest();
    const lift = (): Promise<Json> => rice().post(`/api/v1/nfts/${tokenId}/recall/lift/prepare`, { reason: 'Wrong lot' });
    expect(await codeOf(lift())).toBe('409 not_recalled');
    await admins['rice']!.land((await prepare(admins['rice']!, tokenId, said))['preparedTx'], 'test');
    await admins['rice']!.land((await lift())['preparedTx'], 'test');
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'active', recalled: false });
    const closed = (await rice().get<{ data: Json[] }>('/api/v1/recalls?open=false')).data;
    expect(closed[0]).toMatchObject({ open: false, affectedCount: 0, lots: [{ tokenId, liftedBy: admins['rice']!.address }] });
    await admins['rice']!.land((await prepare(admins['rice']!, tokenId, said))['preparedTx'], 'test');
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'recalled' });
    expect(await codeOf(farmA.api.post(`/api/v1/nfts/${tokenId}/recall/lift/prepare`, { reason: 'x' }))).toBe('403 role_required');
  });

  it('with propagation `recall` takes every live affected lot, and prepared again only the rest', async () => {
    const root = await harvest();
    await handOver([root.tokenId]);
    const drying = await dry([root]);
    await mill.land(drying['preparedTx'], 'test');
    const dried = await tokenOf(rice(), drying['outputTlc'] as string);
    // A part of it has landed already: the root alone.
    await admins['rice']!.land((await prepare(admins['rice']!, root.tokenId, { ...said, propagation: 'none' }))['preparedTx'], 'test');
    const rest = await prepare(admins['rice']!, root.tokenId, { ...said, propagation: 'recall' });
    expect(rest['metadata']).toMatchObject({ method: 'recall', tokenIds: [dried], affectedCount: 1 });
    await admins['rice']!.land(rest['preparedTx'], 'test');
    expect(await rice().lots.byTlc(drying['outputTlc'] as string)).toMatchObject({ status: 'recalled' });
    expect(await codeOf(prepare(admins['rice']!, root.tokenId, { ...said, propagation: 'recall' }))).toBe('409 already_recalled');
  });

  it('with propagation `hold` holds what it affects, and what is made of that, until one call releases it', async () => {
    const [root, other] = [await harvest(), await harvest()];
    await handOver([root.tokenId, other.tokenId]);
    const drying = await dry([root]);
    await mill.land(drying['preparedTx'], 'test');
    const driedTlc = drying['outputTlc'] as string;
    await admins['rice']!.land((await prepare(admins['rice']!, root.tokenId, { ...said, propagation: 'hold' }))['preparedTx'], 'test');
    expect(await rice().lots.byTlc(driedTlc)).toMatchObject({ status: 'on_hold', onHold: true, recallAffected: true });
    const dried = await tokenOf(rice(), driedTlc);
    expect(await codeOf(mill.api.post('/api/v1/custody/prepare', { tokenId: dried, to: farmA.address }))).toBe('lot_on_hold');
    const milling = metadataOf('RICE_MILLING');
    const use = {
      processType: 'RICE_MILLING',
      inputTokenIds: [dried],
      outputTlc: `RM-${dried}`,
      metadata: { ...milling, inputs: [{ tlc: driedTlc, quantity: { value: 7000, uom: 'KGM' } }] },
    };
    const { errors } = await mill.api.post<{ errors: string[] }>('/api/v1/events/validate', use);
    expect(errors.join()).toContain('is on hold');

    const [recall] = (await rice().get<{ data: Json[] }>('/api/v1/recalls')).data;
    expect(await rice().post(`/api/v1/recalls/${recall!['id']}/release`)).toEqual({ released: 1 });
    expect(await rice().lots.byTlc(driedTlc)).toMatchObject({ status: 'active', onHold: false });
    expect(await codeOf(rice().post(`/api/v1/recalls/${newId()}/release`))).toBe('404 recall_not_found');
  });

  it('is told by a webhook once, with all that it reaches', async () => {
    const { id } = await admins['wool']!.api.webhooks.create(world.sink.url('/recall'), ['nft.recalled']);
    const [tlc, wanted] = Object.entries(golden('wool').recalls)[0]!;
    const root = await tokenOf(admins['wool']!.api, tlc);
    await admins['wool']!.land((await prepare(admins['wool']!, root, said))['preparedTx'], 'test');
    const [delivery] = await eventually('the webhook', () => {
      const found = world.sink.at('/recall').filter(({ headers }) => headers['x-webhook-event'] === 'nft.recalled');
      return found.length > 0 && found;
    });
    const { data } = JSON.parse(delivery!.body.toString()) as { data: Json };
    expect(data).toMatchObject({ tlc, estimatedUnits: wanted.estimatedUnits, affectedTruncated: false, reason: 'Aflatoxin' });
    expect(data['affectedActors'].length).toBeGreaterThan(1);
    await admins['wool']!.api.webhooks.delete(id);
  });
});

describe('a hold', () => {
  const hold = (company: Company, tokenId: number, body: object = { reason: 'Lab result due' }): Promise<Json> =>
    company.api.post(`/api/v1/nfts/${tokenId}/hold`, body);
  const release = (company: Company, tokenId: number): Promise<Json> => company.api.post(`/api/v1/nfts/${tokenId}/release`);

  it('stops a lot until it is released, however often it was placed', async () => {
    const { tokenId, tlc } = await harvest();
    expect(await codeOf(release(admins['rice']!, tokenId))).toBe('409 not_held');
    expect(await hold(admins['rice']!, tokenId)).toEqual({ tokenId, onHold: true });
    await hold(admins['rice']!, tokenId);
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'on_hold' });
    expect(await codeOf(farmA.api.post('/api/v1/custody/prepare', { tokenId, to: mill.address }))).toBe('lot_on_hold');
    expect(await release(admins['rice']!, tokenId)).toEqual({ tokenId, onHold: false });
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'active' });
    await hold(admins['rice']!, tokenId);
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'on_hold' });
  });

  it('is refused without a reason, of an unknown lot, and by an operator', async () => {
    const { tokenId } = await harvest();
    expect(await codeOf(hold(admins['rice']!, tokenId, {}))).toBe('required');
    expect(await codeOf(hold(admins['rice']!, 99_999))).toBe('404 lot_not_found');
    expect(await codeOf(hold(farmA, tokenId))).toBe('403 role_required');
    expect(await codeOf(release(farmA, tokenId))).toBe('403 role_required');
  });
});

describe('a drill', () => {
  const run = (body: object = {}): Promise<Json> => rice().post('/api/v1/recall/drills', body);

  it('on a given lot traces back and forward, balances, and scores', async () => {
    const drill = await run({ tokenId: await tokenOf(rice(), 'RM-20260920-01') });
    expect(drill).toMatchObject({
      tlc: 'RM-20260920-01',
      drawn: false,
      report: {
        traceBack: { lots: 3, depth: 2, truncated: false },
        traceForward: { lots: 1, depth: 2, truncated: false },
        massBalance: { accountedPercent: 100, unaccountedKg: 0, unmeasuredLots: 0 },
        custodians: { unreachable: [] },
        estimatedUnits: 1400,
        parts: { traceBack: 1, traceForward: 1, massBalance: 1, custodians: 1, time: 1 },
      },
    });
    expect(drill['score']).toBeGreaterThan(90);
    expect(await rice().get(`/api/v1/recall/drills/${drill['id']}`)).toEqual(drill);
    const { data, total } = await rice().get<{ data: Json[]; total: number }>('/api/v1/recall/drills');
    expect([data[0], total]).toEqual([drill, 1]);
  });

  it('can be downloaded as a table that no spreadsheet takes for a formula', async () => {
    const [drill] = (await rice().get<{ data: Json[] }>('/api/v1/recall/drills')).data;
    const { email, password } = world.tenant('rice').admin;
    const login = await accessToken(email, password);
    const response = await fetch(`${world.baseUrl}/api/v1/recall/drills/${drill!['id']}?format=csv`, {
      headers: { authorization: `Bearer ${login}` },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toBe('section,item,value,unit');
    expect(lines).toContain('recall,estimatedUnits,1400,units');
    expect(lines).toContain('massBalance,accountedPercent,100,%');
  });

  it('draws a live lot when none is given', async () => {
    const { drawn, tokenId } = await run();
    expect(drawn).toBe(true);
    expect(await rice().get(`/api/v1/nfts/${tokenId}`)).toMatchObject({ isContainer: false, retireReason: null });
  });

  it('is refused on an unknown lot, by an operator, and is not there for another tenant', async () => {
    expect(await codeOf(run({ tokenId: 99_999 }))).toBe('404 lot_not_found');
    expect(await codeOf(run({ tokenId: 'one' }))).not.toBe('taken');
    expect(await codeOf(farmA.api.post('/api/v1/recall/drills', {}))).toBe('403 role_required');
    const [drill] = (await rice().get<{ data: Json[] }>('/api/v1/recall/drills')).data;
    expect(await codeOf(admins['wool']!.api.get(`/api/v1/recall/drills/${drill!['id']}`))).toBe('404 drill_not_found');
  });
});

async function accessToken(email: string, password: string): Promise<string> {
  const response = await fetch(`${world.baseUrl}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, tenantId: 'rice' }),
  });
  return ((await response.json()) as Json)['accessToken'] as string;
}
