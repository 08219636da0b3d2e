import { describe, expect, it } from '@jest/globals';
import { Deployments, Indexer, JsonRpc, RpcNode } from '#chain';
import { eventually } from '../harness/eventually.js';
import { CHAIN_ID, indexerDatabase, indexerWorld } from './chain-indexer-world.js';
import { ProbeDirectory } from './chain-probe.js';

const world = indexerWorld();
const { start, projected, outbox, expectCanonicalLogs, eventuallyAtHead, mint } = world;

describe('the indexer at the head', () => {
  it('applies every block once and in order, and releases its topics when it is final', async () => {
    const { indexer } = await start({ confirmations: 3 });
    await eventuallyAtHead(indexer);
    await mint(3);
    await mint();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
    expect((await outbox()).filter((row) => !row.released).length).toBeGreaterThan(0);
    await world.chain.mine(2);
    await eventually('all is released', async () => (await outbox()).every((row) => row.released));
    await eventuallyAtHead(indexer);
    expect(indexer.status).toMatchObject({ state: 'following', lag: 0, final: (await world.chain.head()) - 2 });
    expect(new Set((await outbox()).map((row) => row.key)).size).toBe((await outbox()).length);
  });

  it('shows each block to readers as it is mined', async () => {
    const { indexer } = await start({ pollMs: 100 });
    await eventuallyAtHead(indexer);
    for (let i = 0; i < 9; i++) {
      const { receipt } = await mint();
      await eventually('the block is readable', async () => (await projected()).some((row) => row.hash === receipt.blockHash), {
        everyMs: 2,
      });
    }
  });

  it('waits for a registry and starts when one is recorded', async () => {
    const rpc = new JsonRpc({ urls: [world.front.url], timeoutMs: 400 });
    const deployments = new Deployments(world.database.unitOfWork, CHAIN_ID, null);
    const indexer = new Indexer(
      { unitOfWork: world.database.unitOfWork, rpc, node: new RpcNode([world.front.url], rpc, CHAIN_ID), deployments },
      { chainId: CHAIN_ID, confirmations: 1, reorgWindow: 64, pollMs: 20 },
    );
    world.running.push(indexer);
    indexer.start({ directory: new ProbeDirectory(), projectors: [] });
    await eventually('it waits', () => indexer.status.state === 'waiting_for_registry');
    await deployments.record(world.chain.registry, world.chain.deployed.block);
    await eventuallyAtHead(indexer);
  });

  it('applies a whole block again when a projector fails in the middle of it', async () => {
    const { indexer, second } = await start();
    await eventuallyAtHead(indexer);
    second.fault = new Error('a bug');
    await mint(2);
    await eventually('it fails', () => indexer.status.state === 'failing');
    expect(indexer.status.detail).toBe('a bug');
    const rows = await projected();
    expect(rows.some((row) => row.block === indexer.status.head! + 1)).toBe(false);
    second.fault = null;
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });
});

describe('finality', () => {
  it('uses the `finalized` tag of a node that has one', async () => {
    const { indexer } = await start({ finality: 'finalized', confirmations: 1 });
    await world.chain.mine(40);
    await mint();
    await eventuallyAtHead(indexer);
    const tag = async (): Promise<number> =>
      Number((await world.chain.rpc.call<{ number: string }>('eth_getBlockByNumber', ['finalized', false])).number);
    await eventually('the final block is the tagged one', async () => indexer.status.final === (await tag()));
    expect(indexer.status.final).toBeLessThan(indexer.status.head!);
    expect((await outbox()).at(-1)!.released).toBe(false);
    await world.chain.mine(40);
    await eventually('the topics are released', async () => (await outbox()).every((row) => row.released));
    await eventually('the final block is the newly tagged one', async () => indexer.status.final === (await tag()));
  });

  it.each([
    ['refuses the tag', () => Object.assign(Object.create(null), { refuse: true })],
    ['has no final block', () => null],
    ['always names genesis', (genesis: object) => genesis],
  ])('uses the depth where the node %s', async (_, tag) => {
    const genesis = await world.chain.rpc.call<object>('eth_getBlockByNumber', ['0x0', false]);
    world.front.lieAbout('eth_getBlockByNumber', (honest: never, [block]) => {
      if (block !== 'finalized') return honest;
      const answer = tag(genesis) as { refuse?: boolean } | null;
      if (answer?.refuse) throw { code: -32602, message: 'invalid argument 0: unknown tag' };
      return answer;
    });
    const { indexer } = await start({ finality: 'finalized', confirmations: 3 });
    await eventuallyAtHead(indexer);
    await mint();
    await world.chain.mine(2);
    await eventuallyAtHead(indexer);
    await eventually('three blocks deep is final', async () => indexer.status.final === (await world.chain.head()) - 2);
  });
});

describe('the indexer and history', () => {
  it('reads final history in ranges and the rest block by block, with the same rows', async () => {
    for (let i = 0; i < 20; i++) await mint(2);
    await world.chain.mine(60);
    const ranged = await start();
    await eventuallyAtHead(ranged.indexer);
    await expectCanonicalLogs();
    expect(ranged.first.batches).toBeLessThan(20);
    const inRanges = await projected();
    const byBlocks = await indexerDatabase();
    await ranged.indexer.stop();
    const kept = world.database;
    world.database = byBlocks;
    try {
      const slow = await start({ confirmations: 10_000 });
      await eventuallyAtHead(slow.indexer);
      expect(await projected()).toEqual(inRanges);
      await slow.indexer.stop();
    } finally {
      await byBlocks.drop();
      world.database = kept;
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
    await world.chain.mine(60);
    world.front.refuseRanges(20, { code, message });
    const { indexer } = await start();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('continues where it stopped', async () => {
    const before = await start();
    await eventuallyAtHead(before.indexer);
    await before.indexer.stop();
    await mint(2);
    const after = await start();
    await eventuallyAtHead(after.indexer);
    await expectCanonicalLogs();
    expect(after.first.batches).toBe(1);
  });
});
