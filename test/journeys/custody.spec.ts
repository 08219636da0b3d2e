import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZERO_BYTES32, keccakOf, newId } from '#kernel';
import { eventually } from '../harness/eventually.js';
import { type Company, CustodyWorld, type Stage, riceStages } from './custody-world.js';

let world: CustodyWorld;
let stages: readonly Stage[];
beforeAll(async () => {
  world = await CustodyWorld.open();
  stages = await riceStages();
});
afterAll(() => world?.close());

interface Prepared {
  readonly preparedTx: { readonly to: string; readonly data: string; readonly gasEstimate: number };
  readonly metadata: { readonly method: string; readonly args: Record<string, unknown>; readonly eventId?: string };
  readonly transferIds?: string[];
  readonly eventId?: string;
  readonly errors: { readonly pointer: string; readonly code: string }[];
  readonly code: string;
}
interface Tracked {
  readonly status: string;
  readonly eventId: string | null;
  readonly effects: { readonly eventIds: string[]; readonly tokenIds: number[]; readonly transferIds: string[] };
}

const custody = (company: Company, body: object) => world.post<Prepared>(company, '/api/v1/custody/prepare', body);
const call = (company: Company, body: object) =>
  world.post<Prepared>(company, '/api/v1/tx/prepare', { processId: ZERO_BYTES32, metadata: {}, ...body });
const tracked = (company: Company, trackingId: string): Promise<Tracked> =>
  eventually(`the end of ${trackingId}`, async () => {
    const { body } = await world.get<Tracked>(company, `/api/v1/tx/${trackingId}`);
    return (body.status === 'confirmed' || body.status === 'failed') && body;
  });
const tokens = (tlcs: readonly string[]): Promise<number[]> => Promise.all(tlcs.map((tlc) => world.tokenOf(tlc)));

/** Plays one stage of the value chain through the API; a hand-over is an offer and an acceptance. */
async function play(stage: Stage): Promise<Tracked> {
  if (stage.handover) {
    const { from, to, tlcs } = stage.handover;
    const tokenIds = await tokens(tlcs);
    await world.send(world[from], await custody(world[from], { tokenIds, to: world[to].address }));
    return tracked(world[to], await world.send(world[to], await custody(world[to], { action: 'accept', tokenIds })));
  }
  const company = world[stage.actor];
  const { processType, metadata, outputTlc } = stage;
  const inputTokenIds = await tokens(stage.inputTlcs);
  const prepared = stage.custody
    ? await custody(company, {
        action: stage.custody.action,
        tokenIds: inputTokenIds,
        processType,
        metadata,
        ...(stage.custody.to && { to: world[stage.custody.to].address }),
      })
    : await world.post<Prepared>(company, '/api/v1/events/prepare', {
        processType,
        inputTokenIds,
        metadata,
        ...(outputTlc && { outputTlc }),
      });
  return tracked(company, await world.send(company, prepared));
}

describe('the rice value chain changes hands', () => {
  it('is recorded completely, with hand-overs, and with shipping and receiving events attached to custody calls', async () => {
    for (const stage of stages) {
      const landed = await play(stage);
      expect([stage.processType ?? 'handover', landed.status]).toEqual([stage.processType ?? 'handover', 'confirmed']);
      expect(landed.effects.eventIds).toEqual(stage.handover ? [] : [landed.eventId]);
    }
  });

  it('publishes each transferred lot once, contents of the pallet included', async () => {
    const moved = await world.topics('custody.transferred');
    const pallet = await world.tokenOf('095200000000000011');
    const [harvestA, harvestB, bags] = await tokens(['RH-20260915-A1', 'RH-20260916-B1', 'RP262641']);
    expect(moved.map((data) => [data['tokenId'], data['viaContainerTokenId']])).toEqual([
      [harvestA, null],
      [harvestB, null],
      [pallet, null],
      [bags, pallet],
    ]);
    const [receiving] = await world.sql<{ id: string }>(`select id from traceability.event where process_type = 'RICE_RECEIVING'`);
    expect(moved[3]).toMatchObject({
      tlc: 'RP262641',
      from: world.mill.address,
      to: world.dist.address,
      eventId: receiving!.id,
      tenantId: 'rice',
    });
  });

  it('lists what an organisation sent and received, newest first', async () => {
    const { status, body } = await world.get<{ data: Record<string, unknown>[]; total: number }>(
      world.admin,
      `/api/v1/custody/org/${world.mill.orgId}?limit=3`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 4, page: 1, limit: 3 });
    expect(body.data.map(({ tlc, from, to }) => [tlc, from, to])).toEqual([
      ['095200000000000011', world.mill.address, world.dist.address],
      ['RP262641', world.mill.address, world.dist.address],
      ['RH-20260916-B1', world.farmB.address, world.mill.address],
    ]);
    expect((await world.get(world.admin, `/api/v1/custody/org/${newId()}`)).status).toBe(404);
    expect((await world.get(world.admin, `/api/v1/custody/org/${world.mill.orgId}?limit=101`)).status).toBe(400);
  });

  it('is the same after all blocks were undone and applied again', async () => {
    const all = async () => [
      await world.sql('select * from custody.transfer order by id'),
      await world.sql('select * from transactions.landed order by tx_hash'),
      await world.topics('custody.transferred'),
    ];
    const before = await all();
    await world.replayAfter(0);
    expect(await all()).toEqual(before);
  });
});

