import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ChainHead,
  IndexerCommands,
  chainPersistence,
  Deployments,
  Indexer,
  type IndexerOptions,
  JsonRpc,
  NEWEST_CONTRACT_VERSION,
  RpcNode,
} from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { keccakOf, newId } from '#kernel';
import type { UnitOfWork } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { eventually } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';
import { ProbeDirectory, ProbeProjector, probePersistence } from './chain-probe.js';

const CHAIN_ID = 31_337;
const rice = newId();
const admin = devWallet(1);

let anvil: TestAnvil;
let chain: DemoChain;
let contract: string;
let database: TestDatabase;
let front: LyingRpc;
const running: Indexer[] = [];

beforeAll(async () => {
  anvil = await startTestAnvil({ canReorg: true });
  chain = await DemoChain.deploy(anvil.url);
  contract = await chain.createTenant('rice');
});
afterAll(async () => {
  chain?.close();
  await anvil?.stop();
});
beforeEach(async () => {
  database = await cloneTestDatabase([chainPersistence, probePersistence]);
  await database.unitOfWork.asSystem((tx) => tx.sql('insert into chain_probe.tenant values ($1, $2)', [rice, keccakOf('rice')]));
  front = await LyingRpc.before(anvil.url);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((indexer) => indexer.stop()));
  await front.close();
  await database.drop();
});

interface Started {
  readonly indexer: Indexer;
  readonly rpc: JsonRpc;
  readonly first: ProbeProjector;
  readonly second: ProbeProjector;
}

async function start(options: Partial<IndexerOptions> & { urls?: readonly string[]; unitOfWork?: UnitOfWork } = {}): Promise<Started> {
  const { urls = [front.url], unitOfWork = database.unitOfWork, ...more } = options;
  const rpc = new JsonRpc({ urls, timeoutMs: 400 });
  const deployments = new Deployments(unitOfWork, CHAIN_ID, null);
  await deployments.record(chain.registry, chain.deployed.block);
  const indexer = new Indexer(
    { unitOfWork, rpc, node: new RpcNode(urls, rpc, CHAIN_ID), deployments },
    { chainId: CHAIN_ID, confirmations: 1, reorgWindow: 64, pollMs: 20, ...more },
  );
  const [first, second] = [new ProbeProjector('first'), new ProbeProjector('second')];
  indexer.start({ directory: new ProbeDirectory(), projectors: [first, second] });
  running.push(indexer);
  return { indexer, rpc, first, second };
}

interface ProbeLog {
  readonly handler: string;
  readonly block: number;
  readonly hash: string;
  readonly index: number;
  readonly tx_index: number;
  readonly name: string;
}

const projected = (): Promise<ProbeLog[]> =>
  database.unitOfWork.asSystem((tx) =>
    tx.sql<ProbeLog>(
      `select handler, block_number::int as block, block_hash as hash, log_index as index, tx_log_index as tx_index, name
       from chain_probe.log order by block_number, log_index, handler`,
    ),
  );
const outbox = (): Promise<{ key: string; released: boolean }[]> =>
  database.unitOfWork.asSystem((tx) => tx.sql('select dedup_key as key, released from persistence.outbox order by seq'));

/** The tables hold every followed log of the canonical chain once per projector, and nothing else. */
async function expectCanonicalLogs(): Promise<void> {
  const logs = await chain.rpc.call<{ address: string; topics: string[]; blockHash: string; logIndex: string }[]>('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', address: contract },
  ]);
  const names = new Set(['RolesChanged', 'EventRecorded', 'LotMinted']);
  const rows = await projected();
  expect(rows.every((row) => names.has(row.name))).toBe(true);
  const transfer = keccakOf('Transfer(address,address,uint256)');
  const expected = logs.filter((log) => log.topics[0] !== transfer).map((log) => `${log.blockHash}:${Number(log.logIndex)}`);
  for (const handler of ['first', 'second'])
    expect(rows.filter((row) => row.handler === handler).map((row) => `${row.hash}:${row.index}`)).toEqual(expected);
}

