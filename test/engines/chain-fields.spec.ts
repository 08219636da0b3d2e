import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chainPersistence, Deployments, Indexer, JsonRpc, RpcNode } from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { keccakOf, newId } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { eventually } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';
import { ProbeDirectory, ProbeProjector, probePersistence } from './chain-probe.js';

const CHAIN_ID = 31_337;
const rice = newId();
const admin = devWallet(1);
const ZERO = `0x${'0'.repeat(64)}`;

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly logIndex: string;
}

/** One field of one answer is changed, everything else is as the real node gives it. */
interface OneLie {
  readonly method: 'eth_getLogs' | 'eth_getBlockByNumber' | 'eth_blockNumber' | 'eth_chainId';
  /** What may be counted: several fields say the place, and the first that differs is counted. */
  readonly counted: RegExp;
  readonly lie: (honest: any) => unknown;
}

const ofLastLog =
  (change: (log: Log) => object): ((logs: Log[]) => unknown) =>
  (logs) =>
    logs.map((log, i) => (i === logs.length - 1 ? { ...log, ...change(log) } : log));
const log = (field: string, change: (log: Log) => object, counted = new RegExp(`^lie_${field}$`)): [string, OneLie] => [
  `${field} of a log`,
  { method: 'eth_getLogs', counted, lie: ofLastLog(change) },
];
const block = (field: string, value: (honest: any) => unknown, counted = /^lie_hash$/): [string, OneLie] => [
  `${field} of a block`,
  { method: 'eth_getBlockByNumber', counted, lie: (honest) => honest && { ...honest, [field]: value(honest[field]) } },
];

const PLACE = /^lie_(blockHash|blockNumber)$/;
const LIES: readonly [string, OneLie][] = [
  log('address', () => ({ address: devWallet(9).address })),
  log('topics', ({ topics }) => ({ topics: [topics[0], keccakOf('x'), ...topics.slice(2)] })),
  log('topics', ({ topics }) => ({ topics: [keccakOf('x'), ...topics.slice(1)] })),
  log('blockNumber', () => ({ blockNumber: '0x1' }), PLACE),
  log('blockNumber', ({ blockNumber }) => ({ blockNumber: `0x${(Number(blockNumber) - 1).toString(16)}` }), PLACE),
  log('blockHash', () => ({ blockHash: keccakOf('x') }), PLACE),
  log('transactionHash', () => ({ transactionHash: keccakOf('x') }), /^lie_transaction(Hash|Index)$/),
  log('transactionIndex', () => ({ transactionIndex: '0x5' })),
  log('logIndex', ({ logIndex }) => ({ logIndex: `0x${(Number(logIndex) + 7).toString(16)}` })),
  log('removed', () => ({ removed: true })),
  log('data', () => ({ data: null }), /^wrong_shape$/),
  ['a log that is given twice', { method: 'eth_getLogs', counted: /^lie_logIndex$/, lie: (logs) => [...logs, ...logs.slice(-1)] }],
  ['null instead of logs', { method: 'eth_getLogs', counted: /^wrong_shape$/, lie: () => null }],
  block('number', (number) => `0x${(Number(number) + 1).toString(16)}`, /^lie_(number|hash)$/),
  block('hash', () => keccakOf('x')),
  block('parentHash', () => keccakOf('x')),
  block('timestamp', (time) => `0x${(Number(time) + 100_000).toString(16)}`),
  block('timestamp', () => '0x1'),
  block('logsBloom', () => `0x${'0'.repeat(512)}`, /^(lie_hash|behind)$/),
  block('receiptsRoot', () => ZERO),
  block('transactions', (hashes) => hashes.map(() => keccakOf('x')), /^lie_transactionHash$/),
  block('transactions', () => null, /^wrong_shape$/),
  ['the chain id', { method: 'eth_chainId', counted: /^lie_chainId$/, lie: () => '0x5' }],
  ['a head that is not there', { method: 'eth_blockNumber', counted: /^wrong_shape$/, lie: () => null }],
];

