import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainHead, ChainProfile, ContractLog } from '#chain';
import { type Actor, EngineUnavailable, type Hex, ZERO_BYTES32, eventIdBytes, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import type { Tenants } from '#identity';
import type { EventTracking, SentRecord } from '#traceability';
import { TransactionsProjector, transactionsPersistence } from '#transactions';
import {
  EffectQueries,
  ListTracked,
  NOTHING_OBSERVED,
  type Observation,
  type ObservedHash,
  type PollResult,
  PublishOutcome,
  ReadTrackingContext,
  TrackTransaction,
  TrackedQueries,
  TrackingController,
  type TransactionClient,
  WatchTransactions,
} from '#transactions/testing';
import { countingStatements } from '../harness/counting-statements.js';

const rice = newId();
const wool = newId();
const contract = '0xC0';
const chain = { chainId: 31337, confirmations: 2 } as ChainProfile;
const now = new Date('2026-09-20T15:00:00Z');
const person = (tenantId: string): Actor => ({ kind: 'user', id: 'u', tenantId }) as unknown as Actor;
const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;

let database: TestDatabase;
let head = 10;
let onChain: Map<string, Observation>;
let nodeIsAway = false;
let clock = now;
let sentEvents: SentRecord[] = [];
const HALF_HOUR = 1_800_000;
const chainHead = { position: async () => ({ head, final: head }) } as unknown as ChainHead;
const client = {
  observe: async (hashes: readonly ObservedHash[]): Promise<PollResult> => {
    if (nodeIsAway) throw new EngineUnavailable('chain');
    return { head, observations: new Map(hashes.map(({ txHash }) => [txHash, onChain.get(txHash) ?? unseen])) };
  },
} as unknown as TransactionClient;
const unseen: Observation = NOTHING_OBSERVED;
const inPool: Observation = { ...unseen, sent: { from: '0xFa', to: contract, nonce: 4 } };
const minedIn = (blockNumber: number): Observation => ({
  ...inPool,
  mined: { blockNumber, blockHash: hash(blockNumber), blockTime: now, succeeded: true, gasUsed: '41000', effectiveGasPrice: '7' },
});

beforeAll(async () => {
  database = await cloneTestDatabase([transactionsPersistence]);
});
afterAll(() => database.drop());
beforeEach(async () => {
  [head, onChain, nodeIsAway, sentEvents, clock] = [10, new Map(), false, [], now];
  await database.unitOfWork.asSystem(async (tx) => {
    await tx.sql('delete from transactions.tracked');
    await tx.sql('delete from transactions.landed');
    await tx.sql('delete from persistence.outbox');
  });
});

const tracked = new TrackedQueries();
const effects = new EffectQueries();
const context = new ReadTrackingContext(chain, chainHead, effects, { now: () => clock });
const track = (tenantId: string, txHash: string, type?: string) =>
  new TrackTransaction(database.unitOfWork, tracked, chain, { now: () => now }).track(person(tenantId), {
    txHash,
    ...(type && { type }),
  });
const follow = {
  follow: async (_: unknown, sent: readonly SentRecord[]): Promise<void> => void sentEvents.push(...sent),
} as unknown as EventTracking;
const tenants = { byId: async (id: string) => ({ slug: id === rice ? 'rice' : 'wool', contract }) } as unknown as Tenants;
/** Each poll a second after the one before. */
const tick = (seconds = 1): Date => (clock = new Date(clock.getTime() + seconds * 1_000));
const watch = (at = tick()) =>
  new WatchTransactions(database.unitOfWork, tracked, client, context, new PublishOutcome(follow, effects, tenants)).poll(at, HALF_HOUR);
const routes = () => new TrackingController(null as never, new ListTracked(database.unitOfWork, tracked, context), null as never);
const read = (tenantId: string, id: string) => routes().get(person(tenantId), id);

describe('tracking a transaction', () => {
  it('gives the same hash the first tracking again, in any case and at the same moment, and each tenant its own', async () => {
    const first = await track(rice, `0x${'AB'.repeat(32)}`, 'harvest');
    const again = await Promise.all(['Ab', 'ab', 'AB'].map((pair) => track(rice, `0x${pair.repeat(32)}`, 'other')));
    expect(again.map(({ id, type }) => [id, type])).toEqual(Array.from({ length: 3 }, () => [first.id, 'harvest']));
    expect((await track(wool, `0x${'ab'.repeat(32)}`)).id).not.toBe(first.id);
  });

  it('follows it from the pool over its block to finality', async () => {
    const { id } = await track(rice, hash(1));
    expect(await read(rice, id)).toMatchObject({
      trackingId: id,
      status: 'submitted',
      type: 'custom',
      confirmations: 0,
      lastCheckedAt: null,
    });
    onChain.set(hash(1), inPool);
    await watch();
    expect(await read(rice, id)).toMatchObject({
      status: 'pending',
      from: '0xFa',
      to: contract,
      nonce: 4,
      lastCheckedAt: clock.toISOString(),
    });
    onChain.set(hash(1), minedIn(10));
    await watch();
    expect(await read(rice, id)).toMatchObject({
      status: 'confirming',
      confirmations: 1,
      requiredConfirmations: 2,
      blockNumber: 10,
      gasUsed: '41000',
    });
    head = 11;
    await watch();
    expect(await read(rice, id)).toMatchObject({ status: 'confirmed', confirmations: 2, confirmedAt: clock.toISOString(), error: null });
    expect(await watch()).toBe(0);
  });

  it('sets it back to pending when a reorg takes its block away', async () => {
    const { id } = await track(rice, hash(1));
    onChain.set(hash(1), minedIn(10));
    await watch();
    onChain.set(hash(1), { ...inPool, orphaned: true });
    await watch();
    expect(await read(rice, id)).toMatchObject({ status: 'pending', blockNumber: null, blockHash: null });
  });

  it('writes nothing while the node is away', async () => {
    const { id } = await track(rice, hash(1));
    nodeIsAway = true;
    await expect(watch()).rejects.toThrow(EngineUnavailable);
    expect(await read(rice, id)).toMatchObject({ status: 'submitted', lastCheckedAt: null });
  });

  it('watches all tenants at once and shows each only its own', async () => {
    const [ofRice, ofWool] = [await track(rice, hash(1)), await track(wool, hash(1))];
    onChain.set(hash(1), minedIn(5));
    expect(await watch()).toBe(2);
    expect([(await read(rice, ofRice.id)).status, (await read(wool, ofWool.id)).status]).toEqual(['confirmed', 'confirmed']);
    await expect(read(rice, ofWool.id)).rejects.toMatchObject({ status: 404, code: 'tracked_transaction_not_found' });
    await expect(read(rice, newId())).rejects.toMatchObject({ status: 404 });
  });

  it('writes down what it found of a tenant although what it found of another cannot be written', async () => {
    const [ofRice, ofWool] = [await track(rice, hash(1)), await track(wool, hash(2))];
    onChain.set(hash(1), { ...minedIn(5), mined: { ...minedIn(5).mined!, succeeded: false }, revertReason: 'Error(\0)' });
    onChain.set(hash(2), minedIn(5));
    await expect(watch()).rejects.toMatchObject({ errors: [{ message: expect.stringContaining(`tenant ${rice}`) }] });
    expect([(await read(rice, ofRice.id)).status, (await read(wool, ofWool.id)).status]).toEqual(['submitted', 'confirmed']);
  });

  it('passes over what another worker is writing at the moment', async () => {
    const { id } = await track(rice, hash(1));
    onChain.set(hash(1), minedIn(5));
    await database.unitOfWork.inTransaction({ tenantId: rice }, async (tx) => {
      await tracked.lock(tx, [id]);
      await watch();
      expect((await read(rice, id)).status).toBe('submitted');
    });
    await watch();
    expect((await read(rice, id)).status).toBe('confirmed');
  });
});

describe('what becomes of a transaction', () => {
  const outbox = (): Promise<{ topic: string; body: string; released: boolean }[]> =>
    database.unitOfWork.asSystem((tx) => tx.sql('select topic, body, released from persistence.outbox order by seq'));
  const statusOf = async (id: string): Promise<string> => (await read(rice, id)).status;
  const carrying = (observation: Observation): Observation => ({ ...observation, eventId: event, eventDataHash: hash(0xda) });
  const reverted = (block: number): Observation => ({
    ...minedIn(block),
    mined: { ...minedIn(block).mined!, succeeded: false },
    revertReason: 'TlcTaken(3)',
  });
  const event = newId();

  it('goes into the outbox once, with the data that subscribers get, after it is final', async () => {
    const [good, bad] = [await track(rice, hash(1), 'harvest'), await track(rice, hash(2))];
    onChain.set(hash(1), minedIn(9)).set(hash(2), reverted(10));
    await watch();
    expect((await outbox()).map(({ topic }) => topic)).toEqual(['transaction.confirmed']);
    head = 11;
    await Promise.all([watch(), watch()]);
    await watch();
    const sent = await outbox();
    expect(sent.map(({ topic, released }) => [topic, released])).toEqual([
      ['transaction.confirmed', true],
      ['transaction.failed', true],
    ]);
    const common = { tenantId: 'rice', chainId: 31337, contractAddress: contract, from: '0xFa', confirmations: 2 };
    expect(sent.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      {
        event: 'transaction.confirmed',
        timestamp: now.toISOString(),
        data: {
          ...common,
          trackingId: good.id,
          txHash: hash(1),
          type: 'harvest',
          status: 'confirmed',
          blockNumber: 9,
          occurredAt: now.toISOString(),
          revertReason: null,
          effects: { eventIds: [], tokenIds: [], transferIds: [] },
        },
      },
      { data: { ...common, trackingId: bad.id, status: 'failed', revertReason: 'TlcTaken(3)' } },
    ]);
  });

  it('does not end twice when a receipt flips in a reorg before it is final', async () => {
    const { id } = await track(rice, hash(1));
    onChain.set(hash(1), reverted(10));
    await watch();
    onChain.set(hash(1), minedIn(11));
    head = 12;
    await watch();
    await watch();
    expect(await statusOf(id)).toBe('confirmed');
    expect((await outbox()).map(({ topic }) => topic)).toEqual(['transaction.confirmed']);
  });

  it('makes its event submitted, and failed when it reverted', async () => {
    await track(rice, hash(1));
    onChain.set(hash(1), carrying(inPool));
    await watch();
    await watch();
    onChain.set(hash(1), carrying(reverted(9)));
    await watch();
    const about = { eventId: event, dataHash: hash(0xda), from: '0xFa' };
    expect(sentEvents).toEqual([
      { ...about, status: 'submitted' },
      { ...about, status: 'failed' },
    ]);
  });

  it('says nothing about events when the call went to another contract', async () => {
    await track(rice, hash(1));
    onChain.set(hash(1), carrying({ ...inPool, sent: { ...inPool.sent!, to: '0xElse' } }));
    await watch();
    expect(sentEvents).toEqual([]);
  });

  it('is dropped after half an hour without a sight of it, looked for each minute, and revives', async () => {
    const { id } = await track(rice, hash(1));
    await watch();
    expect(await statusOf(id)).toBe('submitted');
    await watch(tick(1_801));
    expect(await read(rice, id)).toMatchObject({ status: 'dropped', error: expect.stringContaining('chain 31337') });
    expect(await watch(tick(10))).toBe(0);
    onChain.set(hash(1), inPool);
    await watch(tick(60));
    expect(await statusOf(id)).toBe('pending');
  });

  it('is not looked for any more after a week, unless it is given to track again', async () => {
    const { id } = await track(rice, hash(1));
    await watch();
    await watch(tick(1_801));
    expect(await statusOf(id)).toBe('dropped');
    onChain.set(hash(1), minedIn(5));
    expect(await watch(tick(8 * 86_400))).toBe(0);
    const again = await new TrackTransaction(database.unitOfWork, tracked, chain, { now: () => clock }).track(person(rice), {
      txHash: hash(1),
    });
    expect(again.id).toBe(id);
    await watch();
    expect(await statusOf(id)).toBe('confirmed');
  });

  it('is replaced by what took its nonce, and confirmed when a reorg takes that away again', async () => {
    const { id } = await track(rice, hash(1));
    onChain.set(hash(1), { ...unseen, replaced: { by: hash(2) } });
    await watch();
    expect(await read(rice, id)).toMatchObject({ status: 'replaced', replacedBy: hash(2), error: expect.stringContaining(hash(2)) });
    expect(await outbox()).toEqual([]);
    onChain.set(hash(1), minedIn(5));
    await watch(tick(61));
    expect(await read(rice, id)).toMatchObject({ status: 'confirmed', replacedBy: null, error: null });
  });

  it('takes a fixed number of statements for each thousand', async () => {
    await database.unitOfWork.inTransaction({ tenantId: rice }, (tx) =>
      tx.sql(
        `insert into transactions.tracked (tenant_id, id, chain_id, tx_hash, type, status, owner_kind, owner_id, submitted_at)
         select $1, gen_random_uuid(), 31337, '0x' || lpad(to_hex(n), 64, '0'), 'custom', 'pending', 'user', 'u', now() from generate_series(1, 10000) n`,
        [rice],
      ),
    );
    for (let n = 1; n <= 10_000; n++) onChain.set(hash(n), minedIn(5));
    const { statements, result } = await countingStatements(database, () => watch());
    expect(result).toBe(10_000);
    expect(statements).toBeLessThan(300);
    expect(await outbox()).toHaveLength(10_000);
    expect(await watch()).toBe(0);
  });
});

