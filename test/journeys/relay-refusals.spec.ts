import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider, Transaction, Wallet, ZeroHash } from 'ethers';
import type { RelayReceipt, TraceabilityClient } from '#client';
import type { RelaysQueries } from '#transactions/testing';
import { Authenticator } from '../harness/authenticator.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Joined, PasskeyMembers, type Prepared, reasonOf } from './relay-world.js';
import { type Json, codeOf } from './rice-trade.js';

type Status = Parameters<RelaysQueries['settle']>[1][number]['status'];
const LANES = [0, 1, 2, 3, 4, 5, 6];

/** Each test has a member of its own, so that what one did does not limit another. */
describe('what the sponsor does not pay for', () => {
  let world: World;
  let provider: JsonRpcProvider;
  let members: PasskeyMembers;
  let admin: TraceabilityClient;
  let thief: Wallet;
  let own: Joined & { readonly wallet: string };
  let people = 0;

  beforeAll(async () => {
    world = await World.start();
    provider = new JsonRpcProvider(world.demo.rpcUrl, undefined, { staticNetwork: true, cacheTimeout: -1, batchMaxCount: 1 });
    members = new PasskeyMembers(world, 'RF');
    admin = await world.admin('rice');
    thief = new Wallet(world.tenant('wool').admin.privateKey, provider);
  });
  afterAll(async () => {
    provider?.destroy();
    await world?.close();
  });
  beforeEach(async () => {
    own = await members.joins(`refused${(people += 1)}@rice.example`);
  });

  const statusOf = async (relayId: string): Promise<Status> => (await own.api.get<Json>(`/api/v1/tx/relay/${relayId}`)).status;
  const ends = (relayId: string, status: Status): Promise<unknown> =>
    eventually(`the relay is ${status}`, async () => (await statusOf(relayId)) === status);
  const deployed = async (): Promise<void> => {
    await members.signing(own.api, own.with).confirm([await members.prepare(own.api)], { everyMs: 50 });
  };
  const sponsorship = (): Promise<Json> => admin.get<Json>('/api/v1/sponsorship');
  const limit = (limitWeiPerDay: string | null): Promise<unknown> => admin.call('PATCH /api/v1/sponsorship', { body: { limitWeiPerDay } });
  const mining = (isAutomatic: boolean): Promise<unknown> => provider.send('evm_setAutomine', [isAutomatic]);
  const nothingUnderway = (): Promise<unknown> =>
    eventually('nothing is on its way', async () => {
      const { passkeys } = await admin.get<Json>('/api/v1/reports/sponsorship');
      return passkeys.every(({ underway }: Json) => underway === 0);
    });

  it('a place that another batch has', async () => {
    await deployed();
    const calls = [await members.prepare(own.api), await members.prepare(own.api)];
    const { relayId } = await members.handed([calls[0]!], { ...own, lane: 1 });
    expect(await reasonOf(members.handed([calls[1]!], { ...own, lane: 1 }))).toBe('422 place_taken');
    await ends(relayId, 'mined');
    expect(await reasonOf(members.handed([calls[1]!], { ...own, lane: 1 }))).toBe('422 place_taken');
    expect(await reasonOf(members.handed([calls[1]!], { ...own, lane: 1, sequence: 1 }))).toBe('taken');
  });

  it('a signature under another order, place or deadline, or that somebody else brings', async () => {
    const calls = [await members.prepare(own.api), await members.prepare(own.api)];
    const body = await members.body(calls, own);
    const { assertion, prepared } = body;
    const sent = (changed: Json, api = own.api): Promise<string> => reasonOf(api.post('/api/v1/tx/relay', { ...body, ...changed }));
    expect(await sent({ prepared: prepared.toReversed() })).toBe('422 invalid_assertion');
    expect(await sent({ prepared: prepared.slice(1) })).toBe('422 invalid_assertion');
    for (const changed of [{ lane: 5 }, { sequence: 1 }, { deadline: assertion.deadline - 1 }])
      expect(await sent({ assertion: { ...assertion, ...changed } })).toBe('422 invalid_assertion');
    const other = await members.joins('brings@rice.example');
    expect(await sent({}, other.api)).toBe('422 unknown_passkey');
    expect(await sent({}, (await world.company('rice', 'farmA')).api)).toBe('422 no_account');
    expect(await sent({})).toBe('taken');
    expect(await sent({})).toBe('422 unknown_call');
  });

  it('what was signed in one tenant, brought to another one of the same person', async () => {
    const body = await members.body([await members.prepare(own.api)], own);
    const elsewhere = new Authenticator();
    const inWool = await members.accepts(`refused${people}@rice.example`, elsewhere, 'wool');
    expect(await reasonOf(inWool.api.post('/api/v1/tx/relay', body))).toBe('422 unknown_passkey');
    expect(await reasonOf(inWool.api.post('/api/v1/tx/relay', { ...body, account: own.wallet }))).toBe('422 no_account');
    expect(await reasonOf(members.handed([await members.prepare(own.api)], { ...own, by: elsewhere }))).toBe('422 unknown_passkey');
    const { hints, preparedTx } = await members.prepare(own.api);
    expect(await reasonOf(members.handed([{ hints, preparedTx }], inWool))).toBe('422 unknown_call');
  });

  it('a call of a receiver, a batch inside a batch, and a call that would fail', async () => {
    const first = await members.prepare(own.api);
    await members.signing(own.api, own.with).confirm([first], { everyMs: 50 });
    const { tokenId } = await own.api.get<Json>(`/api/v1/nfts/by-tlc/${first['outputTlc'] ?? (await outputOf(first))}`);
    const generic = (method: string, args: Json): Promise<Prepared> =>
      own.api.post('/api/v1/tx/prepare', { method, processId: ZeroHash, inputTokenIds: [], metadata: { args } });
    await members.signing(own.api, own.with).confirm([await generic('setDirectReceipt', { allowed: true })], { everyMs: 50 });
    const safe = { from: own.wallet, to: own.wallet, tokenId };
    const calling = await generic('safeTransferFrom(address,address,uint256)', safe);
    expect(await reasonOf(members.signing(own.api, own.with).send([calling]))).toBe('422 method');
    expect(await codeOf(generic('execute', {}))).toBe('422 unknown_method');
    const offer = (): Promise<Prepared> =>
      own.api.post('/api/v1/custody/prepare', { tokenIds: [tokenId], to: world.tenant('rice').actors['mill']!.address });
    const offers = [await offer(), await offer()];
    await members.signing(own.api, own.with).confirm([offers[0]!], { everyMs: 50 });
    expect(await codeOf(members.signing(own.api, own.with).send([offers[1]!]))).toMatch(/^422 /);
    expect(await reasonOf(members.signing(own.api, own.with).send([offers[1]!]))).not.toBe('taken');
  });
  const outputOf = async ({ eventId }: Json): Promise<string> => (await own.api.get<Json>(`/api/v1/events/${eventId}`)).outputs[0].tlc;

  it('one prepared call more than once, however many ask at the same time', async () => {
    await deployed();
    const call = await members.prepare(own.api);
    const all = await Promise.all(LANES.map((lane) => reasonOf(members.handed([call], { ...own, lane, sequence: lane === 0 ? 1 : 0 }))));
    expect(all.toSorted()).toEqual([...Array<string>(6).fill('422 unknown_call'), 'taken']);
  });

  it('more than the budget of the day, however many ask at the same time', async () => {
    await deployed();
    await nothingUnderway();
    await mining(false);
    try {
      const calls: Prepared[] = [];
      for (const _ of LANES) calls.push(await members.prepare(own.api));
      const { relayId } = await members.handed([calls[0]!], { ...own, lane: 0, sequence: 1 });
      const { wei } = await own.api.get<Json>(`/api/v1/tx/relay/${relayId}`);
      const { spentWeiToday } = await sponsorship();
      // Room for two more.
      const most = BigInt(spentWeiToday) + (BigInt(wei) * 5n) / 2n;
      await limit(String(most));
      const all = await Promise.all(LANES.slice(1).map((lane) => reasonOf(members.handed([calls[lane]!], { ...own, lane }))));
      expect(all.toSorted()).toEqual([...Array<string>(4).fill('429 tenant'), 'taken', 'taken']);
      expect(BigInt((await sponsorship())['spentWeiToday']) <= most).toBe(true);
    } finally {
      await limit(null);
      await mining(true);
      await provider.send('evm_mine', []);
    }
    await nothingUnderway();
  });

  it('calls of a member whose batches fail on chain, one after another', async () => {
    await deployed();
    await nothingUnderway();
    const before = BigInt((await sponsorship())['spentWeiToday']);
    await mining(false);
    try {
      for (let lane = 1; lane <= 3; lane += 1) {
        const { relayId } = await members.handed([await members.prepare(own.api)], { ...own, lane });
        const hash = await eventually('the sponsor has sent it', () => waitingFor(own.wallet));
        const { data, serialized } = Transaction.from((await provider.getTransaction(hash))!);
        // The same, by somebody who is faster: what the sponsor sent fails after it.
        await provider.send('anvil_dropTransaction', [hash]);
        await thief.sendTransaction({ to: own.wallet, data, gasLimit: 1_000_000 });
        await provider.send('eth_sendRawTransaction', [serialized]);
        await provider.send('evm_mine', []);
        await ends(relayId, 'reverted');
      }
    } finally {
      await mining(true);
    }
    expect(BigInt((await sponsorship())['spentWeiToday']) > before).toBe(true);
    expect(await reasonOf(members.handed([await members.prepare(own.api)], { ...own, lane: 4 }))).toBe('422 paused');
  });
  /** Hash of a transaction to an account that no block has. */
  const waitingFor = async (account: string): Promise<string | false> => {
    const { transactions } = (await provider.send('eth_getBlockByNumber', ['pending', true])) as { transactions: Json[] };
    return transactions.find(({ to }) => String(to).toLowerCase() === account.toLowerCase())?.['hash'] ?? false;
  };

  it('a call that failed on chain again, while somebody could still land it', async () => {
    const first = await members.prepare(own.api);
    await members.signing(own.api, own.with).confirm([first], { everyMs: 50 });
    const { tokenId } = await own.api.get<Json>(`/api/v1/nfts/by-tlc/${await outputOf(first)}`);
    const to = world.tenant('rice').actors['mill']!.address;
    const offer = (): Promise<Prepared> => own.api.post('/api/v1/custody/prepare', { tokenIds: [tokenId], to });
    const offers = [await offer(), await offer()] as const;
    await mining(false);
    let second: RelayReceipt;
    try {
      const one = await members.handed([offers[0]], { ...own, lane: 1 });
      await ends(one.relayId, 'sent');
      second = await members.handed([offers[1]], { ...own, lane: 2, deadline: Math.floor(Date.now() / 1_000) + 10 });
      await ends(second.relayId, 'sent');
      await provider.send('evm_mine', []);
      await ends(second.relayId, 'reverted');
    } finally {
      await mining(true);
    }
    const tracked = (): Promise<Json> => own.api.get<Json>(`/api/v1/tx/${second.trackingIds[0]}`);
    const { status, error } = await eventually('it is tracked', async () => {
      const now = await tracked();
      return now['error'] !== null && now;
    });
    expect([status, error]).toEqual(['confirming', expect.stringMatching(/It may still land until .*; do not prepare it again before\./)]);
    expect(await reasonOf(members.handed([offers[1]], { ...own, lane: 3 }))).toBe('422 unknown_call');
    await provider.send('evm_mine', []);
    expect(
      (await eventually('nobody can', async () => ((await tracked())['status'] === 'failed' ? tracked() : false)))['error'],
    ).not.toMatch(/may still land/);
  });

  it('more than it has: what it took before is sent when it has coins again', async () => {
    await deployed();
    const { sponsor } = await sponsorship();
    const coins = await provider.getBalance(sponsor.address);
    await provider.send('anvil_setBalance', [sponsor.address, '0x0']);
    let waits: RelayReceipt;
    try {
      waits = await members.handed([await members.prepare(own.api)], { ...own, lane: 1 });
      await eventually('it knows', async () => (await sponsorship())['sponsor'].balanceWei === '0');
      expect(await statusOf(waits.relayId)).toBe('queued');
      expect(await reasonOf(members.handed([await members.prepare(own.api)], { ...own, lane: 2 }))).toBe('429 sponsor');
    } finally {
      await provider.send('anvil_setBalance', [sponsor.address, `0x${coins.toString(16)}`]);
    }
    await ends(waits.relayId, 'mined');
  });

  it('anything, where no sponsor runs', async () => {
    await deployed();
    const call = await members.prepare(own.api);
    await world.stop();
    await world.startAgain(undefined, { ROLE: 'api', CONTENT_STORE: 'database' });
    const system = (sql: string): Promise<unknown> => world.database.unitOfWork.asSystem((tx) => tx.sql(sql));
    await system("update transactions.sponsor set seen_at = now() - interval '3 minutes'");
    const send = (): Promise<string> => reasonOf(members.handed([call], { ...own, lane: 3 }));
    expect(await send()).toBe('422 no_sponsor');
    await system('delete from transactions.sponsor');
    expect(await send()).toBe('422 no_sponsor');
    await world.stop();
    await world.startAgain();
    await eventually('a sponsor runs', async () => (await sponsorship())['sponsor'] !== null);
    expect(await send()).toBe('taken');
  });
});
