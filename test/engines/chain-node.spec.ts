import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AnvilNode, type ChainNode, JsonRpc, RpcNode } from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { keccak256 } from 'ethers';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
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
type Batch = Parameters<JsonRpc['batch']>[0];
/** In parts: on a busy machine a node answers a batch of thousands too late. */
const batch = async (rpc: JsonRpc, requests: Batch): Promise<Awaited<ReturnType<JsonRpc['batch']>>[number][]> => {
  const parts = Array.from({ length: Math.ceil(requests.length / 100) }, (_, i) => requests.slice(i * 100, (i + 1) * 100));
  const answers = [];
  for (const part of parts) answers.push(...(await rpc.batch(part)));
  return answers;
};
const hashes = async (rpc: JsonRpc): Promise<string[]> => {
  const head = Number((await latest(rpc)).number);
  const blocks = await batch(
    rpc,
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

/** What every adapter promises. */
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

    it('lands a signed transaction and persists its block', async () => {
      const rpc = rpcOf(node);
      await pay(rpc);
      await node.persist((await latest(rpc)).hash);
    });

    it('resolves for a block that the chain does not have', async () => {
      await node.persist(`0x${'1'.repeat(64)}`);
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
  const rpc = new JsonRpc({ urls: [anvil.url], timeoutMs: 30_000, passes: 1 });
  const node = new RpcNode([anvil.url], rpc, 31_337);
  return { node, end: () => anvil.stop() };
});

describe('a node by URL that is wrong', () => {
  it('says when it is another chain, and when it is away', async () => {
    const anvil = await startTestAnvil({ chainId: 5 });
    const node = new RpcNode([anvil.url], new JsonRpc({ urls: [anvil.url], timeoutMs: 30_000, passes: 1 }), 31_337);
    expect(await node.state()).toMatchObject({ state: 'down', detail: expect.stringContaining('chain 5') });
    await anvil.stop();
    expect(await node.state()).toMatchObject({ state: 'down' });
  });
});

describe('a provider that is no node, or a broken one', () => {
  it.each<[string, (response: ServerResponse) => unknown, RegExp]>([
    ['answers with an error', (response) => response.writeHead(502).end('bad gateway'), /^127\.0\.0\.1:\d+: HTTP 502$/],
    [
      'answers with a page',
      (response) => response.setHeader('content-type', 'text/html').end('<html>'),
      /answered text\/html instead of JSON$/,
    ],
    ['answers with nothing', (response) => response.end(), /answered something instead of JSON$/],
    ['closes the connection', (response) => response.destroy(), /other side closed|socket hang up|ECONNRESET/],
    ['is slow', () => undefined, /no answer within 300 ms$/],
  ])('%s: the operator reads what it did', async (_, answer, sentence) => {
    const server = createServer((_request, response) => void answer(response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`];
    const node = new RpcNode(urls, new JsonRpc({ urls, timeoutMs: 300, passes: 1 }), 1);
    expect(await node.state()).toEqual({ state: 'down', detail: expect.stringMatching(sentence) });
    server.closeAllConnections();
    server.close();
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
        await node.persist(hash);
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

  it('replaces its child after so many blocks, while transactions arrive, and loses none of them', async () => {
    const path = await folder();
    let node = await openEmbedded(path, { recycleFrom: 6 });
    const rpc = rpcOf(node);
    const children = new Set([node.pid]);
    const sent: string[] = [];
    const sender = async (n: number): Promise<void> => {
      const wallet = devWallet(n);
      // Also after it was replaced, and until then however long that takes.
      for (let nonce = 0; nonce < 40 || (children.size < 2 && nonce < 2_000); nonce++) {
        const fee = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, gasLimit: 21_000n, type: 2, chainId: 31_337 };
        const raw = await wallet.signTransaction({ to: devWallet(n + 5).address, value: 1n, nonce, ...fee });
        // Not taken while the child is replaced: sent again, as a wallet does.
        await eventually('a node that takes it', () => rpc.call('eth_sendRawTransaction', [raw]).then(() => true, isKnown));
        sent.push(keccak256(raw));
        children.add(node.pid);
      }
    };
    await Promise.all([1, 2, 3].map(sender));
    await eventuallyHolds(async () => {
      const receipts = await batch(
        rpc,
        sent.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
      );
      expect(receipts.map((one) => one.ok && (one.value as { status: string } | null)?.status)).toEqual(sent.map(() => '0x1'));
    });
    expect(children.size).toBeGreaterThan(1);
    const before = await hashes(rpc);
    await node.close();
    node = await openEmbedded(path);
    expect(await hashes(rpcOf(node))).toEqual(before);
    await node.close();
  });

  it('gives the service no nonce that is used already, while its child is replaced and after it was killed', async () => {
    const node = await openEmbedded(await folder(), { recycleFrom: 6, snapshotEvery: 5 });
    const rpc = new JsonRpc({ urls: node.urls, timeoutMs: 30_000, passes: 1, isAway: () => node.isRestarting });
    const refused: string[] = [];
    const busy = new AbortController();
    const sender = async (n: number): Promise<void> => {
      const wallet = devWallet(n);
      while (!busy.signal.aborted)
        try {
          const nonce = Number(await rpc.call('eth_getTransactionCount', [wallet.address, 'pending']));
          const fee = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, gasLimit: 21_000n, type: 2, chainId: 31_337 };
          const raw = await wallet.signTransaction({ to: devWallet(n + 5).address, value: 1n, nonce, ...fee });
          await rpc.call('eth_sendRawTransaction', [raw]);
        } catch (error) {
          if (/nonce|underpriced/i.test((error as Error).message)) refused.push((error as Error).message);
          await sleep(5);
        }
    };
    const senders = [1, 2, 3].map(sender);
    for (let round = 0; round < 4; round++) {
      const before = node.pid;
      await sleep(100 * round);
      if (round % 2 === 1) process.kill(before, 'SIGKILL');
      await backUp(node, before);
    }
    busy.abort();
    await Promise.all(senders);
    expect(refused).toEqual([]);
    const before = await hashes(rpcOf(node));
    expect(before.length).toBeGreaterThan(20);
    await node.close();
  });

  it.each([
    ['before it logged the last blocks', true],
    ['and whose run file a full disk did not take', false],
  ])('takes over the node of a service that was killed %s', async (_why, hasRunFile) => {
    const path = await folder();
    const { service, url } = await serviceOfItsOwn(path);
    const rpc = new JsonRpc({ urls: [url], timeoutMs: 30_000 });
    for (let i = 0; i < 3; i++) await pay(rpc, i);
    const before = await hashes(rpc);
    const ended = once(service, 'exit');
    service.kill('SIGKILL');
    await ended;
    if (!hasRunFile) await rm(join(path, 'anvil.json'));
    const lines: string[] = [];
    const next = await openEmbedded(path, { log: (line) => lines.push(line) });
    expect(await hashes(rpcOf(next))).toEqual(before);
    expect(before).toHaveLength(4);
    expect(lines).toEqual([expect.stringMatching(/of an earlier run .* is still running/)]);
    await expect(rpc.call('eth_chainId', [])).rejects.toMatchObject({ code: 'chain_unavailable' });
    await next.close();
  });

  it('refuses a folder that a running service owns', async () => {
    const path = await folder();
    await writeFile(
      join(path, 'anvil.json'),
      JSON.stringify({ anvil: { pid: 1, started: '?' }, owner: await identityOfParent(), port: 1 }),
    );
    await expect(openEmbedded(path)).rejects.toThrow(/is used by the running process/);
  });

  it('says that the clock of the machine is behind its newest block, and goes on', async () => {
    const path = await folder();
    const first = await openEmbedded(path);
    await pay(rpcOf(first));
    await first.close();
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 2 * 86_400_000);
    const lines: string[] = [];
    try {
      const node = await openEmbedded(path, { log: (line) => lines.push(line) });
      await pay(rpcOf(node));
      await node.close();
    } finally {
      jest.restoreAllMocks();
    }
    expect(lines).toEqual([expect.stringMatching(/^The newest block of the embedded chain is of .* Set the clock if it is wrong/)]);
  });

  it('keeps its folder to its owner, also one that was open', async () => {
    const path = await folder();
    await chmod(path, 0o755);
    const node = await openEmbedded(path);
    expect((await stat(path)).mode & 0o077).toBe(0);
    await node.close();
  });

  it('follows a reorg in its block log', async () => {
    const path = await folder();
    let node = await openEmbedded(path, { prune: false });
    const rpc = rpcOf(node);
    for (let i = 0; i < 5; i++) await pay(rpc, i);
    await node.persist((await latest(rpc)).hash);
    await rpc.call('anvil_reorg', [3, []]);
    await pay(rpc, 6);
    await node.persist((await latest(rpc)).hash);
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
    await expect(openEmbedded(await folder(), { port })).rejects.toThrow(/in use by another program/);
    await anvil.stop();
  });
});

/** An earlier try arrived after all. */
const isKnown = (error: unknown): boolean => /already|nonce too low/.test(String((error as { cause?: unknown }).cause ?? error));

/** A process that opens the embedded node and then does nothing, to be killed. */
async function serviceOfItsOwn(path: string): Promise<{ service: ChildProcess; url: string }> {
  const options = JSON.stringify({ folder: path, chainId: 31_337, port: null, followMs: 600_000 });
  const program = `import { AnvilNode } from '#chain'; console.log((await AnvilNode.open(${options})).urls[0]); setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  return { service, url: line.toString().trim() };
}

async function identityOfParent(): Promise<{ pid: number; started: string }> {
  const line = await readFile(`/proc/${process.ppid}/stat`, 'utf8');
  return { pid: process.ppid, started: line.split(') ').at(-1)!.split(' ')[19]! };
}
