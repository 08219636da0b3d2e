import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JsonRpc, NodeNotUsable, openChainNode, RpcRefused, RpcTransactionPreparer } from '#chain';
import { configFrom } from '#config';
import { devWallet } from '#chain/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NODE_ANSWERS, type NodeAnswer } from './node-answers.js';

/** Answers every call in the words of some provider, or as a node that is well. */
class Provider {
  says: NodeAnswer | null = null;
  chainId = 31_337;
  requests = 0;
  private readonly server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      this.requests++;
      const { status, body } = this.answerTo(JSON.parse(text) as Call | Call[]);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answerTo(given: Call | Call[]): { readonly status: number; readonly body: string } {
    const { says } = this;
    if (says && typeof says.error === 'string')
      return { status: says.status ?? 200, body: says.error.replace('"id":1', `"id":${[given].flat()[0]!.id}`) };
    const answers = [given].flat().map(({ id, method }) => ({ jsonrpc: '2.0', id, ...this.one(method) }));
    return { status: says?.status ?? 200, body: JSON.stringify(Array.isArray(given) ? answers : answers[0]) };
  }

  private one(method: string): object {
    if (this.says?.method === method) return { error: this.says.error };
    if (method === 'eth_chainId') return { result: `0x${this.chainId.toString(16)}` };
    return { result: method === 'eth_getLogs' ? [] : method === 'eth_getBlockByNumber' ? null : '0x5208' };
  }
}

interface Call {
  readonly id: number;
  readonly method: string;
}

const PARAMETERS = {
  eth_estimateGas: [{ from: devWallet(1).address, to: devWallet(2).address }, 'latest'],
  eth_getLogs: [{ fromBlock: '0x1', toBlock: '0x2' }],
} as const;

let first: Provider;
let second: Provider;
beforeAll(async () => {
  [first, second] = await Promise.all([new Provider().start(), new Provider().start()]);
});
afterAll(() => Promise.all([first.stop(), second.stop()]));

describe('an address of another chain', () => {
  const lines: string[] = [];
  const open = (...urls: readonly string[]) =>
    openChainNode(configFrom({ CHAIN_ID: '31337', CHAIN_RPC_URLS: urls.join() }).chain, '/nowhere', (line) => void lines.push(line));

  beforeEach(() => {
    first.says = null;
    first.chainId = 5;
    lines.length = 0;
  });
  afterEach(() => {
    first.chainId = 31_337;
  });

  it('is refused at the start, in a sentence with both numbers and both settings', async () => {
    const { host } = new URL(first.url);
    await expect(open(first.url)).rejects.toThrow(NodeNotUsable);
    await expect(open(first.url, 'http://127.0.0.1:1')).rejects.toThrow(
      `The node ${host} is on chain 5, but CHAIN_ID is 31337. Set CHAIN_ID to the chain of the node, or CHAIN_RPC_URLS to a node of chain 31337.`,
    );
  });

  it('does not prevent the start while another address is right, and is never used', async () => {
    const { rpc } = await open(first.url, second.url);
    expect(lines).toEqual([expect.stringContaining('chain 5, but CHAIN_ID is 31337. It is not used; correct CHAIN_RPC_URLS.')]);
    const requests = first.requests;
    expect(await rpc.call('eth_getTransactionCount', [devWallet(1).address, 'latest'])).toBe('0x5208');
    expect(first.requests).toBe(requests + 1);
    expect(rpc.metrics.counts.errors).toEqual({ [`${new URL(first.url).host} lie_chainId`]: 1 });
  });

  it('does not prevent the start while it is away, and is found out when it is back', async () => {
    const { rpc } = await open('http://127.0.0.1:1');
    expect(lines).toEqual([]);
    await expect(rpc.call('eth_blockNumber', [])).rejects.toMatchObject({ code: 'chain_unavailable' });
    const changed = new JsonRpc({ urls: [first.url], timeoutMs: 2_000, passes: 1, chainId: 31_337 });
    await expect(changed.call('eth_blockNumber', [])).rejects.toMatchObject({ code: 'chain_unavailable' });
    first.chainId = 31_337;
    expect(await changed.call('eth_blockNumber', [])).toBe('0x5208');
  });
});

