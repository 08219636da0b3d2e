import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeCall, tenantLots } from '#chain';
import type { Json, PreparedTx, TraceabilityClient } from '#client';
import { keccakOf } from '#kernel';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { type ScenarioEvent, readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { type TopicBody, TopicCatalogue } from '../harness/topic-catalogue.js';
import { World } from '../harness/world.js';

type Tracked = Json & {
  readonly status: string;
  readonly effects: { readonly eventIds: readonly string[]; readonly tokenIds: readonly number[] };
};
type Prepared = { readonly eventId: string; readonly preparedTx: PreparedTx };
const harvest = readScenario('rice').steps[0] as ScenarioEvent;

/** A transaction from its preparation to its webhook, over the whole service. */
describe('following a transaction', () => {
  let world: World;
  let admin: TraceabilityClient;
  let farm: Company;

  beforeAll(async () => {
    world = await World.start();
    admin = await world.admin('rice');
    farm = await world.company('rice', 'farmA');
    await admin.webhooks.create(world.sink.url('/tx'), ['*']);
  });
  afterEach(() => mineBySelf(true));
  afterAll(() => world?.close());

  const rpc = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(world.node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  };
  const mineBySelf = (on: boolean): Promise<unknown> => rpc('evm_setAutomine', [on]);
  const prepare = (outputTlc: string): Promise<Prepared> =>
    farm.api.post('/api/v1/events/prepare', { processType: harvest.processType, metadata: harvest.metadata, inputTokenIds: [], outputTlc });
  const track = async (preparedTx: PreparedTx, type?: string): Promise<{ readonly txHash: string; readonly trackingId: string }> =>
    farm.api.tx.track(await farm.sender.send(preparedTx), type);
  const until = (trackingId: string, status: string): Promise<Tracked> =>
    eventually(`${trackingId} is ${status}`, async () => {
      const tracked = (await farm.api.tx.get(trackingId)) as Tracked;
      return tracked.status === status && tracked;
    });
  const eventIs = (id: string, status: string): Promise<Json> =>
    eventually(`event ${id} is ${status}`, async () => {
      const event = await farm.api.get<Json>(`/api/v1/events/${id}`);
      return event.status === status && event;
    });
  const topicsOf = (txHash: string): Promise<{ topic: string }[]> =>
    world.database.unitOfWork.asSystem((tx) =>
      tx.sql(`select topic from persistence.outbox where dedup_key like '%:' || $1 || '%' order by seq`, [txHash]),
    );
  const delivered = (topic: string, txHash: string): TopicBody[] =>
    world.sink
      .at('/tx')
      .filter(({ headers }) => headers['x-webhook-event'] === topic)
      .map(({ body }) => JSON.parse(body.toString()) as TopicBody)
      .filter(({ data }) => data.txHash === txHash);

  it('goes from pending to confirmed, with its event and effects; its topic follows theirs', async () => {
    const { eventId, preparedTx } = await prepare('RH-20260915-T1');
    await mineBySelf(false);
    const { txHash, trackingId } = await track(preparedTx, 'harvest');
    expect(await until(trackingId, 'pending')).toMatchObject({ from: farm.address, to: preparedTx.to, eventId, blockNumber: null });
    await eventIs(eventId, 'submitted');
    await rpc('anvil_mine', ['0x1']);
    const tracked = await until(trackingId, 'confirmed');
    expect(tracked).toMatchObject({ type: 'harvest', eventId, effects: { eventIds: [eventId] }, error: null, replacedBy: null });
    expect(tracked.effects.tokenIds).toHaveLength(1);
    expect(await eventIs(eventId, 'recorded')).toMatchObject({ calldataMismatch: false });
    expect((await topicsOf(txHash)).map(({ topic }) => topic)).toEqual(['event.recorded', 'nft.created', 'transaction.confirmed']);
    const [message] = await eventually('the webhook', () => {
      const found = delivered('transaction.confirmed', txHash);
      return found.length > 0 && found;
    });
    expect(message!.data).toMatchObject({
      tenantId: 'rice',
      trackingId,
      type: 'harvest',
      status: 'confirmed',
      from: farm.address,
      effects: tracked.effects,
    });
  });

  it('updates the event and notifies subscribers when another transaction was first, with the reason', async () => {
    const [won, lost] = [await prepare('RH-20260915-T2'), await prepare('RH-20260915-T2')];
    await mineBySelf(false);
    const [first, second] = [await track(won.preparedTx), await track(lost.preparedTx)];
    await until(second.trackingId, 'pending');
    await rpc('anvil_mine', ['0x1']);
    await until(first.trackingId, 'confirmed');
    const failed = await until(second.trackingId, 'failed');
    expect(failed).toMatchObject({
      revertReason: expect.stringMatching(/^TlcTaken\(/),
      error: expect.stringContaining('TlcTaken'),
      effects: { tokenIds: [] },
    });
    await eventIs(won.eventId, 'recorded');
    await eventIs(lost.eventId, 'failed');
    await eventually('transaction.failed', () => delivered('transaction.failed', second.txHash).length === 1);
    const catalogue = await TopicCatalogue.read(admin);
    expect(delivered('transaction.failed', second.txHash).flatMap((body) => catalogue.faults(body))).toEqual([]);
    expect((await topicsOf(second.txHash)).map(({ topic }) => topic)).toEqual(['transaction.failed']);
  });

  it('shows a call that was changed before it was signed', async () => {
    const { eventId, preparedTx } = await prepare('RH-20260915-T3');
    const { args } = tenantLots.decodeCall(preparedTx.data)!;
    const [output] = args['outputs'] as [Record<string, unknown>];
    const changed = encodeCall('recordEvent', Object.values({ ...args, outputs: [{ ...output, quantity: 1n }] }));
    const { trackingId } = await track({ ...preparedTx, data: changed });
    const { effects } = await until(trackingId, 'confirmed');
    expect(await eventIs(eventId, 'recorded')).toMatchObject({ calldataMismatch: true });
    expect(await farm.api.lots.get(effects.tokenIds[0]!)).toMatchObject({ quantity: 0.000001 });
  });

  it('follows its replacement, and sets the prepared event to failed when that is another call', async () => {
    const { eventId, preparedTx } = await prepare('RH-20260915-T4');
    await mineBySelf(false);
    const { txHash, trackingId } = await track(preparedTx);
    const { nonce } = await until(trackingId, 'pending');
    const other = await rpc<string>('eth_getTransactionByHash', [txHash]).then(async () => {
      await rpc('anvil_impersonateAccount', [farm.address]);
      const fee = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x2540be400' };
      return rpc<string>('eth_sendTransaction', [
        { from: farm.address, to: farm.address, nonce: `0x${Number(nonce).toString(16)}`, ...fee },
      ]);
    });
    await rpc('anvil_mine', ['0x1']);
    expect(await until(trackingId, 'replaced')).toMatchObject({
      replacedBy: other,
      blockNumber: null,
      error: expect.stringContaining(other),
    });
    await eventIs(eventId, 'failed');
  });

  it('accepts any hash of the chain; a transaction that changes no lot has no effects', async () => {
    const to = world.tenant('rice').actors.mill!.address;
    const hash = await farm.sender.send({ to, data: '0x', gasEstimate: 30_000, chainId: 31_337, value: 1n });
    const { trackingId } = await farm.api.tx.track(hash);
    expect(await until(trackingId, 'confirmed')).toMatchObject({ eventId: null, effects: { eventIds: [], tokenIds: [], transferIds: [] } });
    expect(await farm.api.get(`/api/v1/tx/status/${hash.toUpperCase().replace('0X', '0x')}`)).toMatchObject({
      trackingId: null,
      txHash: hash,
      status: 'confirmed',
    });
  });

  it('shows the state of an untracked transaction with the same fields', async () => {
    const { eventId, preparedTx } = await prepare('RH-20260915-T5');
    const { transactionHash } = await farm.sender.sendAndWait(preparedTx);
    const direct = await eventually('its confirmation', async () => {
      const found = await farm.api.get<Tracked>(`/api/v1/tx/status/${transactionHash}`);
      return found.status === 'confirmed' && found;
    });
    expect(direct).toMatchObject({ trackingId: null, submittedAt: null, eventId, effects: { eventIds: [eventId] } });
    const { trackingId } = await farm.api.tx.track(transactionHash);
    expect(Object.keys(direct).toSorted()).toEqual(Object.keys(await until(trackingId, 'confirmed')).toSorted());
    expect((await farm.api.tx.track(transactionHash.toUpperCase().replace('0X', '0x'))).trackingId).toBe(trackingId);
  });

  it('lists the own transactions in pages', async () => {
    const first = await farm.api.get<{ data: Tracked[]; total: number; nextCursor: string }>('/api/v1/tx?limit=2&status=confirmed');
    expect(first.total).toBeGreaterThanOrEqual(4);
    const second = await farm.api.get<{ data: Tracked[] }>(`/api/v1/tx?limit=2&status=confirmed&cursor=${first.nextCursor}`);
    expect(new Set([...first.data, ...second.data].map(({ trackingId }) => trackingId)).size).toBe(4);
    expect(await admin.get('/api/v1/tx')).toMatchObject({ data: [], total: 0, page: 1, limit: 20, nextCursor: null });
    const { secret } = await admin.post<{ secret: string }>('/api/v1/api-keys', { name: 'tracks', roles: ['OPERATOR'] });
    const asKey = async (path: string, init: RequestInit = {}): Promise<Json> =>
      (await (
        await fetch(world.baseUrl + path, { ...init, headers: { 'x-api-key': secret, 'content-type': 'application/json' } })
      ).json()) as Json;
    const own = keccakOf('of the key');
    await asKey('/api/v1/tx/track', { method: 'POST', body: JSON.stringify({ txHash: own }) });
    expect(await asKey('/api/v1/tx')).toMatchObject({ total: 1, data: [{ txHash: own, status: 'submitted' }] });
  });

  it.each<[string, 'GET' | 'POST', string, object | undefined, number, string]>([
    ['a short hash', 'POST', 'track', { txHash: '0x12' }, 400, 'malformed_request'],
    ['no hash', 'POST', 'track', {}, 400, 'malformed_request'],
    ['a list for a body', 'POST', 'track', [keccakOf('x')], 400, 'malformed_request'],
    ['an unknown field', 'POST', 'track', { txHash: keccakOf('x'), kind: 'x' }, 400, 'malformed_request'],
    ['a type of 65 characters', 'POST', 'track', { txHash: keccakOf('x'), type: 'x'.repeat(65) }, 400, 'malformed_request'],
    ['an empty type', 'POST', 'track', { txHash: keccakOf('x'), type: '' }, 400, 'malformed_request'],
    ['an unknown tracking', 'GET', '00000000-0000-4000-8000-000000000000', undefined, 404, 'tracked_transaction_not_found'],
    ['a tracking id that is none', 'GET', 'x', undefined, 404, 'tracked_transaction_not_found'],
    ['a hash that is none', 'GET', 'status/0x12', undefined, 400, 'malformed_request'],
    ['a hash of another chain', 'GET', `status/${keccakOf('elsewhere')}`, undefined, 404, 'transaction_not_found'],
    ['an unknown status', 'GET', '?status=done', undefined, 400, 'malformed_request'],
    ['a time that is none', 'GET', '?from=yesterday', undefined, 400, 'malformed_request'],
    ['times the wrong way round', 'GET', '?from=2026-02-01&to=2026-01-01', undefined, 400, 'malformed_request'],
    ['a cursor that is none', 'GET', '?cursor=abc', undefined, 400, 'malformed_request'],
    ['a page of 101', 'GET', '?limit=101', undefined, 400, 'malformed_request'],
  ])('refuses %s', async (_, method, path, body, status, code) => {
    const whole = `/api/v1/tx${path.startsWith('?') ? path : `/${path}`}`;
    await expect(farm.api.request(method, whole, body)).rejects.toMatchObject({ status, code });
  });
});