describe('an offer', () => {
  it('can be rejected and made again; the old number is no longer valid', async () => {
    const bran = await world.tokenOf('RM-20260920-01B');
    await world.send(world.mill, await custody(world.mill, { tokenId: bran, to: world.dist.address }));
    expect((await custody(world.mill, { tokenId: bran, to: world.farmA.address })).body.errors).toMatchObject([
      { pointer: '/tokenId', code: 'lot_in_transit' },
    ]);
    expect((await custody(world.farmA, { action: 'accept', tokenId: bran })).body.errors).toMatchObject([
      { code: 'not_pending_custodian' },
    ]);

    const reject = await custody(world.dist, { action: 'reject', tokenIds: [bran], metadata: { why: 'wet' } });
    expect(reject.body.transferIds).toHaveLength(1);
    const { effects } = await tracked(world.dist, await world.send(world.dist, reject));
    expect(effects).toEqual({ eventIds: [], tokenIds: [bran], transferIds: reject.body.transferIds });
    expect(await custody(world.dist, { action: 'accept', tokenId: bran })).toMatchObject({ status: 409, body: { code: 'no_open_offer' } });

    await world.send(world.mill, await custody(world.mill, { tokenId: bran, to: world.dist.address }));
    const cancel = await custody(world.mill, { action: 'cancel', tokenId: bran });
    expect(cancel.body.transferIds).not.toEqual(reject.body.transferIds);
    await world.send(world.mill, cancel);
    const states = await world.sql<{ status: string }>('select status from custody.transfer where token_id = $1 order by offer_no', [bran]);
    expect(states.map(({ status }) => status)).toEqual(['rejected', 'cancelled']);
  });

  it.each<[string, () => Promise<object>, number, string]>([
    ['an unknown lot', async () => ({ tokenId: 9999, to: world.dist.address }), 404, 'lot_not_found'],
    ['a used-up lot', async () => ({ tokenId: await world.tokenOf('RD-20260917-01'), to: world.dist.address }), 422, 'invalid_content'],
    ['a token id that is none', async () => ({ tokenIds: ['one'], to: world.dist.address }), 400, 'malformed_request'],
    ['an unknown field', async () => ({ tokenId: 1, to: world.dist.address, price: 3 }), 400, 'malformed_request'],
    [
      'a hundred and one lots',
      async () => ({ tokenIds: Array.from({ length: 101 }, (_, i) => i + 1), to: world.dist.address }),
      400,
      'malformed_request',
    ],
    ["somebody else's sender", async () => ({ tokenId: 1, to: world.dist.address, from: world.dist.address }), 403, 'foreign_sender'],
  ])('of %s is refused', async (_, body, status, code) => {
    expect(await custody(world.mill, await body())).toMatchObject({ status, body: { code } });
  });
});