const caughtUp = (indexer: Indexer): Promise<unknown> =>
  eventually(
    'the indexer is at the head',
    async () => indexer.status.state === 'following' && indexer.status.head === (await chain.head()),
  );

let lot = 0;
const mint = (lots = 1) =>
  chain.mint(
    admin,
    contract,
    Array.from({ length: lots }, () => `LOT-${++lot}`),
  );

describe('the indexer at the head', () => {
  it('applies every block once and in order, and releases its topics when it is final', async () => {
    const { indexer } = await start({ confirmations: 3 });
    await caughtUp(indexer);
    await mint(3);
    await mint();
    await caughtUp(indexer);
    await expectCanonicalLogs();
    expect((await outbox()).filter((row) => !row.released).length).toBeGreaterThan(0);
    await chain.mine(2);
    await eventually('all is released', async () => (await outbox()).every((row) => row.released));
    await caughtUp(indexer);
    expect(indexer.status).toMatchObject({ state: 'following', lag: 0, final: (await chain.head()) - 2 });
    expect(new Set((await outbox()).map((row) => row.key)).size).toBe((await outbox()).length);
  });

  it('shows each block to readers as it is mined', async () => {
    const { indexer } = await start({ pollMs: 100 });
    await caughtUp(indexer);
    for (let i = 0; i < 9; i++) {
      const { receipt } = await mint();
      await eventually('the block is readable', async () => (await projected()).some((row) => row.hash === receipt.blockHash), {
        everyMs: 2,
      });
    }
  });

  it('waits for a registry and starts when one is recorded', async () => {
    const rpc = new JsonRpc({ urls: [front.url], timeoutMs: 400 });
    const deployments = new Deployments(database.unitOfWork, CHAIN_ID, null);
    const indexer = new Indexer(
      { unitOfWork: database.unitOfWork, rpc, node: new RpcNode([front.url], rpc, CHAIN_ID), deployments },
      { chainId: CHAIN_ID, confirmations: 1, reorgWindow: 64, pollMs: 20 },
    );
    running.push(indexer);
    indexer.start({ directory: new ProbeDirectory(), projectors: [] });
    await eventually('it waits', () => indexer.status.state === 'waiting_for_registry');
    await deployments.record(chain.registry, chain.deployed.block);
    await caughtUp(indexer);
  });

  it('applies a whole block again when a projector fails in the middle of it', async () => {
    const { indexer, second } = await start();
    await caughtUp(indexer);
    second.fault = new Error('a bug');
    await mint(2);
    await eventually('it fails', () => indexer.status.state === 'failing');
    expect(indexer.status.detail).toBe('a bug');
    const rows = await projected();
    expect(rows.some((row) => row.block === indexer.status.head! + 1)).toBe(false);
    second.fault = null;
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });
});

describe('finality', () => {
  it('uses the `finalized` tag of a node that has one', async () => {
    const { indexer } = await start({ finality: 'finalized', confirmations: 1 });
    await chain.mine(40);
    await mint();
    await caughtUp(indexer);
    const tag = async (): Promise<number> =>
      Number((await chain.rpc.call<{ number: string }>('eth_getBlockByNumber', ['finalized', false])).number);
    await eventually('the final block is the tagged one', async () => indexer.status.final === (await tag()));
    expect(indexer.status.final).toBeLessThan(indexer.status.head!);
    expect((await outbox()).at(-1)!.released).toBe(false);
    await chain.mine(40);
    await eventually('the topics are released', async () => (await outbox()).every((row) => row.released));
    await eventually('the final block is the newly tagged one', async () => indexer.status.final === (await tag()));
  });

  it.each([
    ['refuses the tag', () => Object.assign(Object.create(null), { refuse: true })],
    ['has no final block', () => null],
    ['always names genesis', (genesis: object) => genesis],
  ])('uses the depth where the node %s', async (_, tag) => {
    const genesis = await chain.rpc.call<object>('eth_getBlockByNumber', ['0x0', false]);
    front.lieAbout('eth_getBlockByNumber', (honest: never, [block]) => {
      if (block !== 'finalized') return honest;
      const answer = tag(genesis) as { refuse?: boolean } | null;
      if (answer?.refuse) throw { code: -32602, message: 'invalid argument 0: unknown tag' };
      return answer;
    });
    const { indexer } = await start({ finality: 'finalized', confirmations: 3 });
    await caughtUp(indexer);
    await mint();
    await chain.mine(2);
    await caughtUp(indexer);
    await eventually('three blocks deep is final', async () => indexer.status.final === (await chain.head()) - 2);
  });
});

