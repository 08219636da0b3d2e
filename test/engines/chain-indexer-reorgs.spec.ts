import { describe, expect, it } from '@jest/globals';
import { ChainHead, IndexerCommands } from '#chain';
import { eventually } from '../harness/eventually.js';
import { CHAIN_ID, indexerWorld, RICE } from './chain-indexer-world.js';

const world = indexerWorld();
const { start, projected, outbox, expectCanonicalLogs, eventuallyAtHead, mint } = world;

describe('the indexer and a reorg', () => {
  it('undoes the blocks that left the chain and applies those that replaced them', async () => {
    const { indexer, rpc } = await start({ confirmations: 10 });
    await world.chain.mine(12);
    await eventuallyAtHead(indexer);
    const { receipt } = await mint(2);
    await mint();
    await eventuallyAtHead(indexer);
    const announced = (await outbox()).length;
    expect((await outbox()).some((row) => row.key.includes(receipt.hash))).toBe(true);
    await world.chain.reorg(2);
    await world.chain.mine(1);
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
    expect(rpc.metrics.counts).toMatchObject({ lag: 0, reorgs: 1, blocksTakenBack: 2 });
    expect(await outbox()).toHaveLength(announced - 6);
    await mint();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('moves a transaction to its new block when it lands again', async () => {
    const { indexer } = await start({ confirmations: 10 });
    await world.chain.mine(12);
    await eventuallyAtHead(indexer);
    const { receipt } = await mint(2);
    const raw = await world.chain.rpc.call<string>('eth_getRawTransactionByBlockHashAndIndex', [receipt.blockHash, '0x0']);
    await world.chain.mine(2);
    await eventuallyAtHead(indexer);
    await world.chain.reorg(3, [[raw, 1]]);
    await world.chain.mine(1);
    await eventually('the row has moved', async () => {
      const rows = await projected();
      return !rows.some((row) => row.hash === receipt.blockHash) && rows.at(-1)!.name === 'LotMinted';
    });
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
    expect((await outbox()).filter((row) => row.key.includes(receipt.hash))).toHaveLength(4);
  });

  it('detects one that happened while it was stopped', async () => {
    const before = await start({ confirmations: 10 });
    await world.chain.mine(12);
    await mint();
    await eventuallyAtHead(before.indexer);
    await before.indexer.stop();
    await world.chain.reorg(4);
    await mint();
    const after = await start({ confirmations: 10 });
    await eventuallyAtHead(after.indexer);
    await expectCanonicalLogs();
  });

  it('stops with an error when it is deeper than the window, and stays stopped', async () => {
    const { indexer } = await start({ reorgWindow: 8, confirmations: 20 });
    // With transactions in them: an empty block that is mined again in the same second is the same block.
    for (let i = 0; i < 12; i++) await mint();
    await eventuallyAtHead(indexer);
    const rows = await projected();
    await indexer.stop();
    await world.chain.reorg(11);
    await world.chain.mine(1);
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
    const commands = new IndexerCommands(world.database.unitOfWork, CHAIN_ID);
    for (let i = 0; i < 12; i++) await mint();
    await eventuallyAtHead(indexer);
    await expect(commands.send({ kind: 'resume', backTo: null })).rejects.toMatchObject({ code: 'chain_not_stopped' });
    const common = (await world.chain.head()) - 12;
    await indexer.stop();
    await world.chain.reorg(11);
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
    await eventuallyAtHead(again.indexer);
    await expectCanonicalLogs();
  });
});

describe('the index is rebuilt', () => {
  it("rebuilds the index on an operator's command, with the same rows and no second topic", async () => {
    const { indexer } = await start();
    for (let i = 0; i < 4; i++) await mint();
    await eventuallyAtHead(indexer);
    await eventually('all is final', async () => (await outbox()).every(({ released }) => released));
    const [rows, topics] = [await projected(), await outbox()];
    const commands = new IndexerCommands(world.database.unitOfWork, CHAIN_ID);
    await commands.send({ kind: 'reindex' });
    await eventually('the command is executed', async () => (await commands.state()).command === null);
    await eventuallyAtHead(indexer);
    expect(await projected()).toEqual(rows);
    expect(await outbox()).toEqual(topics);
    await expectCanonicalLogs();
  });

  it('rebuilds the index at once when the command comes while history is read', async () => {
    const before = await start();
    await eventuallyAtHead(before.indexer);
    await before.indexer.stop();
    for (let i = 0; i < 12; i++) await mint();
    const { indexer, first } = await start({ confirmations: 10_000 });
    first.delayMs = 200;
    const commands = new IndexerCommands(world.database.unitOfWork, CHAIN_ID);
    await commands.send({ kind: 'reindex' });
    await eventually('it is executed', async () => (await commands.state()).command === null);
    first.delayMs = 0;
    expect(first.undone).toHaveLength(1);
    expect(first.undone[0]).toBeLessThan(12);
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('rebuilds the index when the command comes while every node is behind', async () => {
    const { indexer } = await start();
    for (let i = 0; i < 4; i++) await mint();
    await eventuallyAtHead(indexer);
    world.front.lagBehind(2);
    await eventually('it waits', () => indexer.status.state === 'node_behind');
    const commands = new IndexerCommands(world.database.unitOfWork, CHAIN_ID);
    await commands.send({ kind: 'reindex' });
    await eventually('it is executed', async () => (await commands.state()).command === null);
    world.front.answerHonestly();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it.each<[string, string]>([
    ['the blocks of the cursor, as after a dump without the tables of the indexer', 'delete from chain.block'],
    ['the cursor', 'with gone as (delete from chain.block) delete from chain.cursor'],
  ])('rebuilds the index where a database was restored without %s', async (_, loss) => {
    const { indexer } = await start();
    for (let i = 0; i < 4; i++) await mint();
    await eventuallyAtHead(indexer);
    await eventually('all is final', async () => (await outbox()).every(({ released }) => released));
    await indexer.stop();
    const [rows, topics] = [await projected(), await outbox()];
    await world.database.unitOfWork.asSystem((tx) => tx.sql(loss));
    const again = await start();
    await eventuallyAtHead(again.indexer);
    expect(await projected()).toEqual(rows);
    expect(await outbox()).toEqual(topics);
    await expectCanonicalLogs();
  });

  it('reports that it rebuilds the index until it is at the head again', async () => {
    const head = new ChainHead(CHAIN_ID);
    const isRebuilding = (): Promise<boolean> => world.database.unitOfWork.inTransaction({ tenantId: RICE }, (tx) => head.isRebuilding(tx));
    const { indexer, first } = await start();
    await mint();
    await eventuallyAtHead(indexer);
    expect(await isRebuilding()).toBe(false);
    first.fault = new Error('away');
    await new IndexerCommands(world.database.unitOfWork, CHAIN_ID).send({ kind: 'reindex' });
    await eventually('the index is undone and applying fails', () => indexer.status.state === 'failing');
    expect([await isRebuilding(), await projected()]).toEqual([true, []]);
    first.fault = null;
    await eventually('the index is rebuilt', async () => !(await isRebuilding()));
    await expectCanonicalLogs();
    await indexer.stop();
    await world.database.unitOfWork.asSystem((tx) => tx.sql('delete from chain.block'));
    expect(await isRebuilding()).toBe(true);
  });

  it('refuses a command for a chain that it does not index', async () => {
    await expect(new IndexerCommands(world.database.unitOfWork, 1).send({ kind: 'reindex' })).rejects.toMatchObject({
      code: 'chain_not_indexed',
    });
  });
});