describe('the list of trackings', () => {
  const key = { kind: 'api_key', id: 'k', tenantId: rice } as unknown as Actor;
  const page = (query: object = {}, actor = person(rice)) => routes().list(actor, { page: 1, limit: 20, ...query });
  const trackAt = (n: number, type = 'custom', actor = person(rice)) =>
    new TrackTransaction(database.unitOfWork, tracked, chain, { now: () => new Date(now.getTime() + n * 60_000) }).track(actor, {
      txHash: hash(n),
      type,
    });
  const hashes = ({ data }: { readonly data: readonly { readonly txHash: string | null }[] }): (string | null)[] =>
    data.map(({ txHash }) => txHash);

  it('is the own of the principal, newest first, in pages and by cursor', async () => {
    for (const n of [1, 2, 3, 4, 5]) await trackAt(n);
    await trackAt(6, 'custom', key);
    await trackAt(7, 'custom', person(wool));
    expect(await page()).toMatchObject({ total: 5, page: 1, limit: 20, nextCursor: null });
    expect(hashes(await page())).toEqual([5, 4, 3, 2, 1].map(hash));
    expect(hashes(await page({}, key))).toEqual([hash(6)]);
    const first = await page({ limit: 2 });
    await trackAt(8);
    const second = await page({ limit: 2, cursor: first.nextCursor! });
    expect([hashes(first), hashes(second)]).toEqual([[5, 4].map(hash), [3, 2].map(hash)]);
    await expect((async () => page({ limit: 2, cursor: first.nextCursor! }, key))()).rejects.toMatchObject({ status: 400 });
    await expect((async () => page({ cursor: first.nextCursor!, status: 'pending' }))()).rejects.toMatchObject({ status: 400 });
    expect(hashes(await page({ page: 2, limit: 4 }))).toEqual([2, 1].map(hash));
  });

  it('filters by status, type and time', async () => {
    for (const n of [1, 2, 3]) await trackAt(n, n === 2 ? 'harvest' : 'custom');
    onChain.set(hash(3), minedIn(5));
    await watch();
    expect(hashes(await page({ status: 'confirmed' }))).toEqual([hash(3)]);
    expect(hashes(await page({ type: 'harvest' }))).toEqual([hash(2)]);
    const minute = (n: number): string => new Date(now.getTime() + n * 60_000).toISOString();
    expect(hashes(await page({ from: minute(2), to: minute(3) }))).toEqual([hash(2)]);
    await expect((async () => page({ from: minute(3), to: minute(2) }))()).rejects.toMatchObject({ status: 400 });
    await expect((async () => page({ from: 'yesterday' }))()).rejects.toMatchObject({ status: 400 });
  });
});

