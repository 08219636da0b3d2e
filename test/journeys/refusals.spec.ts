import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpc } from '#chain';
import type { ApiProblem, TraceabilityClient } from '#client';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { type ScenarioEvent, readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';
import { urlOf } from '../harness/url-of.js';
import { World } from '../harness/world.js';

const steps = readScenario('rice').steps.filter((step): step is ScenarioEvent => 'processType' in step);
const [harvest, , drying] = steps as [ScenarioEvent, ScenarioEvent, ScenarioEvent];

describe('the service refuses', () => {
  let world: World;
  let node: LyingRpc;
  let farm: Company;
  let mill: Company;
  let admin: TraceabilityClient;
  /** A landed harvest at the mill, offered and accepted. */
  let paddy: number;
  const fresh = { processType: harvest.processType, outputTlc: 'RH-20260915-NEW', metadata: harvest.metadata };

  beforeAll(async () => {
    world = await World.start({}, undefined, urlOf, async (nodeUrl) => {
      node = await LyingRpc.before(nodeUrl);
      return node.url;
    });
    [farm, mill, admin] = await Promise.all([world.company('rice', 'farmA'), world.company('rice', 'mill'), world.admin('rice')]);
    await world.play('rice', 3);
    await world.play('wool', 1);
    paddy = (await admin.lots.byTlc('RH-20260915-A1')).tokenId;
  });
  afterAll(async () => {
    await world.close();
    await node.close();
  });

  /** The refusal, after checking that it left no trace. */
  async function refused(call: () => Promise<unknown>): Promise<{ status: number; code: string; pointers: string[] }> {
    const before = { blocks: world.storedBlocks(), events: (await admin.events.list({ status: 'all', limit: 1 })).total };
    const problem = await call().then(
      (answer) => {
        throw new Error(`was not refused: ${JSON.stringify(answer)}`);
      },
      (error: ApiProblem) => error,
    );
    expect({ blocks: world.storedBlocks(), events: (await admin.events.list({ status: 'all', limit: 1 })).total }).toEqual(before);
    return { status: problem.status, code: problem.code, pointers: (problem.errors ?? []).map(({ pointer }) => pointer) };
  }
  const withMetadata = (metadata: object): object => ({ ...fresh, metadata: { ...harvest.metadata, ...metadata } });
  const prepare = (event: object, by = farm) => refused(() => by.api.post('/api/v1/events/prepare', event));
  const drySome = (value: number): object => ({
    ...drying,
    actor: undefined,
    inputTlcs: undefined,
    inputTokenIds: [paddy],
    metadata: { ...drying.metadata, inputs: [{ tokenId: paddy, quantity: { value, uom: 'KGM' } }] },
  });

  it('a field that no request has', async () => {
    expect(await prepare({ ...fresh, colour: 'green' })).toEqual({ status: 400, code: 'malformed_request', pointers: ['/colour'] });
  });

  it('a body that is an array, no JSON, or too large', async () => {
    const send = async (body: string): Promise<{ status: number; code: string }> => {
      const { accessToken } = (await (
        await fetch(`${world.baseUrl}/api/v2/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: world.tenant('rice').actors.farmA!.email, password: world.tenant('rice').actors.farmA!.password }),
        })
      ).json()) as { accessToken: string };
      const response = await fetch(`${world.baseUrl}/api/v1/events/prepare`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
        body,
      });
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      return { status: response.status, code: ((await response.json()) as { code: string }).code };
    };
    expect(await send('[]')).toMatchObject({ status: 400 });
    expect(await send('{"processType":')).toMatchObject({ status: 400 });
    expect(await send(JSON.stringify(withMetadata({ notes: 'x'.repeat(1_100_000) })))).toMatchObject({ status: 413 });
  });

  it('a required key that is missing, by its pointer', async () => {
    const { variety: _, ...rest } = harvest.metadata;
    expect(await prepare({ ...fresh, metadata: rest })).toMatchObject({
      status: 422,
      code: 'invalid_content',
      pointers: ['/metadata/variety'],
    });
  });

  it('a lot that does not exist or is of another tenant', async () => {
    expect(
      await prepare(
        {
          ...drySome(1),
          inputTokenIds: [999_999],
          metadata: { ...drying.metadata, inputs: [{ tokenId: 999_999, quantity: { value: 1, uom: 'KGM' } }] },
        },
        mill,
      ),
    ).toMatchObject({ status: 422, pointers: expect.arrayContaining(['/inputTokenIds/0']) });
    await expect(mill.api.lots.get(999_999)).rejects.toMatchObject({ status: 404 });
  });

  it('more of a lot than is left', async () => {
    expect(await prepare(drySome(8_000.000001), mill)).toMatchObject({ status: 422, code: 'invalid_content' });
  });

  it('a code that is taken', async () => {
    expect(await prepare({ ...fresh, outputTlc: 'RH-20260915-A1' })).toMatchObject({ status: 409, code: 'tlc_taken' });
    expect(await farm.api.events.validate({ ...fresh, outputTlc: 'RH-20260915-A1' })).toMatchObject({ valid: false });
  });

  it('an address without its checksum', async () => {
    expect(await prepare({ ...fresh, outputCustodian: farm.address.toLowerCase() })).toMatchObject({ pointers: ['/outputCustodian'] });
  });

  it('half a surrogate pair and an integer that JSON cannot keep', async () => {
    expect(await prepare(withMetadata({ variety: '\ud800' }))).toMatchObject({ status: 422, pointers: ['/metadata/variety'] });
    expect(await prepare(withMetadata({ batch: 2 ** 53 }))).toMatchObject({ status: 422, pointers: ['/metadata/batch'] });
  });

  it('metadata over the limit of a stored block', async () => {
    expect(await prepare(withMetadata({ attachment: 'x'.repeat(300_000) }))).toMatchObject({ status: expect.any(Number) });
  });

  it('an event on a lot of another organisation', async () => {
    expect(await prepare(drySome(1), farm)).toMatchObject({ status: 422, code: 'invalid_content' });
  });

  it('webhooks, recalls and process maps by an operator', async () => {
    await expect(farm.api.webhooks.create(world.sink.url('/x'), ['event.recorded'])).rejects.toMatchObject({
      status: 403,
      code: 'role_required',
    });
    await expect(farm.api.post('/api/v1/process-maps', {})).rejects.toMatchObject({ status: 403, code: 'role_required' });
  });

  it('a request without a credential', async () => {
    const response = await fetch(`${world.baseUrl}/api/v1/events/prepare`, { method: 'POST' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ status: 401, code: expect.any(String) });
  });

  it('events while the node has a fault of its own, and keeps no answer about it', async () => {
    const { email, password } = world.tenant('rice').actors['farmA']!;
    const login = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password, tenantId: 'rice' }),
    };
    const { accessToken } = (await (await fetch(`${world.baseUrl}/api/v2/auth/login`, login)).json()) as { accessToken: string };
    const send = async (): Promise<{ status: number; code?: string }> => {
      const response = await fetch(`${world.baseUrl}/api/v1/events/prepare`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          'idempotency-key': 'while-the-node-is-behind',
        },
        body: JSON.stringify({ ...fresh, outputTlc: 'RH-20260915-NODE' }),
      });
      return { status: response.status, code: ((await response.json()) as { code?: string }).code };
    };
    node.lieAbout('eth_estimateGas', () => {
      throw { code: -32_000, message: 'header not found' };
    });
    expect(await send()).toMatchObject({ status: 503, code: 'chain_unavailable' });
    node.answerHonestly();
    expect((await send()).status).toBeLessThan(300);
    const { errors } = world.service.app.get(JsonRpc, { strict: false }).metrics.counts;
    expect(errors[`${new URL(node.url).host} error`]).toBeGreaterThan(0);
  });

  it('events while the chain does not answer, and accepts them again afterwards', async () => {
    world.node.freeze();
    try {
      await expect(farm.api.post('/api/v1/events/prepare', fresh)).rejects.toMatchObject({ status: 503, code: 'chain_unavailable' });
      expect((await admin.lots.list({ limit: 1 })).total).toBeGreaterThan(0);
      const ready = (await (await fetch(`${world.baseUrl}/health/ready`)).json()) as { status: string };
      expect(ready.status).toBe('degraded');
    } finally {
      world.node.thaw();
    }
    await eventually('a prepared event', () => farm.api.post('/api/v1/events/prepare', fresh).catch(() => null), {
      everyMs: 250,
    });
  });
});
