import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainHead, ChainProfile, LandedLog } from '#chain';
import { type Actor, EngineUnavailable, type Hex, ZERO_BYTES32, eventIdBytes, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { TransactionsLogHandler, transactionsPersistence } from '#transactions';
import {
  type Look,
  type Sighting,
  TrackTransaction,
  TrackedQueries,
  WatchTransactions,
  sqlTrackedTransactions,
} from '#transactions/testing';

const rice = newId();
const wool = newId();
const contract = '0xC0';
const chain = { chainId: 31337, confirmations: 2 } as ChainProfile;
const now = new Date('2026-09-20T15:00:00Z');
const person = (tenantId: string): Actor => ({ kind: 'user', id: 'u', tenantId }) as unknown as Actor;
const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;

let database: TestDatabase;
let head = 10;
let onChain: Map<string, Sighting>;
let nodeIsAway = false;
const chainHead = { position: async () => ({ head, final: head }) } as unknown as ChainHead;
const lookout = {
  look: async (hashes: readonly string[]): Promise<Look> => {
    if (nodeIsAway) throw new EngineUnavailable('chain');
    return { head, sightings: new Map(hashes.map((asked) => [asked, onChain.get(asked) ?? unseen])) };
  },
};
const unseen: Sighting = { sent: null, mined: null, revertReason: null, eventId: null };
const inPool: Sighting = { ...unseen, sent: { from: '0xFa', to: contract, nonce: 4 } };
const minedIn = (blockNumber: number): Sighting => ({
  ...inPool,
  mined: { blockNumber, blockHash: hash(blockNumber), succeeded: true, gasUsed: '41000', effectiveGasPrice: '7' },
});

beforeAll(async () => {
  database = await cloneTestDatabase([transactionsPersistence]);
});
afterAll(() => database.drop());
beforeEach(async () => {
  [head, onChain, nodeIsAway] = [10, new Map(), false];
  await database.unitOfWork.asSystem(async (tx) => {
    await tx.sql('delete from transactions.tracked');
    await tx.sql('delete from transactions.landed');
  });
});

const track = (tenantId: string, txHash: string, type?: string) =>
  new TrackTransaction(database.unitOfWork, sqlTrackedTransactions(), chain, { now: () => now }).track(person(tenantId), {
    txHash,
    ...(type && { type }),
  });
const watch = () => new WatchTransactions(database.unitOfWork, sqlTrackedTransactions(), lookout, chainHead, chain).watch(now);
const read = (tenantId: string, id: string) =>
  new TrackedQueries(database.unitOfWork, sqlTrackedTransactions(), chainHead, chain).byId(person(tenantId), id);

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
      lastCheckedAt: now.toISOString(),
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
    expect(await read(rice, id)).toMatchObject({ status: 'confirmed', confirmations: 2, confirmedAt: now.toISOString(), error: null });
    expect(await watch()).toBe(0);
  });

  it('sets it back to pending when a reorg takes its block away', async () => {
    const { id } = await track(rice, hash(1));
    onChain.set(hash(1), minedIn(10));
    await watch();
    onChain.set(hash(1), inPool);
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

  it('passes over what another worker is writing at the moment', async () => {
    const { id } = await track(rice, hash(1));
    onChain.set(hash(1), minedIn(5));
    await database.unitOfWork.inTransaction({ tenantId: rice }, async (tx) => {
      await sqlTrackedTransactions().lock(tx, [id]);
      await watch();
      expect((await read(rice, id)).status).toBe('submitted');
    });
    await watch();
    expect((await read(rice, id)).status).toBe('confirmed');
  });
});

describe('effects of a transaction', () => {
  const handler = new TransactionsLogHandler();
  const event = newId();
  const log = (name: string, block: number, args: object, txHash: Hex = hash(1)): LandedLog =>
    ({
      name,
      args,
      contract,
      block: { number: block, hash: hash(block), timestamp: now },
      txHash,
      logIndex: 0,
      txLogIndex: 0,
    }) as unknown as LandedLog;
  const land = (...logs: LandedLog[]) =>
    database.unitOfWork.inTransaction({ tenantId: rice }, (tx) => handler.apply(tx, { chainId: 31337, contract, logs }));
  const rows = () =>
    database.unitOfWork.inTransaction({ tenantId: rice }, (tx) => tx.sql('select * from transactions.landed order by tx_hash'));

  it('are told from the projection, also of a hash that is tracked later', async () => {
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

  it('are taken back by block and are the same when the blocks come again', async () => {
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
