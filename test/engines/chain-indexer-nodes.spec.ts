import { describe, expect, it } from '@jest/globals';
import { IndexerCommands, NEWEST_CONTRACT_VERSION } from '#chain';
import { startTestAnvil } from '#chain/testing';
import { keccakOf, newId } from '#kernel';
import { eventually } from '../harness/eventually.js';
import { CHAIN_ID, indexerWorld } from './chain-indexer-world.js';

const world = indexerWorld();
const { start, projected, expectCanonicalLogs, eventuallyAtHead, mint } = world;

describe('the indexer and an unreliable node', () => {
  it('does not mistake a lagging node for a reorg', async () => {
    const { indexer, first } = await start();
    await mint();
    await eventuallyAtHead(indexer);
    const rows = await projected();
    const { batches } = first;
    world.front.lagBehind(2);
    await eventually('it waits', () => indexer.status.state === 'node_behind');
    expect(await projected()).toEqual(rows);
    world.front.answerHonestly();
    await eventuallyAtHead(indexer);
    expect(first.batches).toBe(batches);
  });

  it('rejects incomplete logs of old blocks from a lagging node', async () => {
    for (let i = 0; i < 3; i++) await mint();
    await world.chain.mine(45);
    await mint();
    world.front.lieAbout('eth_getLogs', (honest: { blockNumber: string }[]) => honest.slice(0, -1));
    world.front.lieAbout('eth_blockNumber', () => '0x1');
    const { indexer } = await start();
    await eventually('the answer is rejected', () => indexer.status.state === 'node_behind');
    world.front.answerHonestly();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('rejects a range whose logs are truncated without an error', async () => {
    for (let i = 0; i < 3; i++) await mint(2);
    await world.chain.mine(20);
    world.front.truncateLogs();
    const { indexer } = await start({ reorgWindow: 10_000 });
    await eventually('the answer is rejected', () => indexer.status.state === 'node_behind');
    world.front.answerHonestly();
    // Whole blocks that are missing show in their bloom; they are read one by one.
    world.front.lieAbout('eth_getLogs', (honest: unknown[], [filter]) => ('blockHash' in (filter as object) ? honest : []));
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('requests logs again that do not match the bloom', async () => {
    const { indexer } = await start();
    await eventuallyAtHead(indexer);
    let short = 0;
    world.front.lieAbout('eth_getLogs', (honest: unknown[]) => (short++ < 2 ? honest.slice(0, -1) : honest));
    await mint(3);
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
    expect(short).toBeGreaterThan(2);
    world.front.lieAbout('eth_getLogs', () => []);
    await mint(2);
    await eventually('the answer is rejected', () => indexer.status.state === 'node_behind');
    world.front.answerHonestly();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('applies each log once when a node repeats and shuffles logs', async () => {
    const { indexer } = await start();
    await eventuallyAtHead(indexer);
    let round = 0;
    world.front.lieAbout('eth_getLogs', (honest: unknown[]) => (round++ < 2 ? [...honest, ...honest] : honest.toReversed()));
    await mint(3);
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('waits when the node answers null', async () => {
    const { indexer } = await start();
    await eventuallyAtHead(indexer);
    world.front.lieAbout('eth_getBlockByNumber', () => null);
    await mint();
    await eventually('it waits', () => indexer.status.state === 'node_behind');
    world.front.answerHonestly();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('continues with the second node while the first hangs, lags or answers HTML', async () => {
    const { indexer } = await start({ urls: [world.front.url, world.anvil.url] });
    await eventuallyAtHead(indexer);
    for (const trouble of [
      () => world.front.hang(),
      () => world.front.lagBehind(3),
      () => world.front.answerWith(502, '<html>Bad gateway</html>'),
      () => world.front.answerWith(429, ''),
    ]) {
      trouble();
      await mint();
      await eventuallyAtHead(indexer);
      world.front.answerHonestly();
    }
    await expectCanonicalLogs();
  });

  it('returns to the first node when it works again', async () => {
    const { indexer } = await start({ urls: [world.front.url, world.anvil.url] });
    await eventuallyAtHead(indexer);
    await world.front.die();
    await mint();
    await eventuallyAtHead(indexer);
    await world.front.revive();
    const asked = world.front.asked.get('eth_getBlockByNumber') ?? 0;
    await eventually('the first one is asked again', () => (world.front.asked.get('eth_getBlockByNumber') ?? 0) > asked + 5);
    await mint();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('reports an address that answers HTML, and continues when it answers JSON', async () => {
    world.front.answerWith(200, '<!doctype html><title>Welcome</title>');
    const { indexer, rpc } = await start();
    await eventually('it notices', () => indexer.status.state === 'chain_away');
    expect(indexer.status.detail).toMatch(/^127\.0\.0\.1:\d+: answered text\/html instead of JSON$/);
    expect(rpc.metrics.counts.errors[`${new URL(world.front.url).host} not_json_rpc`]).toBeGreaterThan(0);
    world.front.answerHonestly();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('stops at a contract of an unknown version, and registers nothing of it', async () => {
    const { indexer } = await start();
    await eventuallyAtHead(indexer);
    const before = indexer.status.head!;
    for (let version = 2; version <= NEWEST_CONTRACT_VERSION; version++) await world.chain.publishAgain();
    await world.chain.createTenant('silk'); // of the newest version that is known
    await eventuallyAtHead(indexer);
    await world.chain.publishAgain();
    // The tenant first: a contract without a tenant here is ignored.
    await world.database.unitOfWork.asSystem((tx) => tx.sql('insert into chain_probe.tenant values ($1, $2)', [newId(), keccakOf('wool')]));
    const later = await world.chain.createTenant('wool');
    await eventually('it stops', () => indexer.status.state === 'stopped');
    expect(indexer.status.detail).toContain(`contract ${later} of version ${NEWEST_CONTRACT_VERSION + 1}`);
    expect(indexer.status.head).toBeGreaterThanOrEqual(before);
    const contracts = await world.database.unitOfWork.asSystem((tx) =>
      tx.sql('select 1 from chain_probe.contract where address = $1', [later]),
    );
    expect(contracts).toEqual([]);
    // A contract of an unknown version is ignored when its tenant is not in this database.
    await indexer.stop();
    await world.database.unitOfWork.asSystem((tx) => tx.sql('delete from chain_probe.tenant where slug_hash = $1', [keccakOf('wool')]));
    const again = await start();
    await eventuallyAtHead(again.indexer);
    await expectCanonicalLogs();
  });

  it('refuses another chain and names the remedy', async () => {
    const other = await startTestAnvil();
    const { indexer } = await start();
    await mint();
    await eventuallyAtHead(indexer);
    const rows = await projected();
    await indexer.stop();
    const { indexer: misled } = await start({ urls: [other.url] });
    await eventually('it stops', () => misled.status.state === 'stopped');
    expect(misled.status.detail).toMatch(/new database.*CHAIN_RPC_URLS/s);
    expect(await projected()).toEqual(rows);
    const faultOf = async () => (await new IndexerCommands(world.database.unitOfWork, CHAIN_ID).state()).fault;
    expect(await faultOf()).toBe(misled.status.detail);
    await Promise.all([misled.stop(), other.stop()]);
    await eventuallyAtHead((await start()).indexer);
    expect(await faultOf()).toBeNull();
  });
});

describe('the indexer and outages', () => {
  it('waits for a node that is down and catches up by itself', async () => {
    const { indexer } = await start();
    await eventuallyAtHead(indexer);
    await world.front.die();
    await mint(2);
    await eventually('it notices', () => indexer.status.state === 'chain_away');
    await world.front.revive();
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });

  it('waits for a database that closes every connection and catches up by itself', async () => {
    const { indexer } = await start();
    await eventuallyAtHead(indexer);
    for (let i = 0; i < 5; i++) {
      await world.database.dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      await mint(2);
    }
    await eventuallyAtHead(indexer);
    await expectCanonicalLogs();
  });
});

describe('two indexers at once', () => {
  it('have one writer, and the other takes over', async () => {
    const one = await start();
    await eventuallyAtHead(one.indexer);
    const two = await start();
    await eventually('the second stands by', () => two.indexer.status.state === 'standby');
    await mint(2);
    await eventuallyAtHead(one.indexer);
    expect(two.first.batches).toBe(0);
    await one.indexer.stop();
    await mint();
    await eventuallyAtHead(two.indexer);
    await expectCanonicalLogs();
  });

  it('never both write the same block, even when the lock is lost silently', async () => {
    const one = await start();
    const two = await start();
    for (let i = 0; i < 6; i++) {
      await world.database.dataSource.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
      );
      await mint(2);
      await mint();
    }
    await eventually('one of them is at the head', async () => {
      const head = await world.chain.head();
      return [one, two].some(({ indexer }) => indexer.status.state === 'following' && indexer.status.head === head);
    });
    await expectCanonicalLogs();
  });
});
