import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { chainPersistence, Deployments, Indexer, type IndexerOptions, JsonRpc, RpcNode } from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { keccakOf, newId } from '#kernel';
import type { UnitOfWork } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { eventually } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';
import { ProbeDirectory, ProbeProjector, probePersistence } from './chain-probe.js';

export const CHAIN_ID = 31_337;
/** Id of the tenant. */
export const RICE = newId();
const admin = devWallet(1);

interface Started {
  readonly indexer: Indexer;
  readonly rpc: JsonRpc;
  readonly first: ProbeProjector;
  readonly second: ProbeProjector;
}

interface ProbeLog {
  readonly handler: string;
  readonly block: number;
  readonly hash: string;
  readonly index: number;
  readonly tx_index: number;
  readonly name: string;
}

/** One chain with a tenant's contract for all tests of a file; for each test a database and a proxy of the node that can lie. */
class IndexerWorld {
  anvil!: TestAnvil;
  chain!: DemoChain;
  contract!: string;
  database!: TestDatabase;
  front!: LyingRpc;
  /** They are stopped after the test. */
  readonly running: Indexer[] = [];
  private lot = 0;

  start = async (options: Partial<IndexerOptions> & { urls?: readonly string[]; unitOfWork?: UnitOfWork } = {}): Promise<Started> => {
    const { urls = [this.front.url], unitOfWork = this.database.unitOfWork, ...more } = options;
    const rpc = new JsonRpc({ urls, timeoutMs: 400 });
    const deployments = new Deployments(unitOfWork, CHAIN_ID, null);
    await deployments.record(this.chain.registry, this.chain.deployed.block);
    const indexer = new Indexer(
      { unitOfWork, rpc, node: new RpcNode(urls, rpc, CHAIN_ID), deployments },
      { chainId: CHAIN_ID, confirmations: 1, reorgWindow: 64, pollMs: 20, ...more },
    );
    const [first, second] = [new ProbeProjector('first'), new ProbeProjector('second')];
    indexer.start({ directory: new ProbeDirectory(), projectors: [first, second] });
    this.running.push(indexer);
    return { indexer, rpc, first, second };
  };

  projected = (): Promise<ProbeLog[]> =>
    this.database.unitOfWork.asSystem((tx) =>
      tx.sql<ProbeLog>(
        `select handler, block_number::int as block, block_hash as hash, log_index as index, tx_log_index as tx_index, name
         from chain_probe.log order by block_number, log_index, handler`,
      ),
    );

  outbox = (): Promise<{ key: string; released: boolean }[]> =>
    this.database.unitOfWork.asSystem((tx) => tx.sql('select dedup_key as key, released from persistence.outbox order by seq'));

  /** The tables hold every followed log of the canonical chain once per projector, and nothing else. */
  expectCanonicalLogs = async (): Promise<void> => {
    const logs = await this.chain.rpc.call<{ address: string; topics: string[]; blockHash: string; logIndex: string }[]>('eth_getLogs', [
      { fromBlock: '0x0', toBlock: 'latest', address: this.contract },
    ]);
    const names = new Set(['RolesChanged', 'EventRecorded', 'LotMinted']);
    const rows = await this.projected();
    expect(rows.every((row) => names.has(row.name))).toBe(true);
    const transfer = keccakOf('Transfer(address,address,uint256)');
    const expected = logs.filter((log) => log.topics[0] !== transfer).map((log) => `${log.blockHash}:${Number(log.logIndex)}`);
    for (const handler of ['first', 'second'])
      expect(rows.filter((row) => row.handler === handler).map((row) => `${row.hash}:${row.index}`)).toEqual(expected);
  };

  eventuallyAtHead = (indexer: Indexer): Promise<unknown> =>
    eventually(
      'the indexer is at the head',
      async () => indexer.status.state === 'following' && indexer.status.head === (await this.chain.head()),
    );

  mint = (lots = 1) =>
    this.chain.mint(
      admin,
      this.contract,
      Array.from({ length: lots }, () => `LOT-${++this.lot}`),
    );
}

/** Call it once at the top of a spec file: it starts and stops what the tests use. */
export function indexerWorld(): IndexerWorld {
  const world = new IndexerWorld();
  beforeAll(async () => {
    world.anvil = await startTestAnvil({ canReorg: true });
    world.chain = await DemoChain.deploy(world.anvil.url);
    world.contract = await world.chain.createTenant('rice');
  });
  afterAll(async () => {
    world.chain?.close();
    await world.anvil?.stop();
  });
  beforeEach(async () => {
    world.database = await indexerDatabase();
    world.front = await LyingRpc.before(world.anvil.url);
  });
  afterEach(async () => {
    await Promise.all(world.running.splice(0).map((indexer) => indexer.stop()));
    await world.front.close();
    await world.database.drop();
  });
  return world;
}

/** With the tenant in it. */
export async function indexerDatabase(): Promise<TestDatabase> {
  const database = await cloneTestDatabase([chainPersistence, probePersistence]);
  await database.unitOfWork.asSystem((tx) => tx.sql('insert into chain_probe.tenant values ($1, $2)', [RICE, keccakOf('rice')]));
  return database;
}
