import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import { PasskeyRelay, type RelayableCall, TraceabilityClient } from '#client';
import { CreateTenant, CreateUser, InviteMember, OPERATOR } from '#identity';
import { type ScenarioEvent, readScenario } from '../../apps/cli/src/demo/scenario.js';
import { Authenticator, type Ceremony } from '../harness/authenticator.js';
import { World } from '../harness/world.js';
import { type Json, administrator, codeOf } from './rice-trade.js';

const harvest = readScenario('rice').steps[0] as ScenarioEvent;
type Prepared = Json & RelayableCall;

/** A member of the rice chain who has a passkey, and neither a private key nor a coin. */
describe('a member without a wallet', () => {
  let world: World;
  let provider: JsonRpcProvider;
  let member: TraceabilityClient;
  let admin: TraceabilityClient;
  let device: Authenticator;
  let relay: PasskeyRelay;
  let wallet: string;
  let attack: Ceremony = {};
  let harvests = 0;

  const joins = async (email: string): Promise<{ api: TraceabilityClient; wallet: string; with: Authenticator }> => {
    const { app, config } = world.service;
    const tenant = await app.get(CreateTenant, { strict: false }).find('rice');
    const given = { email, roles: ['OPERATOR'] } as const;
    const { userId, invitation } = await app.get(InviteMember, { strict: false }).add(tenant!.id, given, OPERATOR);
    const anonymous = new TraceabilityClient(world.baseUrl);
    const { token } = invitation!;
    const { publicKey } = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/options', { token });
    const made = new Authenticator();
    const response = made.create(publicKey as never, { origin: `http://${config.siwe.domains[0]}` });
    const session = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/verify', { token, response, name: 'Phone' });
    const granting = await administrator(world, 'rice');
    const { preparedTxs } = await granting.api.post<Json>(`/api/v2/members/${userId}/grants/prepare`);
    for (const { preparedTx } of preparedTxs) await granting.sender.sendAndWait(preparedTx);
    const known = await granting.api.get<Json>(`/api/v2/members/${userId}`);
    return { api: new TraceabilityClient(world.baseUrl, { accessToken: session.accessToken }), wallet: known.wallet, with: made };
  };
  const signing = (api: TraceabilityClient, by: Authenticator): PasskeyRelay =>
    new PasskeyRelay(api, ({ publicKey }) =>
      Promise.resolve(by.get({ challenge: String(publicKey['challenge']), rpId: 'localhost' }, attack)),
    );
  const prepare = (api = member): Promise<Prepared> =>
    api.post('/api/v1/events/prepare', {
      processType: harvest.processType,
      metadata: harvest.metadata,
      inputTokenIds: [],
      outputTlc: `RH-20260915-RL${(harvests += 1)}`,
    });
  const statusOf = async (eventId: string): Promise<string> => (await member.get<Json>(`/api/v1/events/${eventId}`)).status;

  beforeAll(async () => {
    world = await World.start();
    provider = new JsonRpcProvider(world.demo.rpcUrl, undefined, { staticNetwork: true, cacheTimeout: -1, batchMaxCount: 1 });
    const joined = await joins('relayed@rice.example');
    ({ api: member, wallet, with: device } = joined);
    relay = signing(member, device);
    admin = await world.admin('rice');
  });
  afterAll(async () => {
    provider?.destroy();
    await world?.close();
  });

  it('records a lot, alone and in a batch, and offers one: the sponsor deploys the account, sends and pays', async () => {
    expect(await member.get<Json>('/api/v1/tx/relay')).toMatchObject({ address: wallet, deployed: false });
    const first = await prepare();
    expect(first.hints).toMatchObject({ nonce: null, preparedId: expect.any(String) });
    const { relayId, trackingIds } = await relay.send([first]);
    expect(await statusOf(first.eventId)).toBe('submitted');
    expect(trackingIds).toHaveLength(1);
    const [tracked] = await confirmed([trackingIds[0]!]);
    const { sponsor, spentWeiToday } = await admin.get<Json>('/api/v1/sponsorship');
    expect(tracked).toMatchObject({
      from: wallet,
      type: 'relay',
      relay: { relayId, callIndex: 0, paidBy: sponsor.address, signedBy: device.id },
      effects: { eventIds: [first.eventId] },
    });
    const { gasUsed } = (await provider.getTransactionReceipt(tracked!.txHash))!;
    const share = Number(gasUsed) / (first as unknown as { preparedTx: { gasEstimate: number } }).preparedTx.gasEstimate;
    expect([share > 0.9, share < 1.02, share]).toEqual([true, true, share]);
    expect(await member.get<Json>(`/api/v1/events/${first.eventId}`)).toMatchObject({
      actor: { address: wallet },
      status: 'recorded',
      calldataMismatch: false,
      senderMismatch: false,
    });
    const { status, wei } = await member.get<Json>(`/api/v1/tx/relay/${relayId}`);
    expect([status, BigInt(wei) > 0n, BigInt(spentWeiToday) > 0n]).toEqual(['mined', true, true]);
    const batch = [await prepare(), await prepare()];
    const both = await relay.confirm(batch, { everyMs: 50 });
    expect(both.map((one) => [(one as Json).relay.callIndex, one.eventId])).toEqual(batch.map(({ eventId }, i) => [i, eventId]));
    expect(new Set(both.map(({ txHash }) => txHash)).size).toBe(1);
    const [tokenId] = tracked!.effects.tokenIds;
    const offer = await member.post<Prepared>('/api/v1/custody/prepare', {
      tokenIds: [tokenId],
      to: world.tenant('rice').actors['mill']!.address,
    });
    await relay.confirm([offer], { everyMs: 50 });
    expect(await provider.getBalance(wallet)).toBe(0n);
  });

  const confirmed = async (ids: readonly string[]): Promise<readonly Json[]> => {
    for (;;) {
      const states = await Promise.all(ids.map((id) => member.get<Json>(`/api/v1/tx/${id}`)));
      if (states.every(({ status }) => status === 'confirmed')) return states;
      const ended = states.find(({ status }) => status === 'failed' || status === 'dropped');
      if (ended) throw new Error(JSON.stringify(ended));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const reasonOf = (sent: Promise<unknown>): Promise<string> =>
    sent.then(
      () => 'taken',
      (problem: { body: Json }) => `${problem.body['status']} ${problem.body['reason'] ?? problem.body['code']}`,
    );

  it('has nothing sent that was not prepared for her, that was sent before, or that somebody else signed', async () => {
    const used = await prepare();
    await relay.confirm([used], { everyMs: 50 });
    expect(await reasonOf(relay.send([used]))).toBe('422 unknown_call');
    const other = await joins('another@rice.example');
    const hers = await prepare(other.api);
    const own = await prepare();
    expect(await reasonOf(relay.send([hers]))).toBe('422 unknown_call');
    expect(await reasonOf(signing(other.api, other.with).send([own]))).toBe('422 unknown_call');
    expect(await reasonOf(signing(member, other.with).send([own]))).toBe('422 unknown_passkey');
    attack = { verified: false };
    expect(await reasonOf(relay.send([own]))).toBe('422 invalid_assertion');
    attack = {};
    expect(await reasonOf(relay.send([own, own]))).toBe('422 unknown_call');
    const swapped = { ...own, preparedTx: { ...own.preparedTx, data: hers.preparedTx.data } };
    expect(await reasonOf(relay.send([swapped]))).toBe('422 invalid_assertion');
    const company = await world.company('rice', 'farmA');
    expect(await reasonOf(company.api.get('/api/v1/tx/relay'))).toBe('422 no_account');
    expect(await statusOf(own.eventId)).toBe('prepared');
  });

  it('is paid for up to what platform and tenant allow', async () => {
    const own = await prepare();
    const { ceilingWeiPerDay } = await admin.get<Json>('/api/v1/sponsorship');
    const more = String(BigInt(ceilingWeiPerDay) + 1n);
    expect(await codeOf(admin.call('PATCH /api/v1/sponsorship', { body: { limitWeiPerDay: more } }))).toBe('422 above_ceiling');
    expect(await codeOf(member.call('PATCH /api/v1/sponsorship', { body: { limitWeiPerDay: '1' } }))).toBe('403 role_required');
    await admin.call('PATCH /api/v1/sponsorship', { body: { limitWeiPerDay: '1' } });
    expect(await codeOf(relay.send([own]))).toBe('429 sponsorship_exhausted');
    await admin.call('PATCH /api/v1/sponsorship', { body: { limitWeiPerDay: null, relaysPerHour: 1 } });
    expect(await codeOf(relay.send([own]))).toBe('429 sponsorship_exhausted');
    await admin.call('PATCH /api/v1/sponsorship', { body: { relaysPerHour: null } });
    const email = 'platform@example.org';
    await world.service.app
      .get(CreateUser, { strict: false })
      .create({ email, name: 'Platform', password: 'correct horse', platformAdmin: true });
    const platform = await TraceabilityClient.login(world.baseUrl, email, 'correct horse');
    await platform.call('PATCH /api/v2/tenants/{id}/sponsorship', { path: { id: 'rice' }, body: { ceilingWeiPerDay: '0' } });
    expect(await codeOf(relay.send([own]))).toBe('429 sponsorship_exhausted');
    await platform.call('PATCH /api/v2/tenants/{id}/sponsorship', { path: { id: 'rice' }, body: { ceilingWeiPerDay: null } });
    await relay.confirm([own], { everyMs: 50 });
  });
});
