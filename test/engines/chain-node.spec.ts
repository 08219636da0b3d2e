import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AnvilNode, type ChainNode, JsonRpc, RpcNode } from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventuallyHolds } from '../harness/eventually.js';
import { setTimeout as sleep } from 'node:timers/promises';

const folders: string[] = [];
const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'chain-node-'));
  folders.push(path);
  return path;
};
const openEmbedded = (path: string, more: Partial<Parameters<typeof AnvilNode.open>[0]> = {}): Promise<AnvilNode> =>
  AnvilNode.open({ folder: path, chainId: 31_337, port: null, followMs: 20, ...more });

const rpcOf = (node: ChainNode): JsonRpc => new JsonRpc({ urls: node.urls, timeoutMs: 30_000 });
/** Mined when it resolves: a node answers with the hash before its block is there. */
const pay = async (rpc: JsonRpc, n = 0): Promise<string> => {
  const payment = { from: devWallet(n).address, to: devWallet(n + 1).address, value: '0x1' };
  const hash = await rpc.call<string>('eth_sendTransaction', [payment]);
  await eventuallyHolds(async () => expect(await rpc.call('eth_getTransactionReceipt', [hash])).not.toBeNull());
  return hash;
};
const latest = (rpc: JsonRpc) => rpc.call<{ hash: string; number: string; timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
const hashes = async (rpc: JsonRpc): Promise<string[]> => {
  const head = Number((await latest(rpc)).number);
  const blocks = await rpc.batch(
    Array.from({ length: head + 1 }, (_, n) => ({ method: 'eth_getBlockByNumber', params: [`0x${n.toString(16)}`, false] })),
  );
  return blocks.map((block) => (block.ok ? (block.value as { hash: string }).hash : String(block.error)));
};
const backUp = (node: AnvilNode, dead: number | null): Promise<void> =>
  eventuallyHolds(async () => {
    expect(node.pid).not.toBe(dead);
    expect((await node.state()).state).toBe('up');
  });

afterAll(async () => {
  await Promise.all(folders.map((path) => rm(path, { recursive: true, force: true })));
});

/** What every node promises, whoever runs it. */
function chainNodeSuite(name: string, open: () => Promise<{ node: ChainNode; end: () => Promise<void> }>): void {
  describe(`${name} as a chain node`, () => {
    let node: ChainNode;
    let end: () => Promise<void>;
    beforeAll(async () => ({ node, end } = await open()));
    afterAll(() => end());

    it('answers at its addresses and says that it is up', async () => {
      expect(await rpcOf(node).call('eth_chainId', [])).toBe('0x7a69');
      expect(await node.state()).toEqual({ state: 'up', detail: null });
    });

    it('lands a signed transaction and secures its block', async () => {
      const rpc = rpcOf(node);
      await pay(rpc);
      await node.secure((await latest(rpc)).hash);
    });

    it('resolves for a block that the chain does not have', async () => {
      await node.secure(`0x${'1'.repeat(64)}`);
    });

    it('closes twice without complaint', async () => {
      await node.close();
      await node.close();
    });
  });
}

chainNodeSuite('the embedded anvil', async () => {
  const node = await openEmbedded(await folder());
  return { node, end: () => node.close() };
});

chainNodeSuite('a node by URL', async () => {
  const anvil: TestAnvil = await startTestAnvil();
  const rpc = new JsonRpc({ urls: [anvil.url], timeoutMs: 30_000, rounds: 1 });
  const node = new RpcNode([anvil.url], rpc, 31_337);
  return { node, end: () => anvil.stop() };
});

describe('a node by URL that is wrong', () => {
  it('says when it is another chain, and when it is away', async () => {
    const anvil = await startTestAnvil({ chainId: 5 });
    const node = new RpcNode([anvil.url], new JsonRpc({ urls: [anvil.url], timeoutMs: 30_000, rounds: 1 }), 31_337);
    expect(await node.state()).toMatchObject({ state: 'down', detail: expect.stringContaining('chain 5') });
    await anvil.stop();
    expect(await node.state()).toMatchObject({ state: 'down' });
  });
});

describe('the embedded chain loses nothing', () => {
  it('comes back with the same blocks after a clean stop and after a second one', async () => {
    const path = await folder();
    let node = await openEmbedded(path);
    const chain = await DemoChain.deploy(node.urls[0]!);
    const contract = await chain.createTenant('rice');
    chain.close();
    for (let round = 0; round < 3; round++) {
      const before = await hashes(rpcOf(node));
      await node.close();
      node = await openEmbedded(path);
      expect(await hashes(rpcOf(node))).toEqual(before);
      expect(await rpcOf(node).call('eth_getCode', [contract, 'latest'])).toMatch(/^0x363d/);
      await pay(rpcOf(node), round);
    }
    expect(Math.abs(Number((await latest(rpcOf(node))).timestamp) - Date.now() / 1_000)).toBeLessThan(60);
    await node.close();
  });

  it('comes back on the same port after kill -9 at any moment, with every secured block', async () => {
    const path = await folder();
    const node = await openEmbedded(path, { snapshotEvery: 7 });
    const [url] = node.urls;
    const rpc = rpcOf(node);
    const secured: string[] = [];
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i <= round * 2; i++) {
        await pay(rpc, i % 3);
        const { hash, number } = await latest(rpc);
        await node.secure(hash);
        secured[Number(number)] = hash;
      }
      const dead = node.pid;
      await sleep(round * 7);
      process.kill(dead, 'SIGKILL');
      await backUp(node, dead);
      expect(node.urls).toEqual([url]);
      const now = await hashes(rpc);
      secured.forEach((hash, number) => expect(now[number]).toBe(hash));
      expect(now).toHaveLength(secured.length);
    }
    await node.close();
  });

  it('takes over the node of a service that was killed, with the blocks mined since', async () => {
    const path = await folder();
    const { service, url } = await serviceOfItsOwn(path);
    const rpc = new JsonRpc({ urls: [url], timeoutMs: 30_000 });
    await pay(rpc);
    const ended = once(service, 'exit');
    service.kill('SIGKILL');
    await ended;
    await pay(rpc, 1);
    await pay(rpc, 2);
    const before = await hashes(rpc);
    const lines: string[] = [];
    const next = await openEmbedded(path, { log: (line) => lines.push(line) });
    expect(await hashes(rpcOf(next))).toEqual(before);
    expect(lines).toEqual([expect.stringMatching(/of an earlier run .* is still there/)]);
    await expect(rpc.call('eth_chainId', [])).rejects.toMatchObject({ code: 'chain_unavailable' });
    await next.close();
  });

  it('refuses a folder that a running service owns', async () => {
    const path = await folder();
    await writeFile(
      join(path, 'anvil.json'),
      JSON.stringify({ anvil: { pid: 1, started: '?' }, owner: await identityOfParent(), port: 1 }),
    );
    await expect(openEmbedded(path)).rejects.toThrow(/belongs to the running process/);
  });

  it('passes over a line that the kill tore, and names a damaged one', async () => {
    const path = await folder();
    const node = await openEmbedded(path);
    const rpc = rpcOf(node);
    for (let i = 0; i < 4; i++) {
      await pay(rpc, i);
      await node.secure((await latest(rpc)).hash);
    }
    const before = await hashes(rpc);
    const copy = await folder();
    await cp(path, copy, { recursive: true });
    await rm(join(copy, 'anvil.json'));
    await node.close();
    const journal = join(copy, 'journal.jsonl');
    const text = await readFile(journal, 'utf8');
    await truncate(journal, text.length - 30);
    const torn = await openEmbedded(copy);
    expect(await hashes(rpcOf(torn))).toEqual(before.slice(0, -1));
    await torn.close();
    await rm(join(copy, 'state.json'));
    await writeFile(journal, text.replace('"number":2', '"number":#'));
    await expect(openEmbedded(copy)).rejects.toThrow(/damaged at line 3/);
  });

  it('falls back to the earlier snapshot and its journal when the last one is unreadable', async () => {
    const path = await folder();
    let node = await openEmbedded(path);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 3; i++) await pay(rpcOf(node), i);
      await node.close();
      node = await openEmbedded(path);
    }
    const before = await hashes(rpcOf(node));
    await node.close();
    await writeFile(join(path, 'state.json'), '{"block":');
    node = await openEmbedded(path);
    expect(await hashes(rpcOf(node))).toEqual(before);
    await node.close();
  });

  it('follows a reorg in its journal', async () => {
    const path = await folder();
    let node = await openEmbedded(path, { prune: false });
    const rpc = rpcOf(node);
    for (let i = 0; i < 5; i++) await pay(rpc, i);
    await node.secure((await latest(rpc)).hash);
    await rpc.call('anvil_reorg', [3, []]);
    await pay(rpc, 6);
    await node.secure((await latest(rpc)).hash);
    const before = await hashes(rpc);
    const dead = node.pid;
    process.kill(dead, 'SIGKILL');
    await backUp(node, dead);
    expect(await hashes(rpc)).toEqual(before);
    await node.close();
    node = await openEmbedded(path);
    expect(await hashes(rpcOf(node))).toEqual(before);
    await node.close();
  });

  it('says in one sentence that the port is taken', async () => {
    const anvil = await startTestAnvil();
    const port = Number(new URL(anvil.url).port);
    await expect(openEmbedded(await folder(), { port })).rejects.toThrow(/taken by another program/);
    await anvil.stop();
  });
});

/** A process that opens the embedded node and then does nothing, to be killed. */
async function serviceOfItsOwn(path: string): Promise<{ service: ChildProcess; url: string }> {
  const options = JSON.stringify({ folder: path, chainId: 31_337, port: null, followMs: 20 });
  const program = `import { AnvilNode } from '#chain'; console.log((await AnvilNode.open(${options})).urls[0]); setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  return { service, url: line.toString().trim() };
}

async function identityOfParent(): Promise<{ pid: number; started: string }> {
  const stat = await readFile(`/proc/${process.ppid}/stat`, 'utf8');
  return { pid: process.ppid, started: stat.split(') ').at(-1)!.split(' ')[19]! };
}
