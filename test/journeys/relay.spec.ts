import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import { type PasskeyRelay, TraceabilityClient } from '#client';
import { CreateTenant, CreateUser } from '#identity';
import { EventTracking } from '#traceability';
import { Authenticator } from '../harness/authenticator.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Handed, PasskeyMembers, type Prepared, reasonOf } from './relay-world.js';
import { type Json, codeOf } from './rice-trade.js';

/** A member of the rice chain who has a passkey, and neither a private key nor a coin. */
describe('a member without a wallet', () => {
  let world: World;
  let provider: JsonRpcProvider;
  let member: TraceabilityClient;
  let admin: TraceabilityClient;
  let device: Authenticator;
  let relay: PasskeyRelay;
  let wallet: string;
  let members: PasskeyMembers;

  const joins = (email: string, made?: Authenticator) => members.joins(email, made);
  const signing = (api: TraceabilityClient, by: Authenticator): PasskeyRelay => members.signing(api, by);
  const prepare = (api = member): Promise<Prepared> => members.prepare(api);
  const statusOf = async (eventId: string): Promise<string> => (await member.get<Json>(`/api/v1/events/${eventId}`)).status;

  beforeAll(async () => {
    world = await World.start();
    provider = new JsonRpcProvider(world.demo.rpcUrl, undefined, { staticNetwork: true, cacheTimeout: -1, batchMaxCount: 1 });
    members = new PasskeyMembers(world, 'RL');
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
      relay: { signedBy: device.id, paidBy: sponsor.address },
    });
    const { status, wei } = await member.get<Json>(`/api/v1/tx/relay/${relayId}`);
    expect([status, BigInt(wei) > 0n, BigInt(spentWeiToday) > 0n]).toEqual(['mined', true, true]);
    await saysWhoPaid(first.eventId);
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
    const { summary, passkeys } = await eventually('the sponsor has seen its last transaction', async () => {
      const report = await admin.get<Json>('/api/v1/reports/sponsorship');
      return report.passkeys[0].underway === 0 ? report : undefined;
    });
    const row = { account: wallet, signedBy: device.id, paidBy: sponsor.address, batches: 3, calls: 4, mined: 3, reverted: 0, underway: 0 };
    expect(passkeys).toMatchObject([row]);
    expect([summary.calls, summary.wei, BigInt(summary.wei) >= BigInt(spentWeiToday)]).toEqual([4, passkeys[0].wei, true]);
  });

  /** As when somebody else sends what she signed, and the sponsor's transaction fails for it. */
  const saysWhoPaid = async (eventId: string): Promise<void> => {
    const read = async (): Promise<Json> => member.get<Json>(`/api/v1/events/${eventId}`);
    const { dataHash, relay: before } = await read();
    const outcome = async (paidBy: string | null): Promise<void> => {
      const { id: tenantId } = (await world.service.app.get(CreateTenant, { strict: false }).find('rice'))!;
      const tracking = world.service.app.get(EventTracking, { strict: false });
      const at = new Date();
      await world.database.unitOfWork.inTransaction({ tenantId }, (tx) =>
        tracking.relay(tx, [{ eventId, dataHash, from: wallet, signedBy: device.id, paidBy }], at),
      );
    };
    await outcome(null);
    expect((await read()).relay).toEqual({ signedBy: device.id, paidBy: null });
    await outcome(before.paidBy);
    expect((await read()).relay).toEqual(before);
  };

  const confirmed = async (ids: readonly string[]): Promise<readonly Json[]> => {
    for (;;) {
      const states = await Promise.all(ids.map((id) => member.get<Json>(`/api/v1/tx/${id}`)));
      if (states.every(({ status }) => status === 'confirmed')) return states;
      const ended = states.find(({ status }) => status === 'failed' || status === 'dropped');
      if (ended) throw new Error(JSON.stringify(ended));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const handed = (calls: readonly Prepared[], other: Handed = {}): Promise<unknown> =>
    members.handed(calls, { api: member, with: device, ...other });

  it('has nothing sent that was not prepared for her, that was sent before, or that somebody else signed', async () => {
    const used = await prepare();
    await relay.confirm([used], { everyMs: 50 });
    expect(await reasonOf(relay.send([used]))).toBe('422 unknown_call');
    const other = await joins('another@rice.example');
    const hers = await prepare(other.api);
    const own = await prepare();
    expect(await reasonOf(relay.send([hers]))).toBe('422 unknown_call');
    expect(await reasonOf(signing(other.api, other.with).send([own]))).toBe('422 unknown_call');
    expect(await reasonOf(handed([own], { by: other.with }))).toBe('422 unknown_passkey');
    for (const [how, reason] of [
      [{ verified: false }, 'invalid_assertion'],
      [{ rpId: 'evil.example' }, 'invalid_assertion'],
      [{ type: 'webauthn.create' }, 'invalid_assertion'],
      [{ challenge: Buffer.alloc(32).toString('base64url') }, 'invalid_assertion'],
      [{ origin: 'https://evil.example' }, 'wrong_origin'],
    ] as const) {
      members.attack = how;
      expect(await reasonOf(handed([own]))).toBe(`422 ${reason}`);
    }
    members.attack = {};
    expect(await reasonOf(handed([own], { chainId: 1 }))).toBe('422 invalid_assertion');
    expect(await reasonOf(handed([own], { sequence: 5 }))).toBe('422 place_not_next');
    expect(await reasonOf(handed([own], { deadline: 1 }))).toBe('422 deadline');
    expect(await reasonOf(handed([own], { deadline: 2_000_000_000 }))).toBe('422 deadline');
    expect(await reasonOf(handed([own], { account: other.wallet }))).toBe('422 no_account');
    expect(await reasonOf(relay.send([own, own]))).toBe('422 unknown_call');
    const swapped = { ...own, preparedTx: { ...own.preparedTx, data: hers.preparedTx.data } };
    expect(await reasonOf(relay.send([swapped]))).toBe('422 invalid_assertion');
    const company = await world.company('rice', 'farmA');
    expect(await reasonOf(company.api.get('/api/v1/tx/relay'))).toBe('422 no_account');
    expect(await statusOf(own.eventId)).toBe('prepared');
  });

  it('has nothing sent that a copy of her passkey signed', async () => {
    const counting = new Authenticator({ counter: 5 });
    const { api } = await joins('counting@rice.example', counting);
    await signing(api, counting).confirm([await prepare(api)], { everyMs: 50 });
    const copy = new Authenticator({ counter: 2, copyOf: counting });
    expect(await reasonOf(signing(api, copy).send([await prepare(api)]))).toBe('422 passkey_cloned');
    const { data } = await admin.get<Json>('/api/v1/audit?action=passkey.clone_suspected');
    expect(data[0].details).toMatchObject({ passkey: counting.id, after: 3 });
  });

  it('gets an account when she signs in, if her passkeys are older than the factory', async () => {
    const factories = await world.database.unitOfWork.asSystem((tx) =>
      tx.sql<{ chain_id: string; address: string }>('delete from chain.account_factory returning chain_id, address'),
    );
    const older = await members.accepts('older@rice.example');
    expect((await older.api.get<Json>('/api/v2/auth/me')).wallet).toBeNull();
    for (const { chain_id: chainId, address } of factories)
      await world.database.unitOfWork.asSystem((tx) =>
        tx.sql('insert into chain.account_factory (chain_id, address) values ($1, $2)', [chainId, address]),
      );
    expect(await reasonOf(older.api.get('/api/v1/tx/relay'))).toBe('422 no_account');
    const anonymous = new TraceabilityClient(world.baseUrl);
    const { publicKey } = await anonymous.post<Json>('/api/v2/auth/passkeys/authentication/options', {});
    const response = older.with.get(publicKey, members.origin);
    const { accessToken } = await anonymous.post<Json>('/api/v2/auth/passkeys/authentication/verify', { response });
    const api = new TraceabilityClient(world.baseUrl, { accessToken });
    const made = (await api.get<Json>('/api/v2/auth/me')).wallet;
    expect(made).toBe(await members.granted(older.userId));
    await signing(api, older.with).confirm([await prepare(api)], { everyMs: 50 });
  });

  it('is paid for up to what platform and tenant allow', async () => {
    const own = await prepare();
    const { ceilingWeiPerDay } = await admin.get<Json>('/api/v1/sponsorship');
    const more = String(BigInt(ceilingWeiPerDay) + 1n);
    expect(await codeOf(admin.call('PATCH /api/v1/sponsorship', { body: { limitWeiPerDay: more } }))).toBe('422 above_ceiling');
    expect(await codeOf(member.call('PATCH /api/v1/sponsorship', { body: { limitWeiPerDay: '1' } }))).toBe('403 role_required');
    expect(await codeOf(admin.call('PATCH /api/v1/sponsorship', { body: { relaysPerHour: 100_000 } }))).toBe('422 above_ceiling');
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