describe('tx/prepare', () => {
  it('transfers lots directly to a receiver who allowed it', async () => {
    const bran = await world.tokenOf('RM-20260920-01B');
    const transfer = {
      method: 'transferFrom',
      inputTokenIds: [bran],
      metadata: { args: { from: world.mill.address, to: world.farmA.address } },
    };
    expect(await call(world.mill, transfer)).toMatchObject({
      status: 422,
      body: { code: 'no_consent', revert: { name: 'NoConsent' } },
    });
    await world.send(world.farmA, await call(world.farmA, { method: 'setDirectReceipt', metadata: { args: { allowed: true } } }));
    await world.send(world.mill, await call(world.mill, transfer));
    const { body } = await world.get<{ data: object[] }>(world.admin, `/api/v1/custody/org/${world.farmA.orgId}?limit=1`);
    expect(body.data).toMatchObject([{ tokenId: bran, status: 'direct', offeredAt: null, to: world.farmA.address }]);
  });

  it('recalls with a notice, for the administrator only; the lot can then no longer be transferred', async () => {
    const dried = await world.tokenOf('RD-20260917-01');
    const bran = await world.tokenOf('RM-20260920-01B'); // at farm A by now
    const recall = {
      method: 'recallMany',
      inputTokenIds: [dried, bran],
      metadata: { reason: 'Aflatoxin', recallClass: 'I', instructions: 'Stop using it.' },
    };
    expect(await call(world.mill, recall)).toMatchObject({ status: 403, body: { code: 'role_required' } });
    await world.send(world.admin, await call(world.admin, recall));
    const [recalled] = await world.topics('nft.recalled');
    expect(recalled).toMatchObject({
      tokenId: dried,
      tlc: 'RD-20260917-01',
      reason: 'Aflatoxin',
      recallClass: 'I',
      propagation: 'flag',
      recalledBy: world.admin.address,
    });
    expect(recalled!['affectedTokenIds']).toEqual(expect.arrayContaining(await tokens(['RM-20260920-01', 'RP262641'])));
    expect(await world.sql('select reason, instructions, resolved from recall.recall')).toEqual([
      { reason: 'Aflatoxin', instructions: 'Stop using it.', resolved: true },
    ]);

    expect((await custody(world.farmA, { tokenId: bran, to: world.mill.address })).body.errors).toMatchObject([
      { pointer: '/tokenId', code: 'lot_recalled' },
    ]);
    await world.send(
      world.admin,
      await call(world.admin, { method: 'setRoles', metadata: { args: { account: world.mill.address, roles: 2 + 16 } } }),
    );
    expect(await custody(world.farmA, { tokenId: bran, to: world.mill.address })).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringContaining('is recalled')] },
    });
  });

  it('records an event by the id of its process, as events/prepare does', async () => {
    const [harvest] = stages;
    const { body } = await call(world.farmA, {
      method: 'recordEvent',
      processId: keccakOf('RICE_HARVESTING'),
      outputs: [{ tlc: 'RH-20261001-A9', assetType: 'RICE_PADDY_WET', custodian: world.farmA.address }],
      metadata: harvest!.metadata,
    });
    const landed = await tracked(world.farmA, await world.send(world.farmA, { status: 200, body }));
    expect(landed).toMatchObject({
      status: 'confirmed',
      eventId: body.metadata.eventId,
      effects: { tokenIds: [await world.tokenOf('RH-20261001-A9')] },
    });
  });

  it('says why a transaction failed', async () => {
    const notMine = {
      to: world.contract,
      data: (await call(world.admin, { method: 'pause', metadata: { args: { until: 1 } } })).body.preparedTx.data,
      gasEstimate: 1,
    };
    const landed = await tracked(world.mill, await world.send(world.mill, { status: 200, body: { preparedTx: notMine } }));
    expect(landed).toMatchObject({ status: 'failed', revertReason: expect.stringContaining('NotAuthorized'), effects: { tokenIds: [] } });
  });

  it('describes the chain and the ABI of the contract', async () => {
    const { body } = await world.get<{ abi: object[] }>(world.farmA, '/api/v1/chain');
    expect(body).toMatchObject({ chainId: 31_337, contract: world.contract, contractVersion: 1, confirmations: 1, rpcUrl: null });
    expect(body.abi.length).toBeGreaterThan(50);
  });

  it('refuses a malformed hash and an output with a token id', async () => {
    expect(await world.post(world.mill, '/api/v1/tx/track', { txHash: '0x12' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/txHash' }] },
    });
    expect(
      await call(world.mill, { method: 'recordEvent', outputs: [{ tlc: 'X', assetType: 'A', custodian: 'c', tokenId: 3 }] }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/outputs/0/tokenId' }] },
    });
    expect((await world.get(world.mill, '/api/v1/tx/nothing')).status).toBe(404);
  });
});
