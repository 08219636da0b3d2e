import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AnvilNode, JsonRpc } from '#chain';
import { DemoChain, devWallet } from '#chain/testing';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventuallyHolds } from '../harness/eventually.js';

const CHAIN_ID = 31_337;
const root = mkdtempSync(join(tmpdir(), 'chain-damage-'));
const original = join(root, 'original');
const LOTS = 9;
let contract: string;
let before: readonly string[];

const rpcOf = (node: AnvilNode): JsonRpc => new JsonRpc({ urls: node.urls, timeoutMs: 30_000 });

async function hashes(node: AnvilNode): Promise<string[]> {
  const rpc = rpcOf(node);
  const head = Number(await rpc.call<string>('eth_blockNumber', []));
  const calls = Array.from({ length: head + 1 }, (_, n) => ({ method: 'eth_getBlockByNumber', params: [`0x${n.toString(16)}`, false] }));
  return (await rpc.batch(calls)).map((one) => (one.ok ? ((one.value as { hash: string } | null)?.hash ?? 'none') : String(one.error)));
}

/** Opens a copy of the chain after `damage`, and reports its blocks and its lines for the operator. */
async function openedAfter(
  damage: (folder: string) => void,
  more: { readonly snapshotEvery?: number } = {},
): Promise<{ blocks: string[]; lines: string[]; node: AnvilNode }> {
  const copy = mkdtempSync(join(root, 'copy-'));
  cpSync(original, copy, { recursive: true });
  rmSync(join(copy, 'anvil.json'), { force: true });
  damage(copy);
  const lines: string[] = [];
  const node = await AnvilNode.open({
    folder: copy,
    chainId: CHAIN_ID,
    port: null,
    followMs: 20,
    ...more,
    log: (line) => lines.push(line),
  });
  return { blocks: await hashes(node), lines, node };
}

async function goesOn(node: AnvilNode): Promise<void> {
  const rpc = rpcOf(node);
  const payment = { from: devWallet(3).address, to: devWallet(4).address, value: '0x1' };
  const hash = await rpc.call<string>('eth_sendTransaction', [payment]);
  await eventuallyHolds(async () => expect(await rpc.call('eth_getTransactionReceipt', [hash])).not.toBeNull());
  const { hash: block } = await rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
  await node.persist(block);
  await node.close();
}

