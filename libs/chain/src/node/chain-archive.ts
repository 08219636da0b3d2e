import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as afterOthers } from 'node:timers/promises';
import { quantity } from '../rpc/json-rpc.js';
import type { BlockLog, LoggedBlock, RpcBlock, RpcReceipt } from './block-log.js';
import type { ChainState } from './chain-state.js';

interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

const GWEI = 1_000_000_000n;
/** Blocks that are read before other work is let in. */
const AT_ONCE = 50;

/**
 * JSON-RPC over the blocks and the state on the disk, for the embedded anvil only. anvil runs as a fork of it: it has in memory what it
 * mined itself, and asks here for older blocks, logs and values when it needs them. So neither its start nor a new block depends on the
 * length of the chain.
 */
export class ChainArchive {
  /** Bytes of answers since the start of the anvil, which keeps them. */
  served = 0;

  private constructor(
    private readonly chainId: number,
    private readonly log: BlockLog,
    private readonly state: ChainState,
    private readonly server: Server,
  ) {}

  static async open(chainId: number, log: BlockLog, state: ChainState): Promise<ChainArchive> {
    const server = createServer({ keepAlive: true, keepAliveTimeout: 600_000 });
    const archive = new ChainArchive(chainId, log, state, server);
    server.on('request', (request, response) => void archive.respond(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // It must not keep a process alive that has nothing else to do.
    server.unref();
    return archive;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = JSON.parse(Buffer.concat(parts).toString()) as Request | readonly Request[];
      const answer = await (Array.isArray(body) ? Promise.all(body.map((one: Request) => this.answer(one))) : this.answer(body as Request));
      const text = JSON.stringify(answer);
      this.served += text.length;
      response.setHeader('content-type', 'application/json').end(text);
    } catch {
      response.writeHead(400).end();
    }
  }

  private async answer({ id, method, params = [] }: Request): Promise<object> {
    const handler = this.methods[method];
    if (!handler) return { jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not available for blocks of before` } };
    try {
      return { jsonrpc: '2.0', id, result: await handler(...(params as never[])) };
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } };
    }
  }

  private readonly methods: Readonly<Record<string, (...params: never[]) => unknown>> = {
    eth_chainId: () => quantity(this.chainId),
    net_version: () => String(this.chainId),
    eth_blockNumber: () => quantity(this.log.last?.number ?? 0),
    eth_gasPrice: () => quantity(BigInt(this.blockAt(this.state.pinned)!.block.baseFeePerGas) + GWEI),
    eth_getBalance: (address: string, at: string) => quantity(this.number(address, 'balance', at)),
    eth_getTransactionCount: (address: string, at: string) => quantity(this.number(address, 'nonce', at)),
    eth_getCode: (address: string, at: string) => this.codeOf(address, at),
    eth_getAccountInfo: (address: string, at: string) => ({
      balance: quantity(this.number(address, 'balance', at)),
      nonce: quantity(this.number(address, 'nonce', at)),
      code: this.codeOf(address, at),
    }),
    eth_getStorageAt: (address: string, slot: string, at: string) => {
      this.checkBlock(at);
      return `0x${this.state.value(address.slice(2).toLowerCase(), 'slot', slot.slice(2).padStart(64, '0')) ?? '0'.repeat(64)}`;
    },
    eth_getBlockByNumber: (number: string, whole: boolean) => shown(this.blockAt(this.numberIn(number)), whole),
    eth_getBlockByHash: (hash: string, whole: boolean) => shown(this.blockOf(hash), whole),
    eth_getBlockReceipts: (number: string) =>
      (number.length > 60 ? this.blockOf(number) : this.blockAt(this.numberIn(number)))?.receipts ?? null,
    eth_getTransactionByHash: (hash: string) => this.withTransaction(hash)?.block.transactions.find((one) => one.hash === hash) ?? null,
    eth_getTransactionReceipt: (hash: string) =>
      this.withTransaction(hash)?.receipts.find(({ transactionHash }) => transactionHash === hash) ?? null,
    eth_getTransactionByBlockHashAndIndex: (hash: string, i: string) => this.blockOf(hash)?.block.transactions[Number(i)] ?? null,
    eth_getTransactionByBlockNumberAndIndex: (number: string, i: string) =>
      this.blockAt(this.numberIn(number))?.block.transactions[Number(i)] ?? null,
    eth_getLogs: (filter: LogFilter) => this.logs(filter),
  };

  private async logs(filter: LogFilter): Promise<readonly object[]> {
    if (filter.blockHash !== undefined) return matching(this.blockOf(filter.blockHash)?.receipts ?? [], filter);
    const [from, to] = [this.numberIn(filter.fromBlock ?? 'earliest'), this.numberIn(filter.toBlock ?? 'latest')];
    const found: object[] = [];
    for (let number = from; number <= Math.min(to, this.log.last?.number ?? 0); number++) {
      const block = this.blockAt(number);
      if (!block) throw new Error(`block ${number} cannot be read`);
      found.push(...matching(block.receipts, filter));
      if ((number - from) % AT_ONCE === AT_ONCE - 1) await afterOthers();
    }
    return found;
  }

  /** Only the state from which the anvil started is kept. */
  private checkBlock(at: string): void {
    if (at.startsWith('0x') && Number(at) !== this.state.pinned) throw new Error(`the state after block ${Number(at)} is not kept`);
  }

  private number(address: string, field: 'balance' | 'nonce', at: string): bigint {
    this.checkBlock(at);
    return BigInt(`0x${this.state.value(address.slice(2).toLowerCase(), field) ?? '0'}`);
  }

  private codeOf(address: string, at: string): string {
    this.checkBlock(at);
    return this.state.code(address.slice(2).toLowerCase());
  }

  private numberIn(tag: string): number {
    if (tag.startsWith('0x')) return Number(tag);
    return tag === 'earliest' ? 0 : (this.log.last?.number ?? 0);
  }

  private blockAt(number: number): LoggedBlock | null {
    const kept = this.state.blockAt(number);
    return this.log.read(number) ?? (kept && { block: kept, receipts: [], raw: [] });
  }

  private blockOf(hash: string): LoggedBlock | null {
    const number = this.log.numberOf(hash, 'block');
    return number === null ? null : this.log.read(number);
  }

  private withTransaction(hash: string): LoggedBlock | null {
    const number = this.log.numberOf(hash, 'transaction');
    return number === null ? null : this.log.read(number);
  }
}

/**
 * anvil asks for a block without its transactions only at its start, and takes the mix hash as difficulty of all blocks that it mines. So
 * their hashes would depend on the block from which it started.
 */
function shown(found: LoggedBlock | null, whole: boolean): RpcBlock | object | null {
  if (!found || whole) return found?.block ?? null;
  return { ...found.block, mixHash: `0x${'0'.repeat(64)}`, transactions: found.block.transactions.map(({ hash }) => hash) };
}

function matching(receipts: readonly RpcReceipt[], { address, topics = [] }: LogFilter): object[] {
  const allows = (wanted: string | readonly string[] | null | undefined, value: string | undefined): boolean => {
    if (wanted === null || wanted === undefined || wanted.length === 0) return true;
    const values = typeof wanted === 'string' ? [wanted] : wanted;
    return values.some((one) => one.toLowerCase() === value?.toLowerCase());
  };
  return receipts
    .flatMap(({ logs }) => logs)
    .filter((log) => allows(address, log.address) && topics.every((topic, i) => allows(topic, log.topics[i])));
}
