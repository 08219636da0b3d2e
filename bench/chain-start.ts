import { AnvilNode, JsonRpc } from '#chain';
import { ChainFiles, DemoChain, devWallet } from '#chain/testing';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measurement, type Scenario, median } from './report.js';

const CHAIN_ID = 31_337;
const BLOCKS = Number(process.env['BENCH_CHAIN_BLOCKS'] ?? 1_000_000);
const MINED = 300;
const STARTS = 3;

/** Resident memory of a process in MiB. */
const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

const seconds = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const from = performance.now();
  const result = await work();
  return [result, (performance.now() - from) / 1_000];
};

/** Milliseconds from sending a mint to its receipt, median. */
async function mintTime(chain: DemoChain, contract: string, count: number, name: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push((await seconds(() => chain.mint(devWallet(1), contract, [`${name} ${i}`])))[1] * 1_000);
  return median(times);
}

export const scenario: Scenario = {
  name: 'chain-start',
  about:
    `The start of the embedded chain with ${BLOCKS.toLocaleString('en')} transactions, one in each block, each of them the mint of a lot. ` +
    `The first ${MINED} blocks were mined. The others are copies of the last of them with hashes and slots of their own, written to the same files: mining them would take days.`,
  async run(say): Promise<readonly Measurement[]> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-bench-chain-'));
    const open = (snapshotEvery = 1_000): Promise<AnvilNode> =>
      AnvilNode.open({ folder, chainId: CHAIN_ID, port: null, snapshotEvery, log: say });
    try {
      let node = await open();
      const chain = await DemoChain.deploy(node.urls[0]!);
      const contract = await chain.createTenant('bench');
      const early = await mintTime(chain, contract, MINED, 'early');
      await node.close();
      say(`a mint takes ${early.toFixed(1)} ms`);
      const written = await ChainFiles.grow(folder, CHAIN_ID, BLOCKS);
      say(`${written.blocks} blocks and ${written.slots} slots written`);
      const starts: number[] = [];
      let memory = 0;
      for (let i = 0; i < STARTS; i++) {
        const [opened, took] = await seconds(() => open());
        node = opened;
        starts.push(took);
        memory = memoryOf(node.pid);
        say(`start ${took.toFixed(1)} s`);
        if (i < STARTS - 1) await node.close();
      }
      const rpc = new JsonRpc({ urls: node.urls, timeoutMs: 60_000 });
      const long = new DemoChain(node.urls[0]!, CHAIN_ID, chain.registry, chain.deployed);
      const late = await mintTime(long, contract, 100, 'late');
      const [, old] = await seconds(() => rpc.call('eth_getLogs', [{ fromBlock: '0x64', toBlock: '0x7d0', address: contract }]));
      const killed = node.pid;
      process.kill(killed, 'SIGKILL');
      const [, back] = await seconds(async () => {
        while (node.pid === killed || (await node.state()).state !== 'up') await new Promise((resolve) => setTimeout(resolve, 20));
      });
      const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
      long.close();
      chain.close();
      await node.close();
      return [
        { what: 'transactions in the chain', value: written.blocks, unit: '' },
        { what: 'start (median)', value: median(starts), unit: 's', limit: 'under 10' },
        { what: 'back after a kill, with the 100 blocks since the start', value: back, unit: 's', limit: 'under 10' },
        { what: 'disk a transaction', value: bytes / written.blocks, unit: 'bytes' },
        { what: 'slots of storage', value: written.slots, unit: '' },
        { what: 'resident memory of anvil after the start', value: memory, unit: 'MiB' },
        { what: 'resident memory of this process', value: memoryOf(process.pid), unit: 'MiB' },
        { what: 'a mint at the beginning, to its receipt (median)', value: early, unit: 'ms' },
        { what: 'a mint at the end, to its receipt (median)', value: late, unit: 'ms' },
        { what: 'logs of 1,900 old blocks', value: old * 1_000, unit: 'ms' },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
