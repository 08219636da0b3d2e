import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChainHead, type ChainProfile, JsonRpc } from '#chain';
import { DemoChain, type TestAnvil, devWallet, startTestAnvil } from '#chain/testing';
import { type Actor, DomainError, type Hex, keccakOf, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { transactionsPersistence } from '#transactions';
import {
  EffectQueries,
  PublishOutcome,
  ReadTrackingContext,
  TrackTransaction,
  type TrackedTransaction,
  TrackedQueries,
  TransactionClient,
  WatchTransactions,
} from '#transactions/testing';
import { LyingRpc } from '../harness/lying-rpc.js';

const CHAIN_ID = 31337;
const chain = { chainId: CHAIN_ID, confirmations: 1 } as ChainProfile;
const start = new Date('2026-09-20T15:00:00Z');
const after = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000);
const invented = (n: number): Hex => keccakOf(`invented ${n}`);
const HALF_HOUR = 1_800_000;

/** Counts the rows that polls write. */
class CountingQueries extends TrackedQueries {
  written = 0;

  override async save(tx: TenantTx, tracked: readonly TrackedTransaction[]): Promise<void> {
    this.written += tracked.length;
    await super.save(tx, tracked);
  }
}

/** Shares of the watcher (docs/spec/domain.md#tracked-transactions), on a real database and a real node. */
describe('hashes that a tenant invents', () => {
  const [rice, wool] = [newId(), newId()];
  let database: TestDatabase;
  let anvil: TestAnvil;
  let demo: DemoChain;
  let front: LyingRpc;
  let queries: CountingQueries;
  let clock = start;
  let head = 0;

  beforeAll(async () => {
    database = await cloneTestDatabase([transactionsPersistence]);
    anvil = await startTestAnvil();
    demo = await DemoChain.deploy(anvil.url);
    front = await LyingRpc.before(anvil.url);
  });
  afterAll(async () => {
    await front.close();
    demo.close();
    await anvil.stop();
    await database.drop();
  });
  beforeEach(async () => {
    [queries, clock] = [new CountingQueries(), start];
    front.asked.clear();
    await database.unitOfWork.asSystem((tx) => tx.sql('delete from transactions.tracked'));
  });

  const chainHead = { position: async () => ({ head, final: head }) } as unknown as ChainHead;
  const effects = new EffectQueries();
  const context = new ReadTrackingContext(chain, chainHead, effects, { now: () => clock });
  const outcome = new PublishOutcome({ follow: async () => undefined, relay: async () => undefined }, effects, {
    byId: async () => ({ slug: 'rice', contract: '0xC0' }),
  } as never);
  const poll = (): Promise<number> =>
    new WatchTransactions(
      database.unitOfWork,
      queries,
      new TransactionClient(new JsonRpc({ urls: [front.url], timeoutMs: 10_000, passes: 1 })),
      context,
      outcome,
    ).poll(clock, HALF_HOUR);
  const track = (tenantId: string, txHash: string, settings?: { neverSeenPerTenant: number }): Promise<TrackedTransaction> =>
    new TrackTransaction(database.unitOfWork, queries, chain, { now: () => clock }, settings).track(
      { kind: 'user', id: 'u', tenantId } as unknown as Actor,
      { txHash },
    );
  const refusedWith = (code: string) => (error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== code) throw error;
    return null;
  };
  const calls = (): number => [...front.asked.values()].reduce((sum, asked) => sum + asked, 0);
  const mined = async (): Promise<string> => {
    const txHash = await demo.rpc.call<string>('eth_sendTransaction', [
      { from: devWallet(1).address, to: devWallet(2).address, value: '0x1' },
    ]);
    await demo.mine();
    head = await demo.head();
    return txHash;
  };

  it('cost little: 6,000 in ten minutes are a thousand rows, 100 node calls and 30 row updates a second', async () => {
    let refused = 0;
    for (let second = 0; second < 600; second += 2) {
      clock = after(second);
      const hashes = Array.from({ length: 20 }, (_, i) => invented(second * 10 + i));
      for (const hash of hashes) if (!(await track(rice, hash).catch(refusedWith('too_many_open_transactions')))) refused++;
      await poll();
    }
    expect(refused).toBe(5_000);
    // With every open hash in every poll it were 9,850 calls and 2,788 updates a second.
    expect(calls() / 600).toBeLessThan(100);
    expect(queries.written / 600).toBeLessThan(30);
  });

  it('do not delay the transaction of another tenant, not even by one batch', async () => {
    await database.unitOfWork.inTransaction({ tenantId: rice }, (tx) =>
      tx.sql(
        `insert into transactions.tracked (tenant_id, id, chain_id, tx_hash, type, status, owner_kind, owner_id, submitted_at)
         select $1, gen_random_uuid(), ${CHAIN_ID}, '0x' || lpad(to_hex(n), 64, '0'), 'custom', 'pending', 'user', 'u', $2 from generate_series(1, 5000) n`,
        [rice, start],
      ),
    );
    const txHash = await mined();
    await track(wool, txHash);
    const due = await database.unitOfWork.asSystem((tx) => queries.open(tx, CHAIN_ID, clock, 10));
    expect(due.filter(({ tenantId }) => tenantId === wool)).toHaveLength(1);
    expect(due).toHaveLength(10);
    expect(await poll()).toBe(5_001);
    const [row] = await database.unitOfWork.asSystem((tx) =>
      tx.sql('select status from transactions.tracked where tx_hash = $1', [txHash]),
    );
    expect(row).toEqual({ status: 'confirmed' });
  });

  it('are refused beyond the limit, also 60 at once, and only those of this tenant', async () => {
    const settings = { neverSeenPerTenant: 20 };
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => track(rice, invented(n), settings).catch(refusedWith('too_many_open_transactions'))),
    );
    const accepted = answers.filter((answer) => answer !== null);
    expect(accepted).toHaveLength(20);
    expect((await track(rice, accepted[0]!.txHash, settings)).id).toBe(accepted[0]!.id);
    await expect(track(rice, invented(99), settings)).rejects.toMatchObject({ status: 429, details: { limit: 20, retryAfterSeconds: 60 } });
    await expect(track(wool, invented(99), settings)).resolves.toMatchObject({ status: 'submitted' });
  });

  it('leave room again when a node has seen one of them, or they are dropped', async () => {
    const settings = { neverSeenPerTenant: 1 };
    await track(rice, await mined(), settings);
    await expect(track(rice, invented(1), settings)).rejects.toMatchObject({ code: 'too_many_open_transactions' });
    await poll();
    await track(rice, invented(1), settings);
    await poll();
    clock = after(1_801);
    await poll();
    await expect(track(rice, invented(2), settings)).resolves.toMatchObject({ status: 'submitted' });
  });

  it('are looked for more rarely the older they get, and a few times in the week after they were dropped', async () => {
    await track(rice, invented(1));
    const polled: number[] = [];
    for (let second = 0; second < 8 * 86_400; second += second < 2_000 ? 5 : 300) {
      clock = after(second);
      if ((await poll()) > 0) polled.push(second);
    }
    const pauses = polled.slice(1).map((second, i) => second - polled[i]!);
    const dropped = polled.findIndex((second) => second >= 1_800);
    expect(pauses.slice(0, dropped - 1)).toEqual(pauses.slice(0, dropped - 1).toSorted((a, b) => a - b));
    expect(dropped).toBeLessThan(25);
    expect(polled.length - dropped).toBeLessThan(30);
    expect(polled.at(-1)).toBeGreaterThan(4 * 86_400);
  });

  it('are looked for at once when they land on a contract of the tenant after all', async () => {
    const txHash = invented(1);
    await track(rice, txHash);
    for (const second of [0, 400]) {
      clock = after(second);
      await poll();
    }
    clock = after(401);
    expect(await poll()).toBe(0);
    const landed = [{ txHash, block: 1, eventIds: [], tokenIds: [], transferIds: [] }];
    await database.unitOfWork.asSystem((tx) => tx.forTenant(rice, (own) => effects.wake(own, CHAIN_ID, landed)));
    expect(await poll()).toBe(1);
  });

  it('and others are not written by a poll that changes nothing, but for its time once a minute', async () => {
    await demo.rpc.call('evm_setAutomine', [false]);
    const from = devWallet(1).address;
    const txHash = await demo.rpc.call<string>('eth_sendTransaction', [{ from, to: devWallet(2).address, value: '0x1' }]);
    await track(rice, txHash);
    const written: number[] = [];
    for (const second of [1, 2, 30, 62]) {
      clock = after(second);
      await poll();
      written.push(queries.written);
    }
    await demo.rpc.call('evm_setAutomine', [true]);
    await demo.mine();
    expect(written).toEqual([1, 1, 1, 2]);
  });
});