describe('one field of a node’s answer, changed alone:', () => {
  let anvil: TestAnvil;
  let chain: DemoChain;
  let contract: string;
  let database: TestDatabase;
  let front: LyingRpc;
  let indexer: Indexer;
  let lots = 0;
  const mint = (count: number): Promise<unknown> =>
    chain.mint(
      admin,
      contract,
      Array.from({ length: count }, () => `LOT-${++lots}`),
    );

  beforeAll(async () => {
    anvil = await startTestAnvil();
    chain = await DemoChain.deploy(anvil.url);
    contract = await chain.createTenant('rice');
    // Long enough that the beginning is read in ranges.
    for (let i = 0; i < 4; i++) await mint(2);
    await chain.mine(30);
  });
  afterAll(async () => {
    chain.close();
    await anvil.stop();
  });
  beforeEach(async () => {
    database = await cloneTestDatabase([chainPersistence, probePersistence]);
    await database.unitOfWork.asSystem((tx) => tx.sql('insert into chain_probe.tenant values ($1, $2)', [rice, keccakOf('rice')]));
    front = await LyingRpc.before(anvil.url);
  });
  afterEach(async () => {
    await indexer.stop();
    await front.close();
    await database.drop();
  });

  async function start(urls: readonly string[]): Promise<JsonRpc> {
    const { unitOfWork } = database;
    const rpc = new JsonRpc({ urls, timeoutMs: 2_000, chainId: CHAIN_ID });
    const deployments = new Deployments(unitOfWork, CHAIN_ID, null);
    await deployments.record(chain.registry, chain.deployed.block);
    indexer = new Indexer(
      { unitOfWork, rpc, node: new RpcNode(urls, rpc, CHAIN_ID), deployments },
      { chainId: CHAIN_ID, confirmations: 1, reorgWindow: 16, pollMs: 20 },
    );
    indexer.start({ directory: new ProbeDirectory(), projectors: [new ProbeProjector('first')] });
    return rpc;
  }
  const atHead = (): Promise<unknown> =>
    eventually(
      'the indexer is at the head',
      async () => indexer.status.state === 'following' && indexer.status.head === (await chain.head()),
    );
  const indexed = async (): Promise<string[]> => {
    const rows = await database.unitOfWork.asSystem((tx) =>
      tx.sql<{ at: string }>(
        `select block_number || ' ' || block_hash || ' ' || log_index as at from chain_probe.log order by block_number, log_index`,
      ),
    );
    return rows.map(({ at }) => at);
  };
  async function truth(): Promise<string[]> {
    const transfer = keccakOf('Transfer(address,address,uint256)');
    const logs = await chain.rpc.call<Log[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: contract }]);
    return logs
      .filter(({ topics }) => topics[0] !== transfer)
      .map(({ blockNumber, blockHash, logIndex }) => `${Number(blockNumber)} ${blockHash} ${Number(logIndex)}`);
  }

  it.each(LIES)('%s is not believed, in history and at the head', async (_, { method, lie, counted }) => {
    front.lieAbout(method, lie);
    const rpc = await start([front.url, anvil.url]);
    await atHead();
    expect(await indexed()).toEqual(await truth());
    await mint(2);
    await mint(1);
    await atHead();
    expect(await indexed()).toEqual(await truth());
    const reasons = Object.keys(rpc.metrics.counts.errors).filter((key) => key.startsWith(new URL(front.url).host));
    expect(reasons.map((key) => key.split(' ')[1])).toEqual(expect.arrayContaining([expect.stringMatching(counted)]));
    expect(Object.keys(rpc.metrics.counts.errors).filter((key) => key.startsWith(`${new URL(anvil.url).host} lie`))).toEqual([]);
  });

  it('that is the same in every header belongs to a chain that hashes them otherwise, and is no lie', async () => {
    front.lieAbout('eth_getBlockByNumber', (honest: object) => ({ ...honest, extraData: '0x5ea1' }));
    const rpc = await start([front.url]);
    await atHead();
    await mint(1);
    await atHead();
    expect(await indexed()).toEqual(await truth());
    expect(rpc.metrics.counts.errors).toEqual({});
  });

  it.each(LIES.filter(([name]) => /^(blockNumber|logIndex|timestamp|parentHash)/.test(name)))(
    '%s leads to no other state where this is the only node, and to the truth when it is well',
    async (_, { method, lie }) => {
      await start([front.url]);
      await atHead();
      front.lieAbout(method, lie);
      await mint(1);
      await eventually('it is noticed', () => indexer.status.state === 'chain_away');
      expect(indexer.status.detail).toMatch(/^the node contradicts itself in \w+: /);
      expect(await truth()).toEqual(expect.arrayContaining(await indexed()));
      front.answerHonestly();
      await atHead();
      expect(await indexed()).toEqual(await truth());
    },
  );
});