describe('the indexer and history', () => {
  it('reads final history in ranges and the rest block by block, with the same rows', async () => {
    for (let i = 0; i < 20; i++) await mint(2);
    await chain.mine(60);
    const ranged = await start();
    await caughtUp(ranged.indexer);
    await expectCanonicalLogs();
    expect(ranged.first.batches).toBeLessThan(20);
    const inRanges = await projected();
    const byBlocks = await cloneTestDatabase([chainPersistence, probePersistence]);
    await byBlocks.unitOfWork.asSystem((tx) => tx.sql('insert into chain_probe.tenant values ($1, $2)', [rice, keccakOf('rice')]));
    await ranged.indexer.stop();
    const kept = database;
    database = byBlocks;
    try {
      const slow = await start({ confirmations: 10_000 });
      await caughtUp(slow.indexer);
      expect(await projected()).toEqual(inRanges);
      await slow.indexer.stop();
    } finally {
      await byBlocks.drop();
      database = kept;
    }
  });

  // evmconnect #9 and the providers' own documentation: nobody says it twice the same way.
  it.each([
    [-32005, 'query returned more than 10000 results'],
    [-32600, 'You can make eth_getLogs requests with up to a 500 block range.'],
    [-32602, 'Log response size exceeded. This block range should work: [0x0, 0x20]'],
    [-32000, 'exceed maximum block range: 5000'],
    [-32701, 'Please specify an address in your request or, to remove restrictions, order a dedicated full node here'],
    [-32614, 'eth_getLogs is limited to a 10,000 range'],
    [-32603, 'block range is too wide'],
    [35, 'ranges over 10000 blocks are not supported on freetier'],
  ])('halves a range that the node refuses with %i "%s"', async (code, message) => {
    await chain.mine(60);
    front.refuseRanges(20, { code, message });
    const { indexer } = await start();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('continues where it stopped', async () => {
    const before = await start();
    await caughtUp(before.indexer);
    await before.indexer.stop();
    await mint(2);
    const after = await start();
    await caughtUp(after.indexer);
    await expectCanonicalLogs();
    expect(after.first.batches).toBe(1);
  });
});

describe('the indexer and a reorg', () => {
  it('undoes the blocks that left the chain and applies those that replaced them', async () => {
    const { indexer, rpc } = await start({ confirmations: 10 });
    await chain.mine(12);
    await caughtUp(indexer);
    const { receipt } = await mint(2);
    await mint();
    await caughtUp(indexer);
    const announced = (await outbox()).length;
    expect((await outbox()).some((row) => row.key.includes(receipt.hash))).toBe(true);
    await chain.reorg(2);
    await chain.mine(1);
    await caughtUp(indexer);
    await expectCanonicalLogs();
    expect(rpc.metrics.counts).toMatchObject({ lag: 0, reorgs: 1, blocksTakenBack: 2 });
    expect(await outbox()).toHaveLength(announced - 6);
    await mint();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('moves a transaction to its new block when it lands again', async () => {
    const { indexer } = await start({ confirmations: 10 });
    await chain.mine(12);
    await caughtUp(indexer);
    const { receipt } = await mint(2);
    const raw = await chain.rpc.call<string>('eth_getRawTransactionByBlockHashAndIndex', [receipt.blockHash, '0x0']);
    await chain.mine(2);
    await caughtUp(indexer);
    await chain.reorg(3, [[raw, 1]]);
    await chain.mine(1);
    await eventually('the row has moved', async () => {
      const rows = await projected();
      return !rows.some((row) => row.hash === receipt.blockHash) && rows.at(-1)!.name === 'LotMinted';
    });
    await caughtUp(indexer);
    await expectCanonicalLogs();
    expect((await outbox()).filter((row) => row.key.includes(receipt.hash))).toHaveLength(4);
  });

  it('detects one that happened while it was stopped', async () => {
    const before = await start({ confirmations: 10 });
    await chain.mine(12);
    await mint();
    await caughtUp(before.indexer);
    await before.indexer.stop();
    await chain.reorg(4);
    await mint();
    const after = await start({ confirmations: 10 });
    await caughtUp(after.indexer);
    await expectCanonicalLogs();
  });

  it('stops with an error when it is deeper than the window, and stays stopped', async () => {
    const { indexer } = await start({ reorgWindow: 8, confirmations: 20 });
    // With transactions in them: an empty block that is mined again in the same second is the same block.
    for (let i = 0; i < 12; i++) await mint();
    await caughtUp(indexer);
    const rows = await projected();
    await indexer.stop();
    await chain.reorg(11);
    await chain.mine(1);
    const again = await start({ reorgWindow: 8, confirmations: 20 });
    await eventually('it stopped', () => again.indexer.status.state === 'stopped');
    expect(again.indexer.status.detail).toMatch(/deeper than the last 8 blocks/);
    expect(await projected()).toEqual(rows);
    await again.indexer.stop();
    const later = await start({ reorgWindow: 8 });
    await eventually('it is still stopped', () => later.indexer.status.state === 'stopped');
  });

  it("resumes after a stop on an operator's command, from the block in the command", async () => {
    const { indexer } = await start({ reorgWindow: 8, confirmations: 20 });
    const commands = new IndexerCommands(database.unitOfWork, CHAIN_ID);
    for (let i = 0; i < 12; i++) await mint();
    await caughtUp(indexer);
    await expect(commands.send({ kind: 'resume', backTo: null })).rejects.toMatchObject({ code: 'chain_not_stopped' });
    const common = (await chain.head()) - 12;
    await indexer.stop();
    await chain.reorg(11);
    await mint();
    const again = await start({ reorgWindow: 8, confirmations: 20 });
    await eventually('it stopped', () => again.indexer.status.state === 'stopped');

    // The node still has the other blocks, so a plain resume stops again.
    await commands.send({ kind: 'resume', backTo: null });
    await eventually('the command is executed and the indexer has stopped again', async () => {
      const view = await commands.state();
      return view.command === null && view.stopped !== null;
    });
    await expect(commands.send({ kind: 'resume', backTo: 10_000 })).rejects.toMatchObject({ code: 'ahead_of_index' });
    await commands.send({ kind: 'resume', backTo: common });
    await eventually(
      'it follows again',
      async () => again.indexer.status.state === 'following' && (await commands.state()).stopped === null,
    );
    await caughtUp(again.indexer);
    await expectCanonicalLogs();
  });

  it("rebuilds the index on an operator's command, with the same rows and no second topic", async () => {
    const { indexer } = await start();
    for (let i = 0; i < 4; i++) await mint();
    await caughtUp(indexer);
    await eventually('all is final', async () => (await outbox()).every(({ released }) => released));
    const [rows, topics] = [await projected(), await outbox()];
    const commands = new IndexerCommands(database.unitOfWork, CHAIN_ID);
    await commands.send({ kind: 'reindex' });
    await eventually('the command is executed', async () => (await commands.state()).command === null);
    await caughtUp(indexer);
    expect(await projected()).toEqual(rows);
    expect(await outbox()).toEqual(topics);
    await expectCanonicalLogs();
  });

  it('rebuilds the index at once when the command comes while history is read', async () => {
    const before = await start();
    await caughtUp(before.indexer);
    await before.indexer.stop();
    for (let i = 0; i < 12; i++) await mint();
    const { indexer, first } = await start({ confirmations: 10_000 });
    first.delayMs = 200;
    const commands = new IndexerCommands(database.unitOfWork, CHAIN_ID);
    await commands.send({ kind: 'reindex' });
    await eventually('it is executed', async () => (await commands.state()).command === null);
    first.delayMs = 0;
    expect(first.undone).toHaveLength(1);
    expect(first.undone[0]).toBeLessThan(12);
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('rebuilds the index when the command comes while every node is behind', async () => {
    const { indexer } = await start();
    for (let i = 0; i < 4; i++) await mint();
    await caughtUp(indexer);
    front.lagBehind(2);
    await eventually('it waits', () => indexer.status.state === 'node_behind');
    const commands = new IndexerCommands(database.unitOfWork, CHAIN_ID);
    await commands.send({ kind: 'reindex' });
    await eventually('it is executed', async () => (await commands.state()).command === null);
    front.answerHonestly();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it.each<[string, string]>([
    ['the blocks of the cursor, as after a dump without the tables of the indexer', 'delete from chain.block'],
    ['the cursor', 'with gone as (delete from chain.block) delete from chain.cursor'],
  ])('rebuilds the index where a database was restored without %s', async (_, loss) => {
    const { indexer } = await start();
    for (let i = 0; i < 4; i++) await mint();
    await caughtUp(indexer);
    await eventually('all is final', async () => (await outbox()).every(({ released }) => released));
    await indexer.stop();
    const [rows, topics] = [await projected(), await outbox()];
    await database.unitOfWork.asSystem((tx) => tx.sql(loss));
    const again = await start();
    await caughtUp(again.indexer);
    expect(await projected()).toEqual(rows);
    expect(await outbox()).toEqual(topics);
    await expectCanonicalLogs();
  });

  it('reports that it rebuilds the index until it is at the head again', async () => {
    const head = new ChainHead(CHAIN_ID);
    const isRebuilding = (): Promise<boolean> => database.unitOfWork.inTransaction({ tenantId: rice }, (tx) => head.isRebuilding(tx));
    const { indexer, first } = await start();
    await mint();
    await caughtUp(indexer);
    expect(await isRebuilding()).toBe(false);
    first.fault = new Error('away');
    await new IndexerCommands(database.unitOfWork, CHAIN_ID).send({ kind: 'reindex' });
    await eventually('the index is undone and applying fails', () => indexer.status.state === 'failing');
    expect([await isRebuilding(), await projected()]).toEqual([true, []]);
    first.fault = null;
    await eventually('the index is rebuilt', async () => !(await isRebuilding()));
    await expectCanonicalLogs();
    await indexer.stop();
    await database.unitOfWork.asSystem((tx) => tx.sql('delete from chain.block'));
    expect(await isRebuilding()).toBe(true);
  });

  it('refuses a command for a chain that it does not index', async () => {
    await expect(new IndexerCommands(database.unitOfWork, 1).send({ kind: 'reindex' })).rejects.toMatchObject({
      code: 'chain_not_indexed',
    });
  });
});

describe('the indexer and an unreliable node', () => {
  it('does not mistake a lagging node for a reorg', async () => {
    const { indexer, first } = await start();
    await mint();
    await caughtUp(indexer);
    const rows = await projected();
    const { batches } = first;
    front.lagBehind(2);
    await eventually('it waits', () => indexer.status.state === 'node_behind');
    expect(await projected()).toEqual(rows);
    front.answerHonestly();
    await caughtUp(indexer);
    expect(first.batches).toBe(batches);
  });

  it('rejects incomplete logs of old blocks from a lagging node', async () => {
    for (let i = 0; i < 3; i++) await mint();
    await chain.mine(45);
    await mint();
    front.lieAbout('eth_getLogs', (honest: { blockNumber: string }[]) => honest.slice(0, -1));
    front.lieAbout('eth_blockNumber', () => '0x1');
    const { indexer } = await start();
    await eventually('the answer is rejected', () => indexer.status.state === 'node_behind');
    front.answerHonestly();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('rejects a range whose logs are truncated without an error', async () => {
    for (let i = 0; i < 3; i++) await mint(2);
    await chain.mine(20);
    front.truncateLogs();
    const { indexer } = await start({ reorgWindow: 10_000 });
    await eventually('the answer is rejected', () => indexer.status.state === 'node_behind');
    front.answerHonestly();
    // Whole blocks that are missing show in their bloom; they are read one by one.
    front.lieAbout('eth_getLogs', (honest: unknown[], [filter]) => ('blockHash' in (filter as object) ? honest : []));
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('requests logs again that do not match the bloom', async () => {
    const { indexer } = await start();
    await caughtUp(indexer);
    let short = 0;
    front.lieAbout('eth_getLogs', (honest: unknown[]) => (short++ < 2 ? honest.slice(0, -1) : honest));
    await mint(3);
    await caughtUp(indexer);
    await expectCanonicalLogs();
    expect(short).toBeGreaterThan(2);
    front.lieAbout('eth_getLogs', () => []);
    await mint(2);
    await eventually('the answer is rejected', () => indexer.status.state === 'node_behind');
    front.answerHonestly();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('applies each log once when a node repeats and shuffles logs', async () => {
    const { indexer } = await start();
    await caughtUp(indexer);
    let round = 0;
    front.lieAbout('eth_getLogs', (honest: unknown[]) => (round++ < 2 ? [...honest, ...honest] : honest.toReversed()));
    await mint(3);
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('waits when the node answers null', async () => {
    const { indexer } = await start();
    await caughtUp(indexer);
    front.lieAbout('eth_getBlockByNumber', () => null);
    await mint();
    await eventually('it waits', () => indexer.status.state === 'node_behind');
    front.answerHonestly();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('continues with the second node while the first hangs, lags or answers HTML', async () => {
    const { indexer } = await start({ urls: [front.url, anvil.url] });
    await caughtUp(indexer);
    for (const trouble of [
      () => front.hang(),
      () => front.lagBehind(3),
      () => front.answerWith(502, '<html>Bad gateway</html>'),
      () => front.answerWith(429, ''),
    ]) {
      trouble();
      await mint();
      await caughtUp(indexer);
      front.answerHonestly();
    }
    await expectCanonicalLogs();
  });

  it('returns to the first node when it works again', async () => {
    const { indexer } = await start({ urls: [front.url, anvil.url] });
    await caughtUp(indexer);
    await front.die();
    await mint();
    await caughtUp(indexer);
    await front.revive();
    const asked = front.asked.get('eth_getBlockByNumber') ?? 0;
    await eventually('the first one is asked again', () => (front.asked.get('eth_getBlockByNumber') ?? 0) > asked + 5);
    await mint();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('reports an address that answers HTML, and continues when it answers JSON', async () => {
    front.answerWith(200, '<!doctype html><title>Welcome</title>');
    const { indexer, rpc } = await start();
    await eventually('it notices', () => indexer.status.state === 'chain_away');
    expect(indexer.status.detail).toMatch(/^127\.0\.0\.1:\d+: answered text\/html instead of JSON$/);
    expect(rpc.metrics.counts.errors[`${new URL(front.url).host} not_json_rpc`]).toBeGreaterThan(0);
    front.answerHonestly();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('stops at a contract of an unknown version, and registers nothing of it', async () => {
    const { indexer } = await start();
    await caughtUp(indexer);
    const before = indexer.status.head!;
    for (let version = 2; version <= NEWEST_CONTRACT_VERSION; version++) await chain.publishAgain();
    await chain.createTenant('silk'); // of the newest version that is known
    await caughtUp(indexer);
    await chain.publishAgain();
    // The tenant first: a contract without a tenant here is ignored.
    await database.unitOfWork.asSystem((tx) => tx.sql('insert into chain_probe.tenant values ($1, $2)', [newId(), keccakOf('wool')]));
    const later = await chain.createTenant('wool');
    await eventually('it stops', () => indexer.status.state === 'stopped');
    expect(indexer.status.detail).toContain(`contract ${later} of version ${NEWEST_CONTRACT_VERSION + 1}`);
    expect(indexer.status.head).toBeGreaterThanOrEqual(before);
    const contracts = await database.unitOfWork.asSystem((tx) => tx.sql('select 1 from chain_probe.contract where address = $1', [later]));
    expect(contracts).toEqual([]);
    // A contract of an unknown version is ignored when its tenant is not in this database.
    await indexer.stop();
    await database.unitOfWork.asSystem((tx) => tx.sql('delete from chain_probe.tenant where slug_hash = $1', [keccakOf('wool')]));
    const again = await start();
    await caughtUp(again.indexer);
    await expectCanonicalLogs();
  });

  it('refuses another chain and names the remedy', async () => {
    const other = await startTestAnvil();
    const { indexer } = await start();
    await mint();
    await caughtUp(indexer);
    const rows = await projected();
    await indexer.stop();
    const { indexer: misled } = await start({ urls: [other.url] });
    await eventually('it stops', () => misled.status.state === 'stopped');
    expect(misled.status.detail).toMatch(/new database.*CHAIN_RPC_URLS/s);
    expect(await projected()).toEqual(rows);
    const faultOf = async () => (await new IndexerCommands(database.unitOfWork, CHAIN_ID).state()).fault;
    expect(await faultOf()).toBe(misled.status.detail);
    await Promise.all([misled.stop(), other.stop()]);
    await caughtUp((await start()).indexer);
    expect(await faultOf()).toBeNull();
  });
});

describe('the indexer and outages', () => {
  it('waits for a node that is down and catches up by itself', async () => {
    const { indexer } = await start();
    await caughtUp(indexer);
    await front.die();
    await mint(2);
    await eventually('it notices', () => indexer.status.state === 'chain_away');
    await front.revive();
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });

  it('waits for a database that closes every connection and catches up by itself', async () => {
    const { indexer } = await start();
    await caughtUp(indexer);
    for (let i = 0; i < 5; i++) {
      await database.dataSource.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await mint(2);
    }
    await caughtUp(indexer);
    await expectCanonicalLogs();
  });
});

describe('two indexers at once', () => {
  it('have one writer, and the other takes over', async () => {
    const one = await start();
    await caughtUp(one.indexer);
    const two = await start();
    await eventually('the second stands by', () => two.indexer.status.state === 'standby');
    await mint(2);
    await caughtUp(one.indexer);
    expect(two.first.batches).toBe(0);
    await one.indexer.stop();
    await mint();
    await caughtUp(two.indexer);
    await expectCanonicalLogs();
  });

  it('never both write the same block, even when the lock is lost silently', async () => {
    const one = await start();
    const two = await start();
    for (let i = 0; i < 6; i++) {
      await database.dataSource.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
      );
      await mint(2);
      await mint();
    }
    await eventually('one of them is at the head', async () => {
      const head = await chain.head();
      return [one, two].some(({ indexer }) => indexer.status.state === 'following' && indexer.status.head === head);
    });
    await expectCanonicalLogs();
  });
});