describe('what nodes and providers answer', () => {
  const ask = (rpc: JsonRpc, { method }: NodeAnswer): Promise<unknown> => rpc.call(method, PARAMETERS[method]);
  const named = (fault: NodeAnswer['fault']): [string, NodeAnswer][] =>
    NODE_ANSWERS.filter((answer) => answer.fault === fault).map((answer) => {
      const said = typeof answer.error === 'string' ? answer.error.trim() : `${answer.error.code} ${answer.error.message}`;
      return [`${said.slice(0, 80)} (${answer.source})`, answer];
    });

  it('is known from at least a hundred real answers', () => {
    expect(NODE_ANSWERS.length).toBeGreaterThanOrEqual(100);
    expect(new Set(NODE_ANSWERS.map(({ method, error }) => `${method} ${JSON.stringify(error)}`)).size).toBe(NODE_ANSWERS.length);
  });

  it('is known from what clients and indexers report', () => {
    const projects = ['firefly-evmconnect', 'wevm/viem', 'ethers-io/ethers.js', 'graphprotocol/graph-node', 'ponder-sh/ponder'];
    const reported = projects.map((project) => NODE_ANSWERS.filter(({ source }) => source.includes(project)).length);
    expect(reported.filter((count) => count < 3)).toEqual([]);
    expect(NODE_ANSWERS.filter(({ source }) => /\S+\/\S+ #\d+/.test(source)).length).toBeGreaterThanOrEqual(40);
  });

  // Each of these was once told to the caller as "the transaction would fail".
  it.each([
    'header not found',
    'missing trie node',
    'no backend available',
    'unauthorized',
    'project ID request rate exceeded',
    'node is syncing',
    'execution aborted (timeout',
    'App is inactive',
    'invalid project id',
    'Must be authenticated!',
    '"topics":null',
    '"result":null',
  ])('has a node’s fault with the words %s', (words) => {
    const said = ({ error }: NodeAnswer): string => (typeof error === 'string' ? error : error.message);
    expect(
      NODE_ANSWERS.filter((answer) => answer.fault === 'node' && said(answer).toLowerCase().includes(words.toLowerCase())),
    ).not.toEqual([]);
  });

  it.each(named('node'))('is the node’s fault, so the next one answers: %s', async (_, answer) => {
    first.says = answer;
    const both = new JsonRpc({ urls: [first.url, second.url], timeoutMs: 2_000, passes: 1 });
    expect(await ask(both, answer)).toEqual(answer.method === 'eth_getLogs' ? [] : '0x5208');
    const [[key, count]] = Object.entries(both.metrics.counts.errors) as [[string, number]];
    expect(key).toMatch(new RegExp(`^${new URL(first.url).host} \\w+$`));
    expect(count).toBe(1);
    const alone = new JsonRpc({ urls: [first.url], timeoutMs: 2_000, passes: 1 });
    await expect(ask(alone, answer)).rejects.toMatchObject({ code: 'chain_unavailable', status: 503 });
  });

  it.each(named('caller'))('is the caller’s fault, so no other node is asked: %s', async (_, answer) => {
    first.says = answer;
    second.requests = 0;
    const both = new JsonRpc({ urls: [first.url, second.url], timeoutMs: 2_000, passes: 1 });
    await expect(ask(both, answer)).rejects.toBeInstanceOf(RpcRefused);
    expect(second.requests).toBe(0);
    expect(both.metrics.counts.errors).toEqual({});
  });

  it.each(named('node').filter(([, { method }]) => method === 'eth_estimateGas'))(
    'never says of a node’s fault that the transaction would fail: %s',
    async (_, answer) => {
      first.says = answer;
      const preparer = new RpcTransactionPreparer(new JsonRpc({ urls: [first.url], timeoutMs: 2_000, passes: 1 }), 31_337);
      const call = { contract: devWallet(2).address, from: devWallet(1).address, method: 'setDirectReceipt', args: [true] };
      await expect(preparer.prepare(call)).rejects.toMatchObject({ code: 'chain_unavailable', status: 503 });
    },
  );
});