describe('effects of a transaction', () => {
  const handler = new TransactionsProjector(effects);
  const event = newId();
  const log = (name: string, block: number, args: object, txHash: Hex = hash(1)): ContractLog =>
    ({
      name,
      args,
      contract,
      block: { number: block, hash: hash(block), timestamp: now },
      txHash,
      logIndex: 0,
      txLogIndex: 0,
    }) as unknown as ContractLog;
  const land = (...logs: ContractLog[]) =>
    database.unitOfWork.inTransaction({ tenantId: rice }, (tx) => handler.apply(tx, { chainId: 31337, contract, logs }));
  const rows = () =>
    database.unitOfWork.inTransaction({ tenantId: rice }, (tx) => tx.sql('select * from transactions.landed order by tx_hash'));

  it('are read from the indexed logs, also for a hash that is tracked later', async () => {
    await land(
      log('EventRecorded', 9, { eventId: eventIdBytes(event) }),
      log('LotMinted', 9, { eventId: eventIdBytes(event), tokenId: 8n }),
      log('LotMinted', 9, { eventId: eventIdBytes(event), tokenId: 7n }),
      log('CustodyOffered', 9, { eventId: ZERO_BYTES32, offerNo: 3n, tokenIds: [5n, 6n] }, hash(2)),
      log('LotsRetired', 9, { eventId: ZERO_BYTES32, tokenIds: [5n] }, hash(2)),
    );
    const [one, two] = [await track(rice, hash(1)), await track(rice, hash(2))];
    expect((await read(rice, one.id)).effects).toEqual({ eventIds: [event], tokenIds: [7, 8], transferIds: [] });
    expect((await read(rice, two.id)).effects).toEqual({ eventIds: [], tokenIds: [5, 6], transferIds: ['5-3', '6-3'] });
  });

  it('are undone by block and are the same when the blocks come again', async () => {
    const history = [
      log('LotMinted', 9, { eventId: ZERO_BYTES32, tokenId: 1n }),
      log('LotMinted', 12, { eventId: ZERO_BYTES32, tokenId: 2n }, hash(2)),
    ];
    await land(...history);
    const before = await rows();
    await database.unitOfWork.asSystem((tx) => handler.undo(tx, 31337, 10));
    expect(await rows()).toHaveLength(1);
    await land(...history.slice(1));
    expect(await rows()).toEqual(before);
  });
});