beforeAll(async () => {
  // A copy while it runs: blocks after the last snapshot are in the log only, as after a kill.
  const running = join(root, 'running');
  const node = await AnvilNode.open({ folder: running, chainId: CHAIN_ID, port: null, followMs: 20, snapshotEvery: 8 });
  const chain = await DemoChain.deploy(node.urls[0]!);
  contract = await chain.createTenant('rice');
  for (let i = 0; i < LOTS; i++) {
    await chain.mint(devWallet(1), contract, [`lot ${i}`]);
    await node.persist(await chain.blockHash(await chain.head()));
  }
  chain.close();
  before = await hashes(node);
  await eventuallyHolds(async () => expect(tablesIn(running).length).toBeGreaterThan(1));
  cpSync(running, original, { recursive: true });
  await node.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const tablesIn = (folder: string): string[] =>
  (JSON.parse(readFileSync(join(folder, 'tables.json'), 'utf8')) as { file: string }[]).map(({ file }) => join(folder, file));
const log = (folder: string): string => join(folder, 'blocks.log');

describe('the embedded chain after damage', () => {
  it('has everything when nothing is damaged', async () => {
    const { blocks, lines, node } = await openedAfter(() => undefined);
    expect(blocks).toEqual(before);
    expect(lines).toEqual([]);
    expect(await rpcOf(node).call('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: contract }])).not.toHaveLength(0);
    await goesOn(node);
  });

  it('starts with a prefix of its blocks wherever the log is cut', async () => {
    const { size } = statSync(log(original));
    for (let i = 0; i < 6; i++) {
      const at = Math.floor((size * (i + 0.5)) / 6);
      const { blocks, node } = await openedAfter((folder) => truncateSync(log(folder), at));
      // Blocks that a state is known of are kept as far as the state goes; those before it cannot be read.
      for (const [number, hash] of blocks.entries()) expect(['none', before[number]]).toContain(hash);
      await goesOn(node);
    }
  });

  it('starts with one sentence wherever a byte of the log is changed', async () => {
    const bytes = readFileSync(log(original));
    for (let i = 0; i < 6; i++) {
      const at = Math.floor((bytes.length * (i + 0.3)) / 6);
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0xff;
      const { blocks, lines, node } = await openedAfter((folder) => writeFileSync(log(folder), changed));
      for (const [number, hash] of blocks.entries()) expect(['none', before[number]]).toContain(hash);
      expect(lines.length).toBeLessThanOrEqual(1);
      await goesOn(node);
    }
  });

  it.each<readonly [string, (folder: string) => void]>([
    ['an empty state', (folder) => tablesIn(folder).forEach((file) => writeFileSync(file, ''))],
    ['half of the last table', (folder) => truncateSync(tablesIn(folder).at(-1)!, 300)],
    ['zeros in the last table', (folder) => writeFileSync(tablesIn(folder).at(-1)!, Buffer.alloc(4_096))],
    ['no tables', (folder) => tablesIn(folder).forEach((file) => rmSync(file))],
    ['an empty list of tables', (folder) => writeFileSync(join(folder, 'tables.json'), '')],
    ['zeros in the list of tables', (folder) => writeFileSync(join(folder, 'tables.json'), Buffer.alloc(512))],
  ])('makes the state again from the blocks after %s', async (_, damage) => {
    const { blocks, lines, node } = await openedAfter(damage);
    expect(blocks).toEqual(before);
    expect(lines).toEqual(['A part of the state of the embedded chain cannot be read; it is made again from the blocks.']);
    expect(await rpcOf(node).call('eth_getCode', [contract, 'latest'])).toMatch(/^0x363d/);
    await goesOn(node);
  });

  it('makes the state of a long chain again in parts', async () => {
    const noTables = (folder: string): void => tablesIn(folder).forEach((file) => rmSync(file));
    const { blocks, lines, node } = await openedAfter(noTables, { snapshotEvery: 1 });
    expect(blocks).toEqual(before);
    expect(lines).toContain(`The state of the embedded chain is made again from block 5 to ${before.length - 1}.`);
    expect(await rpcOf(node).call('eth_getCode', [contract, 'latest'])).toMatch(/^0x363d/);
    await goesOn(node);
  });

  it('ignores a torn run file and removes what interrupted work left behind', async () => {
    const leftovers = ['state-1.table', 'tables.json.new', 'anvil.json.new'];
    const { blocks, lines, node } = await openedAfter((folder) => {
      writeFileSync(join(folder, 'anvil.json'), '{"anvil":');
      leftovers.forEach((name) => writeFileSync(join(folder, name), 'half'));
      writeFileSync(log(folder), Buffer.concat([readFileSync(log(folder)), Buffer.alloc(9_000)]));
    });
    expect([blocks, lines]).toEqual([before, []]);
    await goesOn(node);
  });
});

const asRoot = process.platform === 'linux' && process.getuid?.() === 0;
(asRoot ? describe : describe.skip)('the embedded chain on a full disk', () => {
  const disk = join(root, 'disk');
  afterAll(() => {
    spawnSync('umount', ['-l', disk]);
  });

  it('says so, goes on when there is room again, and starts after a kill', async () => {
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk]).status).toBe(0);
    cpSync(original, disk, { recursive: true });
    rmSync(join(disk, 'anvil.json'), { force: true });
    const lines: string[] = [];
    const options = { folder: disk, chainId: CHAIN_ID, port: null, followMs: 20, log: (line: string) => lines.push(line) };
    const node = await AnvilNode.open(options);
    const chain = await DemoChain.deploy(node.urls[0]!);
    await node.persist(await chain.blockHash(await chain.head()));
    const ballast = join(disk, 'ballast');
    expect(() => writeFileSync(ballast, Buffer.alloc(4 * 2 ** 20))).toThrow('ENOSPC');
    await expect(
      (async () => {
        for (let i = 0; ; i++) {
          await chain.publishAgain();
          await node.persist(await chain.blockHash(await chain.head()));
        }
      })(),
    ).rejects.toMatchObject({ code: 'chain_unavailable' });
    await eventuallyHolds(async () => expect((await node.state()).detail).toMatch(/no space left .* continues by itself/));
    const copy = join(root, 'killed');
    cpSync(disk, copy, { recursive: true });
    const all = await hashes(node);
    rmSync(ballast);
    await eventuallyHolds(async () => expect(await node.state()).toEqual({ state: 'up', detail: null }));
    expect(lines).toEqual([expect.stringMatching(/no space left/)]);
    chain.close();
    await node.close();
    const again = await AnvilNode.open(options);
    expect(await hashes(again)).toEqual(all);
    await again.close();
    rmSync(join(copy, 'anvil.json'));
    const killed = await AnvilNode.open({ ...options, folder: copy });
    const kept = await hashes(killed);
    expect(kept).toEqual(all.slice(0, kept.length));
    await goesOn(killed);
  });
});
