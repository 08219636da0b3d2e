import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chainPersistence, Deployments } from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { keccakOf, newId } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { eventually } from '../harness/eventually.js';
import { probePersistence } from './chain-probe.js';

interface Worker {
  readonly child: ChildProcess;
  /** What its indexer was last said to do. */
  state(): string;
}

describe('a worker that stands by', () => {
  let anvil: TestAnvil;
  let chain: DemoChain;
  let contract: string;
  let database: TestDatabase;
  const workers: Worker[] = [];

  beforeAll(async () => {
    anvil = await startTestAnvil();
    chain = await DemoChain.deploy(anvil.url);
    contract = await chain.createTenant('rice');
  });
  afterAll(async () => {
    chain?.close();
    await anvil?.stop();
  });
  beforeEach(async () => {
    database = await cloneTestDatabase([chainPersistence, probePersistence]);
    await database.unitOfWork.asSystem((tx) => tx.sql('insert into chain_probe.tenant values ($1, $2)', [newId(), keccakOf('rice')]));
    await new Deployments(database.unitOfWork, chain.chainId, null).record(chain.registry, chain.deployed.block);
  });
  afterEach(async () => {
    for (const { child } of workers.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await database.drop();
  });

  function start(): Worker {
    const script = fileURLToPath(new URL('./chain-worker-process.js', import.meta.url));
    const settings = JSON.stringify({ endpoint: database.endpoint, url: anvil.url, chainId: chain.chainId });
    const child = spawn(process.execPath, [script, settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString();
    });
    const worker = { child, state: () => said.trim().split('\n').at(-1)! };
    workers.push(worker);
    return worker;
  }

  const becomes = (worker: Worker, state: string): Promise<unknown> => eventually(state, () => worker.state() === state);
  let lot = 0;
  const mint = () => chain.mint(devWallet(1), contract, [`TAKE-${++lot}`]);

  const mintMany = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await mint();
  };

  /** Each followed log of the chain once, and each topic once. */
  async function expectCanonicalLogs(): Promise<void> {
    const transfer = keccakOf('Transfer(address,address,uint256)');
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: contract };
    const logs = await chain.rpc.call<{ topics: string[]; blockHash: string; logIndex: string }[]>('eth_getLogs', [filter]);
    const expected = logs.filter((log) => log.topics[0] !== transfer).map((log) => `${log.blockHash}:${Number(log.logIndex)}`);
    await eventually('all is projected', async () => (await projected()).length >= expected.length);
    expect(await projected()).toEqual(expected);
    const topics = await database.unitOfWork.asSystem((tx) => tx.sql<{ key: string }>('select dedup_key as key from persistence.outbox'));
    expect(new Set(topics.map(({ key }) => key)).size).toBe(topics.length);
    expect(topics).toHaveLength(expected.length - logs.filter((log) => log.topics[0] !== transfer && !minted(log)).length);
  }
  const minted = (log: { topics: string[] }): boolean =>
    log.topics[0] === keccakOf('LotMinted(uint256,bytes32,bytes32,address,uint256,bytes32,uint256)');
  const projected = (): Promise<string[]> =>
    database.unitOfWork.asSystem(async (tx) =>
      (
        await tx.sql<{ place: string }>(
          `select block_hash || ':' || log_index as place from chain_probe.log order by block_number, log_index`,
        )
      ).map(({ place }) => place),
    );

  it.each(['SIGKILL', 'SIGSTOP'] as const)('takes over from one that got %s', async (signal) => {
    const one = start();
    await becomes(one, 'following');
    const two = start();
    await becomes(two, 'standby');
    await mint();
    await expectCanonicalLogs();
    one.child.kill(signal);
    const killed = performance.now();
    await mint();
    await becomes(two, 'following');
    await expectCanonicalLogs();
    process.stderr.write(`taken over ${Math.round(performance.now() - killed)} ms after ${signal}\n`);
    // A frozen one that wakes up is no longer the writer: it goes to standby.
    if (signal === 'SIGSTOP') {
      one.child.kill('SIGCONT');
      await mint();
      await becomes(one, 'standby');
      await expectCanonicalLogs();
    }
  });

  it('takes over while new blocks arrive, and loses or repeats nothing', async () => {
    const first = start();
    await becomes(first, 'following');
    let holder = first;
    for (let round = 0; round < 3; round++) {
      const next = start();
      await becomes(next, 'standby');
      const minting = mintMany(4);
      holder.child.kill('SIGKILL');
      await minting;
      await becomes(next, 'following');
      holder = next;
    }
    await expectCanonicalLogs();
  });
});
